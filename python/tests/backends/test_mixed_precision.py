"""use_amp=True of the backend on PyTorch, beside torch.autocast; skipped where torch is missing."""

import re
from pathlib import Path

import pytest

import mithril as ml
from mithril import _core

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

F = torch.nn.functional

# Whose policy an op has that torch does not list under the name of its spelling.
STANDS_FOR = {
    "absolute_error": "l1_loss",
    "attention_weights": "matmul",
    "binary_cross_entropy": "binary_cross_entropy_with_logits",
    "conv1d": "conv1d",
    "conv2d_input_grad": "conv2d",
    "conv2d_weight_grad": "conv2d",
    "cross_entropy": "nll_loss",
    "ctc_loss_grad": "ctc_loss",
    "layer_norm_grad": "layer_norm",
    "log_softmax_grad": "log_softmax",
    "mean": "sum",  # the same sum, which may overflow in float16
    "pinv": "pinverse",  # its older name
    "prod_of_others": "prod",
    "robust_log_grad": "log",
    "softmax_grad": "softmax",
    "solve_triangular": "triangular_solve",  # its older name
    "square": "pow",  # aten::square is pow, which is listed
    "squared_error": "mse_loss",
    "variance": "sum",
}
# The CPU's list has names only; all that it has of these and cat is float32.
LOWER_ON_CPU = {"matmul", "linear", "conv1d", "conv2d", "scaled_dot_product_attention"}


def autocast_lists() -> dict[str, str]:
    """Returns the policy of each op that torch lists for CUDA, in the words of Mithril."""
    header = Path(torch.__file__).parent / "include" / "ATen" / "autocast_mode.h"
    policies: dict[str, str] = {}
    for macro, policy in (
        ("LOWER_PRECISION_FP", "lower"),
        ("FP32", "float32"),
        ("FP32_SET_OPT_DTYPE", "float32"),
        ("PROMOTE", "promote"),
    ):
        block = re.search(rf"define AT_FORALL_{macro}\(_\)((?:.*\\\n)*.*)", header.read_text())
        assert block is not None, macro
        names = re.findall(r"_\((\w+)[,)]", block.group(1))
        assert len(names) > 5, macro
        policies.update(dict.fromkeys(names, policy))
    return policies


def names_of(record: dict) -> set[str]:
    if record["op"] in STANDS_FOR:
        return {STANDS_FOR[record["op"]]}
    return set(re.findall(r"aten::(\w+)", record["spellings"].get("torch", "")))


RECORDS = [record for record in _core.library() if record["op"] and names_of(record)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record["op"])
def test_the_policy_of_an_op_is_that_of_torch(record: dict) -> None:
    lists = autocast_lists()
    policies = {lists.get(name, "promote") for name in names_of(record)} - {"promote"}
    expected = policies.pop() if policies else "promote"
    assert not policies, "its spelling mixes ops of several policies"
    listed = torch._C._dispatch_get_registrations_for_dispatch_key("AutocastCPU")
    on_cpu = {name.removeprefix("aten::").split(".")[0] for name in listed} & names_of(record)
    assert (expected == "lower") == bool(on_cpu & LOWER_ON_CPU)
    if on_cpu - LOWER_ON_CPU - {"cat"}:
        expected = "float32"
    assert record["cast"] == expected


# Numbers, beside the same model under torch.autocast.

ROUNDINGS = {torch.bfloat16: 2.0**-8, torch.float16: 2.0**-11}
on_devices = pytest.mark.parametrize(
    "device",
    [
        "cpu bfloat16",
        "cpu float16",
        pytest.param(
            "cuda float16",
            marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU"),
        ),
    ],
)


def drawn(*shape: int) -> "torch.Tensor":
    return torch.randn(shape, generator=torch.Generator().manual_seed(0))


def assert_near(ours: "torch.Tensor", theirs: "torch.Tensor", what: str, allowed: float) -> None:
    """Asserts that the difference is within a fraction of the largest element."""
    assert ours.dtype == torch.float32, what
    apart = (ours - theirs.float()).abs().max() / theirs.float().abs().max()
    assert apart <= allowed, f"{what}: {apart / allowed:.2f} of what is allowed"


