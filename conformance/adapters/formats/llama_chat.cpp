// llama.cpp's chat parser, called as its server calls it: the whole text is parsed again with each chunk, and the
// difference to the previous message is the result of the chunk.  The parser is made from the chat template of a
// model that is trained on the format.  llama.cpp keeps the templates in models/templates, the folder that is the
// only argument.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "chat.h"
#include "log.h"
#include "nlohmann/json.hpp"

// Functions that need a model.  There is none here, so they are never called, and the library need not be built.
#define NEVER(declaration) \
    extern "C" declaration { std::abort(); }
NEVER(int32_t llama_token_to_piece(const llama_vocab *, llama_token, char *, int32_t, int32_t, bool))
NEVER(const char * llama_model_chat_template(const llama_model *, const char *))
NEVER(int32_t llama_chat_apply_template(const char *, const llama_chat_message *, size_t, bool, char *, int32_t))
NEVER(bool llama_vocab_get_add_eos(const llama_vocab *))
NEVER(bool llama_vocab_get_add_bos(const llama_vocab *))
NEVER(llama_token llama_vocab_eos(const llama_vocab *))
NEVER(llama_token llama_vocab_bos(const llama_vocab *))
NEVER(const llama_vocab * llama_model_get_vocab(const llama_model *))
NEVER(void ggml_abort(const char *, int, const char *, ...))

using json = nlohmann::ordered_json;

static const std::map<std::string, std::string> TEMPLATES = {
    {"hermes", "Qwen-Qwen3-0.6B"},
    {"qwen3-coder", "Qwen3-Coder"},
    {"deepseek-v3.1", "deepseek-ai-DeepSeek-V3.1"},
    {"glm-4.5", "GLM-4.6"},
    {"kimi-k2", "Kimi-K2-Instruct"},
    {"llama3-json", "meta-llama-Llama-3.1-8B-Instruct"},
    {"mistral", "mistralai-Ministral-3-14B-Reasoning-2512"},
};

// Return the parameters with which the server would parse the answer to a user's message with these tools.
static common_chat_parser_params parser_of(const std::string & folder, const std::string & format, const json & tools) {
    std::ifstream file(folder + "/" + TEMPLATES.at(format) + ".jinja");
    std::stringstream source;
    source << file.rdbuf();
    auto templates = common_chat_templates_init(nullptr, source.str(), "<s>", "</s>");
    common_chat_templates_inputs inputs;
    common_chat_msg user;
    user.role = "user";
    user.content = "Go on.";
    inputs.messages = {user};
    for (const auto & tool : tools) {
        inputs.tools.push_back({tool.at("name"), "", tool.at("parameters").dump()});
    }
    inputs.parallel_tool_calls = common_chat_templates_get_caps(templates.get()).at("supports_parallel_tool_calls");
    inputs.reasoning_format = COMMON_REASONING_FORMAT_DEEPSEEK;
    // With thinking enabled, the prompt of this model begins the reasoning.
    inputs.enable_thinking = format != "deepseek-v3.1";
    auto chat = common_chat_templates_apply(templates.get(), inputs);
    common_chat_parser_params params(chat);
    params.reasoning_format = inputs.reasoning_format;
    params.parser.load(chat.parser);
    return params;
}

static json items(const std::vector<common_chat_msg_diff> & diffs) {
    json found = json::array();
    for (const auto & diff : diffs) {
        if (!diff.reasoning_content_delta.empty()) {
            found.push_back({{"reasoning", diff.reasoning_content_delta}});
        }
        if (!diff.content_delta.empty()) {
            found.push_back({{"content", diff.content_delta}});
        }
        if (!diff.tool_call_delta.name.empty()) {
            found.push_back({{"call", diff.tool_call_delta.name}});
        }
        if (!diff.tool_call_delta.arguments.empty()) {
            found.push_back({{"arguments", diff.tool_call_delta.arguments}});
        }
    }
    return found;
}

static json answer(const json & chunks, const common_chat_parser_params & params) {
    std::string text;
    common_chat_msg before;
    const auto update = [&](const std::string & chunk, bool is_partial) {
        text += chunk;
        auto now = common_chat_parse(text, is_partial, params);
        if (now.empty()) {
            return json::array();
        }
        auto diffs = common_chat_msg_diff::compute_diffs(before, now);
        before = now;
        return items(diffs);
    };
    if (chunks.size() == 1) {
        return {{"feeds", json::array({update(chunks[0], false)})}, {"close", json::array()}};
    }
    json feeds = json::array();
    for (const auto & chunk : chunks) {
        feeds.push_back(update(chunk, true));
    }
    return {{"feeds", feeds}, {"close", update("", false)}};
}

int main(int, char ** argv) {
    common_log_set_verbosity_thold(-1);
    // The tools of a format are the same in every request.
    std::map<std::string, common_chat_parser_params> parsers;
    for (std::string line; std::getline(std::cin, line);) {
        const json request = json::parse(line);
        json reply;
        try {
            const std::string format = request.at("format");
            const std::string key = format + request.at("tools").dump();
            if (!parsers.count(key)) {
                parsers[key] = parser_of(argv[1], format, request.at("tools"));
            }
            reply = answer(request.at("chunks"), parsers.at(key));
        } catch (const std::exception & problem) {
            reply = {{"error", problem.what()}};
        }
        reply["id"] = request.at("id");
        std::cout << reply.dump(-1, ' ', true, json::error_handler_t::replace) << std::endl;
    }
}
