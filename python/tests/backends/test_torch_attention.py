"""Attention that a module of torch writes out runs as one kernel where nothing is trained."""

import math

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
nn = torch.nn

FUSED = "aten::scaled_dot_product_attention"


class Attention(nn.Module):
    """Multi-head attention as many modules write it; `mask` says how keys are masked."""

    def __init__(self, mask: str = "none", width: int = 12, heads: int = 3) -> None:
        super().__init__()
        self.mask, self.heads = mask, heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.softmax, self.dropout = nn.Softmax(dim=-1), nn.Dropout(0.1)
        self.register_buffer("lower", torch.ones(7, 7).tril())

    def forward(self, x: torch.Tensor, keep: torch.Tensor | None = None) -> torch.Tensor:
        samples, length, width = x.shape
        split = (samples, length, self.heads, width // self.heads)
        parts = self.qkv(x).split(width, dim=-1)
        q, k, v = (parts[i].reshape(split).transpose(1, 2) for i in range(3))
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        if self.mask == "filled":
            scores = scores.masked_fill(keep[:, None, None] == 0, -math.inf)
        if self.mask == "added":
            scores = scores + (1.0 - keep[:, None, None]) * -10000.0
        if self.mask == "causal":
            scores = scores.masked_fill(self.lower == 0, -math.inf)
        weights = self.dropout(self.softmax(scores))
        return self.out((weights @ v).transpose(1, 2).reshape(samples, length, width))


def kernels(compiled: ml.CompiledModel, params: dict, data: dict) -> list[str]:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        compiled.evaluate(params, data)
    return [event.key for event in profile.key_averages()]


def inputs(mask: str, samples: int) -> dict[str, torch.Tensor]:
    data = {"x": torch.randn(samples, 7, 12)}
    if mask in {"filled", "added"}:
        data["keep"] = (torch.rand(samples, 7) < 0.5).float()
        data["keep"][:1] = 0.0  # nothing is left
    return data


@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("mask", ["none", "filled", "added", "causal"])
@pytest.mark.sampled(3)
def test_attention_that_is_composed_of_ops_runs_as_one_kernel(mask: str, bound: bool) -> None:
    torch.manual_seed(3)
    module = Attention(mask).eval()
    names = list(inputs(mask, 1))
    model, params = ml.from_torch(module, inputs(mask, 2), {name: ["N"] for name in names})
    compiled = ml.compile(model, ml.TorchBackend(), data_keys=names, inference=not bound)
    if bound:
        assert FUSED not in kernels(compiled, params, inputs(mask, 2))
        compiled, params = compiled.bind(params), {}
    assert FUSED in kernels(compiled, params, inputs(mask, 2))
    for samples in (1, 3, 0):
        data = inputs(mask, samples)
        with torch.no_grad():
            expected = module(**data)
        torch.testing.assert_close(
            compiled.evaluate(params, data)["output"],
            expected,
            atol=1e-5,
            rtol=1e-5,
            equal_nan=True,
        )


def test_training_keeps_the_weights_of_attention() -> None:
    torch.manual_seed(4)
    module = Attention().eval()
    x, upstream = torch.randn(2, 7, 12), torch.randn(2, 7, 12)
    model, params = ml.from_torch(module, x)
    compiled = ml.compile(model, ml.TorchBackend(), data_keys=["x"])
    _, gradients = compiled.evaluate(params, {"x": x}, output_gradients={"output": upstream})
    (module(x) * upstream).sum().backward()
    for name, parameter in module.named_parameters():
        torch.testing.assert_close(gradients[name], parameter.grad, atol=1e-5, rtol=1e-5)


def test_a_hook_sees_the_scores_of_attention_that_ran_as_one_kernel() -> None:
    x = torch.randn(2, 7, 12)
    model, params = ml.from_torch(Attention().eval(), x)
    compiled = ml.compile(model, ml.TorchBackend(), data_keys=["x"], inference=True)
    before = compiled.evaluate(params, {"x": x})["output"]
    assert FUSED in kernels(compiled, params, {"x": x})
    seen: list[torch.Tensor] = []
    handle = compiled.register_hook("softmax.output", seen.append)
    after = compiled.evaluate(params, {"x": x})["output"]
    torch.testing.assert_close(after, before)
    torch.testing.assert_close(seen[0].sum(-1), torch.ones(2, 3, 7))
    handle.remove()
    assert FUSED in kernels(compiled, params, {"x": x})


def self_attention(is_causal: bool) -> ml.Model:
    model = ml.Model()
    model |= ml.Multiply()(left="one", right="q", output="query")  # so that q is a parameter
    attention = ml.ScaledDotProduct(is_causal=is_causal)
    model |= attention(query="query", key="k", value="v", output="y")
    return model


ONE = {"one": torch.ones(1)}


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize(
    "size", [(2, 3, 7, 8), (3, 5, 16), (1, 2, 1, 4), (2, 0, 8), (2, 300, 8), (1, 2, 257, 5)]
)
def test_the_gradient_of_attention_is_that_of_float64(size: tuple[int, ...], is_causal: bool):
    compiled = {
        dtype: ml.compile(
            self_attention(is_causal),
            ml.TorchBackend(dtype=dtype),
            shapes={"one": [1], **{key: list(size) for key in "qkv"}},
        )
        for dtype in (torch.float32, torch.float64)
    }
    params = {key: torch.randn(size, dtype=torch.float64) for key in "qkv"}
    incoming = torch.randn(size, dtype=torch.float64)
    _, expected = compiled[torch.float64].evaluate(params, ONE, output_gradients={"y": incoming})
    narrow = {key: value.float() for key, value in params.items()}
    turned = {key: value.mT.contiguous().mT for key, value in narrow.items()}  # other strides
    for given in (narrow, turned):
        _, found = compiled[torch.float32].evaluate(
            given, ONE, output_gradients={"y": incoming.float()}
        )
        for key, gradient in expected.items():
            assert torch.allclose(found[key].double(), gradient, rtol=1e-4, atol=1e-5), key


@pytest.mark.parametrize("requires_grad", [False, True])
def test_the_gradient_of_attention_keeps_no_weight_for_each_pair(requires_grad: bool):
    size = (1, 1, 2048, 8)
    backend = ml.TorchBackend(requires_grad=requires_grad)
    shapes = {"one": [1], **{key: list(size) for key in "qkv"}}
    compiled = ml.compile(self_attention(True), backend, shapes=shapes)
    params = compiled.get_parameters()
    if requires_grad:
        compiled.evaluate(params, ONE)["y"].sum().backward()
    else:
        compiled.evaluate(params, ONE, output_gradients={"y": torch.ones(size)})
    scores = 4 * size[2] ** 2
    assert backend.get_memory_stats()["peak"] < scores / 2
