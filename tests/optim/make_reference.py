"""Writes torch_reference.inc: where parameters stand after each step of PyTorch's optimizers.

    python tests/optim/make_reference.py > tests/optim/torch_reference.inc    (torch 2.11.0)

The gradient of each element is 2 * (i + 1) * (param - target), computed in the parameter's dtype.
"""

import torch

START = [1.0, -2.0, 0.5, 0.0]
TARGET = [0.25, 1.5, 0.5, -3.0]
STEPS = 6

CASES = [
    ("sgd", torch.optim.SGD, dict(lr=0.05)),
    ("sgd_momentum", torch.optim.SGD, dict(lr=0.05, momentum=0.9)),
    ("sgd_dampening", torch.optim.SGD, dict(lr=0.05, momentum=0.8, dampening=0.3)),
    ("sgd_nesterov", torch.optim.SGD, dict(lr=0.05, momentum=0.9, nesterov=True)),
    ("sgd_weight_decay", torch.optim.SGD, dict(lr=0.05, momentum=0.9, weight_decay=0.1)),
    ("adam", torch.optim.Adam, dict(lr=0.1)),
    ("adam_betas", torch.optim.Adam, dict(lr=0.1, betas=(0.7, 0.9), eps=1e-3)),
    ("adam_weight_decay", torch.optim.Adam, dict(lr=0.1, weight_decay=0.2)),
    ("adamw", torch.optim.AdamW, dict(lr=0.1)),
    ("adamw_weight_decay", torch.optim.AdamW, dict(lr=0.1, weight_decay=0.5, betas=(0.8, 0.99))),
]


def positions(optimizer_class, options, dtype):
    param = torch.nn.Parameter(torch.tensor(START, dtype=dtype))
    target = torch.tensor(TARGET, dtype=dtype)
    weight = 2 * torch.arange(1, len(START) + 1, dtype=dtype)
    optimizer = optimizer_class([param], **options)
    for _ in range(STEPS):
        param.grad = weight * (param.detach() - target)
        optimizer.step()
        yield param.detach().tolist()


version = torch.__version__.split("+")[0]
print(f"// Made by tests/optim/make_reference.py with PyTorch {version}.")
for name, optimizer_class, options in CASES:
    for dtype in (torch.float64, torch.float32):
        rows = ",\n     ".join(
            "{" + ", ".join(repr(value) for value in row) + "}"
            for row in positions(optimizer_class, options, dtype)
        )
        print(f'{{"{name}", DType::{str(dtype).split(".")[1]},\n    {{{rows}}}}},')
