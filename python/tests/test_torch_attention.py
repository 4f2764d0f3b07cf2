"""Attention that a module of torch writes out runs as one kernel where nothing is trained."""

import math

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
nn = torch.nn

FUSED = "aten::scaled_dot_product_attention"


class Attention(nn.Module):
    """Of heads, as many write it; `mask` says how keys are left out."""

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
def test_written_out_attention_runs_as_one_kernel(mask: str, bound: bool) -> None:
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
