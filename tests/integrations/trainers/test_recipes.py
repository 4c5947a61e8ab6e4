"""The recipes for trainers train what the mask says, with the packages themselves.

The tokenizer is made here, so that the models are small.  axolotl's are with the masks, in `data`.
"""

import json
from types import SimpleNamespace

import pytest
import torch
from examples.masks import on_trl, on_verl
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from verl.utils.dataset.dataset_utils import DatasetPadMode, SFTTensorCollator
from verl.workers.utils.losses import sft_loss

from tests.kit.cli.running import cogwire_

#: The packages warn of their own names.
pytestmark = pytest.mark.filterwarnings("default")

TEMPLATE = """\
{%- for message in messages %}<|im_start|>{{ message['role'] }}
{{ message['content'] }}<|im_end|>
{% endfor %}"""
MESSAGES = [
    {"role": "user", "content": "List."},
    {"role": "assistant", "content": '<execute>[{"name": "ls", "args": {}}]</execute>'},
    {
        "role": "user",
        "content": '<results>[{"tool": "ls", "status": "success", "content": "a"}]</results>',
    },
    {"role": "assistant", "content": "<think>One.</think>日: a."},
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """Return a folder with a tokenizer whose tokens are bytes, and a chat template."""
    folder = tmp_path_factory.mktemp("model")
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE({letter: at for at, letter in enumerate(letters)}, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    made.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    made.save(str(folder / "tokenizer.json"))
    names = {"eos_token": "<|im_end|>", "pad_token": "<|im_end|>", "chat_template": TEMPLATE}
    config = {"tokenizer_class": "PreTrainedTokenizerFast", **names}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), "utf-8")
    return folder


@pytest.fixture(scope="module")
def masks(model):
    """Return a file of what the command writes of conversations and of a transcript."""
    source, file = model / "chats.jsonl", model / "masks.jsonl"
    records = [{"messages": MESSAGES}] * 4 + [{"text": MESSAGES[3]["content"]}] * 4
    source.write_text("\n".join(map(json.dumps, records)), "utf-8")
    code, output, problems = cogwire_("mask", "--tokenizer", model, source)
    assert (code, problems) == (0, "")
    file.write_text(output, "utf-8")
    return file


def rows_in(masks):
    return [json.loads(line) for line in masks.read_text("utf-8").splitlines()]


def test_trl_trains_for_ten_steps_on_the_labels_of_the_mask(model, masks, tmp_path, capsys):
    """The program raises if a label is another one."""
    on_trl.main(str(model), str(masks), str(tmp_path))
    words = capsys.readouterr().out.splitlines()[-1].split()
    assert words[:2] == ["10", "steps,"]
    assert float(words[-1]) < float(words[-3])


def test_verl_takes_the_loss_where_the_mask_is_1(masks):
    """But for the first token, which nothing predicts: verl would count it for the row before."""
    config = SimpleNamespace(pad_mode="no_padding", max_length=4096)
    data = on_verl.Masked([str(masks)], None, config)
    rows = rows_in(masks)
    assert len(data) == len(rows)
    given = SFTTensorCollator(DatasetPadMode.NO_PADDING)([data[at] for at in range(len(data))])
    for row, ids, own in zip(rows, given["input_ids"], given["loss_mask"], strict=True):
        assert ids.tolist() == row["input_ids"]
        assert own.tolist() == [0, *row["assistant_masks"][1:]]
    assert rows[-1]["assistant_masks"][0] == 1
    # Of a token at a place the model predicts the next one, whose number is here its loss.
    predicted = [torch.tensor([*map(float, row["input_ids"][1:]), 1e6]) for row in rows]
    logs = torch.nested.as_nested_tensor([-each for each in predicted], layout=torch.jagged)
    batch = {"loss_mask": given["loss_mask"], "dp_size": 1, "batch_num_tokens": 1}
    loss, _ = sft_loss(None, {"log_probs": logs}, batch)
    trained = [
        number
        for row in rows
        for number, is_trained in zip(row["input_ids"][1:], row["assistant_masks"][1:], strict=True)
        if is_trained
    ]
    assert loss == sum(trained)


def test_rows_that_are_padded_are_refused(masks):
    config = SimpleNamespace(pad_mode="right", max_length=4096)
    with pytest.raises(ValueError, match="no_padding"):
        on_verl.Masked(str(masks), None, config)
