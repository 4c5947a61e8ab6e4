"""What `cogwire mask --tokenizer` wrote, as a data set of verl (`data.custom_cls`)."""

from typing import Any

import torch
from datasets import load_dataset
from torch.utils.data import Dataset


class Masked(Dataset[dict[str, torch.Tensor]]):
    """The rows of `data.train_files`, which are JSON Lines, for `data.pad_mode=no_padding`."""

    def __init__(self, parquet_files: Any, tokenizer: Any, config: Any, **options: Any) -> None:
        """Take what verl passes to each class of data sets."""
        del tokenizer, options
        if config.pad_mode != "no_padding":
            raise ValueError("these rows are not padded; set data.pad_mode=no_padding")
        files = [parquet_files] if isinstance(parquet_files, str) else list(parquet_files)
        data = load_dataset("json", data_files=files, split="train")
        self.rows = data.filter(lambda row: len(row["input_ids"]) <= config.max_length)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> dict[str, torch.Tensor]:
        """Return a row, whose loss verl takes where the mask is 1."""
        row = self.rows[place]
        ids = torch.tensor(row["input_ids"])
        # Nothing predicts the first token: its loss would be taken of the row before.
        mask = torch.tensor([0, *row["assistant_masks"][1:]])
        return {"input_ids": ids, "position_ids": torch.arange(len(ids)), "loss_mask": mask}
