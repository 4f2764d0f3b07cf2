"""The tables of `ml.from_torch` by topic: operators of ATen and what they become."""
