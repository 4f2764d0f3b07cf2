"""Training: optimizers, steps of training, `fit`."""
