"""Train with trl on what `cogwire mask --tokenizer` wrote: `python on_trl.py MODEL MASKS FOLDER`.

The model has random weights, so that ten steps run on any machine; yours is `from_pretrained`.
"""

import sys

from datasets import load_dataset
from transformers import AutoTokenizer, Qwen3Config, Qwen3ForCausalLM
from trl import SFTConfig, SFTTrainer

SIZES = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "head_dim": 16}


def main(model: str, masks: str, folder: str) -> None:
    """Train for ten steps, and check that each label is what the mask says."""
    tokenizer = AutoTokenizer.from_pretrained(model)
    config = Qwen3Config(
        vocab_size=len(tokenizer), num_attention_heads=4, num_key_value_heads=2, **SIZES
    )
    data = load_dataset("json", data_files=masks, split="train")
    trainer = SFTTrainer(
        model=Qwen3ForCausalLM(config),
        args=SFTConfig(
            output_dir=folder,
            max_steps=10,
            learning_rate=1e-2,
            logging_steps=1,
            max_length=None,
            per_device_train_batch_size=2,
            report_to="none",
            use_cpu=True,
        ),
        train_dataset=data,
        processing_class=tokenizer,
    )
    for row, prepared in zip(data, trainer.train_dataset, strict=True):
        pairs = zip(row["input_ids"], row["assistant_masks"], strict=True)
        if prepared["labels"] != [one if trained else -100 for one, trained in pairs]:
            raise ValueError(f"row {row['row']} has other labels than its mask says")
    trainer.train()
    losses = [each["loss"] for each in trainer.state.log_history if "loss" in each]
    print(f"{len(losses)} steps, loss {losses[0]:.2f} to {losses[-1]:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
