"""What `cogwire mask --tokenizer` wrote, as a data set of verl (`data.custom_cls`)."""

from typing import Any

import torch
from datasets import load_dataset
from torch.utils.data import Dataset


class Masked(Dataset[dict[str, torch.Tensor]]):
    """The rows of `data.train_files`, JSON Lines or Parquet, for `data.pad_mode=no_padding`."""

    def __init__(
        self,
        parquet_files: Any,
        tokenizer: Any,
        config: Any,
        *,
        max_samples: int = -1,
        **options: Any,
    ) -> None:
        """Take what verl passes to each class of data sets."""
        del tokenizer, options
        if config.pad_mode != "no_padding":
            raise ValueError("these rows are not padded; set data.pad_mode=no_padding")
        files = [parquet_files] if isinstance(parquet_files, str) else list(parquet_files)
        kind = "parquet" if files[0].endswith(".parquet") else "json"
        rows = load_dataset(kind, data_files=files, split="train")
        self.rows = rows.select(range(max_samples)) if 0 < max_samples < len(rows) else rows
        size = config.max_length
        longest = max(map(len, self.rows["input_ids"]), default=0)
        if config.truncation == "error" and longest > size:
            raise ValueError(
                f"a row has {longest} tokens, more than data.max_length={size}: raise it, or have "
                "rows cut with data.truncation=right"
            )
        self.kept = slice(-size, None) if config.truncation == "left" else slice(size)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> dict[str, torch.Tensor]:
        """Return a row, whose loss verl takes where the mask is 1."""
        row = self.rows[place]
        ids = torch.tensor(row["input_ids"][self.kept])
        mask = torch.tensor(row["assistant_masks"][self.kept])
        # Nothing predicts the first token: its loss would be taken of the row before.
        mask[:1] = 0
        return {"input_ids": ids, "position_ids": torch.arange(len(ids)), "loss_mask": mask}