def check(model: ml.Model, by_torch, shape: list[int], roundings: float, device: str) -> None:
    device, dtype = device.split()
    lower = getattr(torch, dtype)
    backend = ml.TorchBackend(device=device, use_amp=True, amp_dtype=lower)
    allowed = roundings * ROUNDINGS[lower]
    compiled = ml.compile(model, backend, shapes={"x": shape})
    params = compiled.get_parameters()
    assert {value.dtype for value in params.values()} == {torch.float32}
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(shape, generator=generator).to(device)
    leaves = {key: value.clone().requires_grad_() for key, value in params.items()}
    with torch.autocast(device, lower):
        expected = by_torch(leaves, x)
    g = torch.randn(expected.shape, generator=generator).to(device)
    state = compiled.initial_state_dict
    outputs, gradients, _ = compiled.evaluate(
        params, {"x": x}, output_gradients={"y": g}, state=state
    )
    expected.backward(g.to(expected.dtype))
    assert_near(outputs["y"], expected.detach(), "y", allowed)
    alone, _ = compiled.evaluate(params, {"x": x}, state=state)
    assert_near(alone["y"], expected.detach(), "y", allowed)
    for key, leaf in leaves.items():
        assert_near(gradients[key], leaf.grad, key, 2 * allowed)


@on_devices
def test_a_perceptron_is_that_of_autocast(device: str) -> None:
    model = ml.Model()
    model |= ml.Linear(32, name="first")(input="x")
    model += ml.Gelu()
    model += ml.Linear(5, name="last")(output="y")

    def by_torch(p: dict, x: "torch.Tensor") -> "torch.Tensor":
        hidden = F.gelu(F.linear(x, p["first.weight"], p["first.bias"]))
        return F.linear(hidden, p["last.weight"], p["last.bias"])

    check(model, by_torch, [16, 24], roundings=4, device=device)


@on_devices
def test_a_convolutional_network_is_that_of_autocast(device: str) -> None:
    model = ml.Model()
    model |= ml.Conv2d(kernel_size=3, filters=8, use_bias=False, name="first")(input="x")
    model += ml.BatchNorm2D(inference=False, name="norm")
    model += ml.Relu()
    model += ml.Conv2d(kernel_size=3, filters=4, name="second")
    model += ml.Flatten(start_dim=1)
    model += ml.Linear(5, name="last")(output="y")

    def by_torch(p: dict, x: "torch.Tensor") -> "torch.Tensor":
        x = F.conv2d(x, p["first.weight"])
        x = F.batch_norm(x, None, None, p["norm.weight"], p["norm.bias"], training=True)
        x = F.conv2d(F.relu(x), p["second.weight"], p["second.bias"])
        return F.linear(x.flatten(1), p["last.weight"], p["last.bias"])

    check(model, by_torch, [6, 3, 12, 12], roundings=4, device=device)


