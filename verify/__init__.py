"""Everything that must hold, in parts that run beside each other; see `make help`."""
