"""The recipes for trainers train what the mask says, with the packages themselves.

The tokenizer is made here, so that the models are small.  axolotl's details of messages are in `data`.
"""

import importlib
import json
from pathlib import Path

import pyarrow as pa
import pytest
import torch
import verl
import yaml
from examples.masks import on_trl, on_verl
from omegaconf import OmegaConf
from pyarrow import parquet
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoTokenizer
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


def labels_of(row):
    """Return the label of each token; nothing predicts the first one."""
    pairs = zip(row["input_ids"][1:], row["assistant_masks"][1:], strict=True)
    return [-100, *(one if own else -100 for one, own in pairs)]


def test_trl_trains_for_ten_steps_on_the_labels_of_the_mask(model, masks, tmp_path, capsys):
    """The program raises if a label is another one."""
    on_trl.main(str(model), str(masks), str(tmp_path))
    words = capsys.readouterr().out.splitlines()[-1].split()
    assert words[:2] == ["10", "steps,"]
    assert float(words[-1]) < float(words[-3])


def test_axolotl_takes_the_labels_of_the_mask(model, tmp_path, monkeypatch):
    for name in ("AXOLOTL_DO_NOT_TRACK", "AXOLOTL_IS_PREPROCESS"):
        monkeypatch.setenv(name, "1")
    axolotl = importlib.import_module("axolotl.utils.data.sft")
    recipe = yaml.safe_load(Path(on_trl.__file__).with_name("axolotl.yaml").read_text("utf-8"))
    _, masks, _ = cogwire_("mask", "--tokenizer", model, "--labels", model / "chats.jsonl")
    (tmp_path / "train.jsonl").write_text(masks, "utf-8")
    monkeypatch.chdir(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(model)
    config = {"sequence_len": 4096, "dataset_prepared_path": "prepared", "val_set_size": 0}
    config = axolotl.DictDefault({**recipe, **config, "dataset_num_proc": 1})
    data = axolotl.prepare_datasets(config, tokenizer)[0]
    for row, prepared in zip(rows_in(tmp_path / "train.jsonl"), data, strict=True):
        assert prepared["input_ids"] == row["input_ids"]
        assert prepared["labels"] == labels_of(row)
        assert prepared["attention_mask"] == [1] * len(row["input_ids"])


def options_of_verl(**changes):
    """Return verl's own options of data, and these."""
    own = Path(verl.__file__).parent / "trainer" / "config" / "sft_trainer_engine.yaml"
    return OmegaConf.merge(OmegaConf.load(own).data, changes)


def test_verl_takes_the_loss_where_the_mask_is_1(masks):
    """But for the first token, which nothing predicts: verl would count it for the row before."""
    data = on_verl.Masked([str(masks)], None, options_of_verl())
    rows = rows_in(masks)
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
    assert loss == sum(one for row in rows for one in labels_of(row)[1:] if one >= 0)


def test_verl_refuses_rows_that_are_padded_or_too_long_and_cuts_them_if_asked(masks, tmp_path):
    rows = rows_in(masks)
    short = max(len(row["input_ids"]) for row in rows) - 1
    as_parquet = tmp_path / "masks.parquet"
    parquet.write_table(pa.Table.from_pylist(rows[:4]), as_parquet)
    for reason, changes in [("no_padding", {"pad_mode": "right"}), (f" {short + 1} tokens", {})]:
        with pytest.raises(ValueError, match=reason):
            on_verl.Masked(str(masks), None, options_of_verl(max_length=short, **changes))
    for file, truncation, part in [
        (masks, "right", slice(short)),
        (as_parquet, "left", slice(1, None)),
    ]:
        config = options_of_verl(max_length=short, truncation=truncation)
        data = on_verl.Masked(str(file), None, config, max_samples=2)
        ids, mask = (rows[0][name][part] for name in ("input_ids", "assistant_masks"))
        assert (len(data), data[0]["input_ids"].tolist()) == (2, ids)
        assert data[0]["loss_mask"].tolist() == [0, *mask[1:]]
