"""Writes torch_reference.inc: where parameters stand after each step of PyTorch's optimizers.

A case is a name, a class of PyTorch (or one that is written here, under the name of Mithril's), and
options in the order of the record.

    python tests/optim/make_reference.py > tests/optim/torch_reference.inc    (torch 2.11.0)

The gradient of each element is 2 * (i + 1) * (param - target), computed in the parameter's dtype.
"""

import torch

START = [1.0, -2.0, 0.5, 0.0]
TARGET = [0.25, 1.5, 0.5, -3.0]
STEPS = 6


class Lion(torch.optim.Optimizer):
    """Algorithm 2 of "Symbolic discovery of optimization algorithms" (arXiv 2302.06675)."""

    def __init__(self, params, lr, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            (theta,), lr, decay = group["params"], group["lr"], group["weight_decay"]
            beta1, beta2 = group["betas"]
            m = self.state[theta].setdefault("m", torch.zeros_like(theta))
            c = beta1 * m + (1 - beta1) * theta.grad
            theta -= lr * (torch.sign(c) + decay * theta)
            m.copy_(beta2 * m + (1 - beta2) * theta.grad)


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
    ("adamw_weight_decay", torch.optim.AdamW, dict(lr=0.1, betas=(0.8, 0.99), weight_decay=0.5)),
    ("nadam", torch.optim.NAdam, dict(lr=0.1)),
    (
        "nadam_decoupled",
        torch.optim.NAdam,
        dict(
            lr=0.1,
            betas=(0.8, 0.99),
            weight_decay=0.3,
            momentum_decay=0.02,
            decoupled_weight_decay=True,
        ),
    ),
    ("nadam_weight_decay", torch.optim.NAdam, dict(lr=0.1, eps=1e-3, weight_decay=0.2)),
    ("rmsprop", torch.optim.RMSprop, dict(lr=0.05)),
    (
        "rmsprop_centered",
        torch.optim.RMSprop,
        dict(lr=0.05, alpha=0.9, eps=1e-3, centered=True),
    ),
    (
        "rmsprop_momentum",
        torch.optim.RMSprop,
        dict(lr=0.05, alpha=0.9, eps=1e-3, weight_decay=0.1, momentum=0.8, centered=True),
    ),
    ("rmsprop_buffer", torch.optim.RMSprop, dict(lr=0.05, momentum=0.8)),
    ("adagrad", torch.optim.Adagrad, dict(lr=0.1)),
    (
        "adagrad_decay",
        torch.optim.Adagrad,
        dict(lr=0.1, lr_decay=0.1, weight_decay=0.2, initial_accumulator_value=0.5, eps=1e-3),
    ),
    ("lion", Lion, dict(lr=0.1)),
    ("lion_weight_decay", Lion, dict(lr=0.1, betas=(0.8, 0.95), weight_decay=0.5)),
]


def positions(optimizer_class, options, dtype):
    torch.set_default_dtype(dtype)  # of the numbers that NAdam keeps
    param = torch.nn.Parameter(torch.tensor(START, dtype=dtype))
    target = torch.tensor(TARGET, dtype=dtype)
    weight = 2 * torch.arange(1, len(START) + 1, dtype=dtype)
    optimizer = optimizer_class([param], **options)
    for _ in range(STEPS):
        param.grad = weight * (param.detach() - target)
        optimizer.step()
        yield param.detach().tolist()


def literal(value):
    if isinstance(value, tuple):
        return "{" + ", ".join(map(literal, value)) + "}"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def rows(optimizer_class, options, dtype):
    text = ",\n     ".join(
        "{" + ", ".join(map(repr, row)) + "}" for row in positions(optimizer_class, options, dtype)
    )
    return f"{{{text}}}"


version = torch.__version__.split("+")[0]
print(f"// Made by tests/optim/make_reference.py with PyTorch {version}.")
for name, optimizer_class, options in CASES:
    kind = optimizer_class.__name__
    given = ", ".join(f".{key} = {literal(value)}" for key, value in options.items())
    print(f'{{"{name}",\n    [] {{ return std::make_unique<{kind}>({kind}Options{{{given}}}); }},')
    doubles = rows(optimizer_class, options, torch.float64)
    floats = rows(optimizer_class, options, torch.float32)
    print(f"    {doubles},\n    {floats}}},")
