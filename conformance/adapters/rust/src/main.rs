// SPDX-License-Identifier: MIT
//! An adapter: one request per line in, one reply per line out (spec/adapter.md).

mod block;
mod json;
mod parser;

use json::{written, Json};
use parser::{Event, Parser};
use std::io::{BufRead, Write};

const HELLO: &str = concat!(
    r#""protocol":1,"name":"rust-example","version":"0.1.0","language":"rust","#,
    r#""offset_unit":"codepoint","ops":["parse"],"dialects":{"xml-json":["token"]}"#
);

/// The reason why a request gets no result.
enum No {
    /// It is invalid, or misuse.
    Error(&'static str),
    /// It asks for something that this adapter does not have.
    Unsupported(&'static str),
}
use No::*;

/// Members of a parse, each with the only value that is supported.
const DEFAULTS: [(&str, &str); 5] = [
    ("dialect", "xml-json"),
    ("mode", "turn"),
    ("start", "prose"),
    ("calls", "shown"),
    ("finish", "stop"),
];
/// Members of a parse that are supported only if they are false.
const OFF: [&str; 3] = ["raw", "spans", "call_deltas"];

const NO_REQUEST: &str = "a request must be a JSON object with a string as its id";

fn main() {
    let mut input = std::io::stdin().lock();
    let mut output = std::io::stdout().lock();
    let mut line = Vec::new();
    while matches!(input.read_until(b'\n', &mut line), Ok(size) if size > 0) {
        let request = std::str::from_utf8(&line).ok().and_then(json::read);
        if writeln!(output, "{}", reply(request))
            .and_then(|()| output.flush())
            .is_err()
        {
            return;
        }
        line.clear();
    }
}

fn reply(request: Option<Json>) -> String {
    let named = request
        .as_ref()
        .and_then(|one| Some((one, one.get("id")?.text()?)));
    let (request, id) = match named {
        Some(named) => named,
        None => return format!("{{\"id\":null,\"error\":{}}}", written(NO_REQUEST)),
    };
    let members = match answer(request) {
        Ok(members) => members,
        Err(Error(why)) => format!("\"error\":{}", written(why)),
        Err(Unsupported(what)) => format!("\"unsupported\":{}", written(what)),
    };
    format!("{{\"id\":{},{members}}}", written(id))
}

fn answer(request: &Json) -> Result<String, No> {
    match request.get("op") {
        Some(Json::Text(Some(op))) if op == "hello" => match request.get("protocol") {
            Some(Json::Number(number)) if *number == 1.0 => Ok(HELLO.to_string()),
            Some(Json::Number(_)) => Err(Unsupported("a protocol other than 1")),
            _ => Err(Error("protocol must be a number")),
        },
        Some(Json::Text(Some(op))) if op == "parse" => parse(request),
        Some(Json::Text(_)) => Err(Unsupported("this op")),
        _ => Err(Error("op must be a string")),
    }
}

fn parse(request: &Json) -> Result<String, No> {
    let is_token = options(request)?;
    let is_closed = match request.get("close") {
        None => true,
        Some(Json::Bool(close)) => *close,
        Some(_) => return Err(Error("close must be true or false")),
    };
    let mut parser = Parser::new(is_token);
    let feeds: Vec<String> = chunks(request)?
        .iter()
        .map(|chunk| list(&parser.feed(chunk)))
        .collect();
    let close = if is_closed {
        list(&parser.close())
    } else {
        "[]".to_string()
    };
    let (state, discarded) = (parser.state(), parser.discarded);
    Ok(format!(
        "\"feeds\":[{}],\"close\":{close},\"state\":\"{state}\",\"discarded\":{discarded}",
        feeds.join(",")
    ))
}

/// Check what a parse asks for; return whether it asks for the token stream.
fn options(request: &Json) -> Result<bool, No> {
    for (name, only) in DEFAULTS {
        match request.get(name) {
            None => {}
            Some(Json::Text(Some(text))) if text == only => {}
            Some(Json::Text(_)) => return Err(Unsupported("a dialect, mode, start or calls")),
            Some(_) => return Err(Error("dialect, mode, start and calls must be strings")),
        }
    }
    for name in OFF {
        match request.get(name) {
            None | Some(Json::Bool(false)) => {}
            Some(Json::Bool(true)) => return Err(Unsupported("raw, spans or call_deltas")),
            Some(_) => return Err(Error("raw, spans and call_deltas must be true or false")),
        }
    }
    match request.get("limits") {
        None => {}
        Some(Json::Object(limits)) if limits.is_empty() => {}
        Some(Json::Object(_)) => return Err(Unsupported("limits")),
        Some(_) => return Err(Error("limits must be an object")),
    }
    for name in ["snapshots", "turns", "chunks_b64"] {
        match request.get(name) {
            None => {}
            Some(Json::List(some)) if name == "snapshots" && some.is_empty() => {}
            Some(Json::List(_)) => return Err(Unsupported("snapshots, turns or chunks_b64")),
            Some(_) => return Err(Error("snapshots, turns and chunks_b64 must be arrays")),
        }
    }
    match request.get("stream") {
        None => Ok(false),
        Some(Json::Text(Some(text))) if text == "event" => Ok(false),
        Some(Json::Text(Some(text))) if text == "token" => Ok(true),
        Some(Json::Text(_)) => Err(Unsupported("a stream")),
        Some(_) => Err(Error("stream must be a string")),
    }
}

/// The chunks of a request: its `chunks`, or its `text` divided at `cuts`.
fn chunks(request: &Json) -> Result<Vec<String>, No> {
    let whole = |text: &Option<String>| text.clone().ok_or(Unsupported("lone-surrogates"));
    match (request.get("chunks"), request.get("text")) {
        (Some(Json::List(chunks)), None) if request.get("cuts").is_none() => chunks
            .iter()
            .map(|chunk| match chunk {
                Json::Text(text) => whole(text),
                _ => Err(Error("chunks must be strings")),
            })
            .collect(),
        (None, Some(Json::Text(text))) => cut(whole(text)?, request.get("cuts")),
        _ => Err(Error(
            "a parse needs either chunks, an array, or text, a string, with optional cuts",
        )),
    }
}

fn cut(text: String, cuts: Option<&Json>) -> Result<Vec<String>, No> {
    let none = Vec::new();
    let cuts = match cuts {
        None => &none,
        Some(Json::List(cuts)) => cuts,
        Some(_) => return Err(Error("cuts must be an array")),
    };
    let mut rest = text.chars();
    let mut chunks = Vec::new();
    let mut last = 0.0;
    for cut in cuts {
        let place = match cut {
            Json::Number(place) => place,
            _ => return Err(Error("a cut must be a number")),
        };
        if place.fract() != 0.0 || *place < last {
            return Err(Error("cuts must be ascending offsets"));
        }
        let size = (place - last) as usize;
        let chunk: String = rest.by_ref().take(size).collect();
        if chunk.chars().count() < size {
            return Err(Error("a cut is beyond the text"));
        }
        chunks.push(chunk);
        last = *place;
    }
    chunks.push(rest.collect());
    Ok(chunks)
}

fn list(events: &[Event]) -> String {
    let shown: Vec<String> = events.iter().map(event).collect();
    format!("[{}]", shown.join(","))
}

fn event(event: &Event) -> String {
    match event {
        Event::Segment {
            kind,
            content,
            delta,
        } => {
            let mut shown = format!("{{\"type\":\"{kind}\",\"content\":{}", written(content));
            if let Some((segment, is_last)) = delta {
                shown += &format!(",\"segment\":{segment}");
                shown += if *is_last { ",\"done\":true" } else { "" };
            }
            shown + "}"
        }
        Event::Call(content) => format!("{{\"type\":\"call\",\"content\":{}}}", written(content)),
        Event::Execute => r#"{"type":"execute"}"#.to_string(),
        Event::End => r#"{"type":"end"}"#.to_string(),
        Event::Error {
            broken,
            offset,
            calls,
        } => {
            let path = broken
                .path
                .as_deref()
                .map_or(String::new(), |path| format!(",\"path\":{}", written(path)));
            format!(
                "{{\"type\":\"error\",\"code\":\"{}\",\"content\":{},\"offset\":{offset}{path},\
                 \"calls\":{calls}}}",
                broken.code,
                written(&broken.message)
            )
        }
    }
}