def transformer_block(heads: int, width: int) -> ml.Model:
    def split(x: ml.Connection) -> ml.Connection:
        tokens = x.shape[1]
        return x.reshape((-1, tokens, heads, width // heads)).transpose((0, 2, 1, 3))

    x = ml.IOKey("x")
    normed = ml.LayerNorm(name="norm_1")(x)
    # Softmax takes no notice of a bias of k: its gradient is nothing but rounding.
    q, k, v = (split(ml.Linear(width, use_bias=name != "k", name=name)(normed)) for name in "qkv")
    scores = ml.Softmax()((q @ k.transpose((0, 1, 3, 2))) / (width // heads) ** 0.5)
    mixed = (scores @ v).transpose((0, 2, 1, 3)).reshape((-1, x.shape[1], width))
    x = x + ml.Linear(width, name="out")(mixed)
    hidden = ml.Gelu()(ml.Linear(4 * width, name="up")(ml.LayerNorm(name="norm_2")(x)))
    return ml.Model.create(y=x + ml.Linear(width, name="down")(hidden))


@on_devices
def test_a_transformer_block_is_that_of_autocast(device: str) -> None:
    heads, width = 4, 32

    def by_torch(p: dict, x: "torch.Tensor") -> "torch.Tensor":
        def linear(name: str, x: "torch.Tensor") -> "torch.Tensor":
            return F.linear(x, p[f"{name}.weight"], p.get(f"{name}.bias"))

        def norm(name: str, x: "torch.Tensor") -> "torch.Tensor":
            return F.layer_norm(x, (width,), p[f"{name}.weight"], p[f"{name}.bias"])

        normed = norm("norm_1", x)
        q, k, v = (linear(n, normed).unflatten(-1, (heads, -1)).transpose(1, 2) for n in "qkv")
        scores = torch.softmax(q @ k.transpose(-1, -2) / (width // heads) ** 0.5, -1)
        x = x + linear("out", (scores @ v).transpose(1, 2).flatten(2))
        return x + linear("down", F.gelu(linear("up", norm("norm_2", x))))

    check(transformer_block(heads, width), by_torch, [3, 10, width], roundings=4, device=device)


def test_losses_are_computed_in_float32() -> None:
    model = ml.Model()
    model |= ml.Linear(7)(input="x", output="logits")
    model |= ml.CrossEntropy()(input="logits", target="target", output="losses")
    model |= ml.Mean()(input="losses", output="loss")
    model.expose_keys("logits", "loss")
    compiled = ml.compile(
        model, ml.TorchBackend(use_amp=True), shapes={"x": [8, 4]}, data_keys=["target"]
    )
    params = compiled.get_parameters()
    data = {"x": drawn(8, 4), "target": torch.arange(8) % 7}
    outputs = compiled.evaluate(params, data)
    # The logits are rounded to bfloat16, later values are not.
    assert torch.equal(outputs["logits"], outputs["logits"].bfloat16().float())
    expected = F.cross_entropy(outputs["logits"], data["target"])
    assert torch.allclose(outputs["loss"], expected, rtol=1e-6)
    assert outputs["loss"] != outputs["loss"].bfloat16().float()


@pytest.mark.parametrize(
    ("options", "dtype"),
    [
        ({}, "bfloat16"),
        ({"amp_dtype": torch.float16}, "float16"),
        ({"amp_dtype": ml.bfloat16},) * 2,
    ],
    ids=["default", "float16", "bfloat16"],
)
def test_amp_dtype_is_the_precision_of_products(options: dict, dtype: object) -> None:
    wanted = getattr(torch, dtype if isinstance(dtype, str) else "bfloat16")
    model = ml.Model()
    model |= ml.MatrixMultiply()(left="x", right="w", output="y")
    compiled = ml.compile(model, ml.TorchBackend(use_amp=True, **options), shapes={"x": [4, 3]})
    x, w = drawn(4, 3), drawn(3, 2)
    out = compiled.evaluate({"w": w}, {"x": x})["y"]
    assert torch.equal(out, (x.to(wanted) @ w.to(wanted)).float())


def test_autograd_fills_float32_gradients() -> None:
    model = ml.Model()
    model |= ml.Linear(3, name="only")(input="x", output="y")
    compiled = ml.compile(
        model, ml.TorchBackend(use_amp=True, requires_grad=True), shapes={"x": [4, 5]}
    )
    params = compiled.get_parameters()
    x = drawn(4, 5)
    compiled.evaluate(params, {"x": x})["y"].square().sum().backward()
    twin = {key: value.detach().clone().requires_grad_() for key, value in params.items()}
    with torch.autocast("cpu", torch.bfloat16):
        y = F.linear(x, twin["only.weight"], twin["only.bias"])
    y.float().square().sum().backward()
    for key, leaf in twin.items():
        assert params[key].grad.dtype == torch.float32
        assert_near(params[key].grad, leaf.grad, key, 4 * ROUNDINGS[torch.bfloat16])


@pytest.mark.slow
def test_training_converges_as_it_does_in_float32() -> None:
    model = ml.Model()
    model |= ml.Linear(32)(input="x")
    model += ml.Tanh()
    model += ml.Linear(1)(output="y")
    x = torch.rand(256, 2, generator=torch.Generator().manual_seed(0)) * 4 - 2
    target = torch.sin(x[:, :1]) * x[:, 1:]
    losses = {}
    for use_amp in (False, True):
        compiled = ml.compile(model, ml.TorchBackend(use_amp=use_amp), shapes={"x": [256, 2]})
        params = compiled.get_parameters(seed=1)
        optimizer = torch.optim.Adam(params.values(), lr=1e-2)
        for _ in range(400):
            error = compiled.evaluate(params, {"x": x})["y"] - target
            _, gradients = compiled.evaluate(
                params, {"x": x}, output_gradients={"y": 2 * error / 256}
            )
            for key, gradient in gradients.items():
                params[key].grad = gradient
            optimizer.step()
        losses[use_amp] = error.square().mean().item()
    assert losses[False] < 0.02
    assert losses[True] < 2 * losses[False] + 0.01


def test_a_dtype_that_is_not_lower_is_refused() -> None:
    with pytest.raises(ml.TypeError) as caught:
        ml.TorchBackend(use_amp=True, amp_dtype=torch.float32)
    assert str(caught.value) == (
        "mithril.TypeError[E0385]: amp_dtype is float32, which is not a lower precision\n"
        "  help: choose float16 or bfloat16"
    )
