"""Complex tensors inside of models that are converted; skipped where torch is missing."""

from collections.abc import Callable

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from from_torch_agreement import as_double, assert_same  # noqa: E402
from from_torch_cases import Case, Of, normal  # noqa: E402
from torch import fft, nn  # noqa: E402

X = normal(2, 3, 8)
MASK = normal(2, 3, 8) > 0
WINDOW = torch.hann_window(4, dtype=torch.float64)
WIDE = torch.complex(normal(3, 8), normal(3, 8))


def z(x: torch.Tensor) -> torch.Tensor:
    """Makes complex numbers of x."""
    return torch.complex(x, x.flip(-1) * 0.7 + 0.1)


def real(x: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(x)


def scattered(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros(2, 3, 8, dtype=z(x).dtype)
    y[:, :, :5] = z(x)[:, :, 3:]
    y[0, 1] = z(x)[1, 0] * 2j
    return real(y)


FUNCTIONS: dict[str, Callable] = {
    # transforms
    "fft": lambda x: real(fft.fft(x)),
    "fft, cut": lambda x: real(fft.fft(z(x), n=5, norm="ortho")),
    "fft, filled": lambda x: real(fft.fft(z(x), n=11, dim=1, norm="forward")),
    "ifft": lambda x: real(fft.ifft(z(x)) + fft.ifft(x, dim=0, norm="ortho")),
    "rfft": lambda x: real(fft.rfft(x)),
    "rfft, odd": lambda x: real(fft.rfft(x, n=7, norm="ortho") * 2),
    "irfft": lambda x: fft.irfft(z(x)),
    "irfft, odd": lambda x: fft.irfft(z(x), n=9, dim=1, norm="forward"),
    "fft2": lambda x: fft.fft2(x).real + fft.ifft2(z(x)).imag,
    "rfft2": lambda x: fft.irfft2(fft.rfft2(x) * 2, s=x.shape[-2:]),
    "fftn": lambda x: real(fft.fftn(x) + fft.ifftn(z(x), dim=(0, 2), norm="ortho")),
    "rfftn": lambda x: fft.irfftn(fft.rfftn(x, dim=(0, 1)), s=(2, 3), dim=(0, 1)),
    "hfft": lambda x: fft.hfft(z(x), n=9) + fft.ihfft(x).real.sum(),
    "fftshift": lambda x: real(fft.fftshift(fft.fft(x)) + fft.ifftshift(z(x))),
    "stft": lambda x: torch.stft(x[0], 4, window=WINDOW, return_complex=True).abs(),
    # parts
    "real": lambda x: z(x).real * z(x).imag,
    "abs": lambda x: z(x).abs() + (z(x) * 1e200).abs() / 1e200,
    "abs of 0": lambda x: z(x * 0 - 0.1 / 0.7 * 0).abs() * x,
    "angle": lambda x: z(x).angle() + x.angle(),
    "angle of 0": lambda x: torch.complex(x * 0, x * 0).angle() + x,
    "polar": lambda x: real(torch.polar(x.exp(), x) * torch.polar(x[0].abs(), x)),
    "view_as_complex": lambda x: real(torch.view_as_complex(x.reshape(2, 3, 4, 2)) * 1j),
    "conj": lambda x: (z(x) * z(x).conj()).real + real(z(x).conj().resolve_conj())[..., 1],
    "complex of two shapes": lambda x: real(torch.complex(x, x[0, 0])),
    # arithmetic
    "mul": lambda x: real(z(x) * z(x).flip(0) * 2 * x * WIDE),
    "mul by a number": lambda x: real(x * (1 + 2j) + z(x) * 0.5j),
    "add": lambda x: real(z(x) + x - 2 + (1 - 3j) - WIDE),
    "sub": lambda x: real(torch.sub(x, z(x), alpha=2) + torch.rsub(z(x), 1)),
    "div": lambda x: real(z(x) / z(x).flip(0) + x / z(x) + z(x) / 3 + z(x) / (1 + x * x)),
    "div by a number": lambda x: real(z(x) / (2 - 1j) + (1 / z(x)) + z(x).reciprocal()),
    "square": lambda x: real(z(x) ** 2 + z(x).square() - z(x) ** 3 + -z(x)),
    "exp": lambda x: real(z(x).exp() + z(x).log()),
    "norm": lambda x: z(x).norm(dim=1) + torch.linalg.vector_norm(z(x)),
    "sum": lambda x: real(z(x).sum(-1) + z(x).mean(-1) + z(x).cumsum(1)[..., 0]),
    "matmul": lambda x: real(z(x) @ z(x).mT @ WIDE[:, :3]),
    "einsum": lambda x: real(torch.einsum("bix,iox->box", z(x), z(x)[..., None, :][1].mT.mT)),
    "linear": lambda x: real(nn.functional.linear(z(x), WIDE, WIDE[:, 0])),
    # shapes
    "reshape": lambda x: real(z(x).reshape(6, -1).t()[None].permute(2, 0, 1).squeeze(1)),
    "cut": lambda x: real(z(x)[:, 1:, ::3] + z(x).chunk(2, -1)[0][:, :1, :3]),
    "cat": lambda x: real(torch.cat((z(x), x, x.long()), 1) + torch.stack([z(x)] * 9, 1)[:, :, 0]),
    "pad": lambda x: real(
        nn.functional.pad(z(x), (1, 2)) + nn.functional.pad(z(x), (3, 0), value=2)
    ),
    "where": lambda x: real(torch.where(MASK, z(x), WIDE) + z(x).masked_fill(MASK, 2)),
    "expand": lambda x: real(z(x)[:1].expand(4, 3, 8) + z(x).sum(0).repeat(4, 1, 1)),
    "flip": lambda x: real(z(x).flip(1) + z(x).roll(3, -1) + z(x)[[1, 0]]),
    "filled": lambda x: real(z(x) + torch.zeros_like(z(x)) + torch.ones_like(z(x))),
    "full": lambda x: real(torch.full((8,), 1 - 2j, dtype=WIDE.dtype) * x + x.to(WIDE.dtype)),
    "scattered": scattered,
    "detached": lambda x: real(z(x).detach() * z(x).clone()),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.sampled(5)
def test_functions_are_the_same(name: str) -> None:
    assert_same(Case(lambda: Of(FUNCTIONS[name]), (X,)))


class FNet(nn.Module):
    """The mixing layer of FNet (https://arxiv.org/abs/2105.03824)."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.mlp = (
            nn.LayerNorm(8),
            nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8)),
        )

    def forward(self, x):
        x = self.norm(x + fft.fft2(x).real)
        return x + self.mlp(x)


class SpectralConvolution(nn.Module):
    """The convolution of a Fourier neural operator (https://arxiv.org/abs/2010.08895)."""

    def __init__(self, channels: int, modes: int) -> None:
        super().__init__()
        self.modes = modes
        self.weight = nn.Parameter(
            torch.rand(channels, channels, modes, dtype=torch.cfloat) / channels**2
        )

    def forward(self, x):
        bins = fft.rfft(x)
        output = torch.zeros(*bins.shape, dtype=bins.dtype)
        output[:, :, : self.modes] = torch.einsum(
            "bix,iox->box", bins[:, :, : self.modes], self.weight
        )
        return fft.irfft(output, n=x.size(-1))


def test_fnet_is_the_same() -> None:
    assert_same(Case(FNet, (X,)))


def converted(module: nn.Module, *inputs: torch.Tensor, **options: object) -> tuple:
    model, params = ml.from_torch(module, inputs, **options)
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64))
    return model, params, ml.as_torch_module(compiled, params)


def test_a_spectral_convolution_is_the_same() -> None:
    module = SpectralConvolution(3, 4).to(torch.complex128)
    model, params, ours = converted(module, X)
    assert params["weight"].shape == (3, 3, 4, 2)
    assert params["weight"].data_ptr() == module.weight.data_ptr()
    expected, got = module(X), ours(X)
    assert torch.allclose(got, expected, 1e-10, 1e-10)
    upstream = torch.randn_like(expected)
    expected.backward(upstream)
    got.backward(upstream)
    theirs = torch.view_as_real(module.weight.grad)
    assert torch.allclose(params["weight"].grad, theirs, 1e-10, 1e-10)
    on_cpu = ml.compile(model, ml.CpuBackend(dtype=ml.float64))
    result = on_cpu.evaluate({"weight": params["weight"].detach().numpy()}, {"x": X.numpy()})
    assert torch.allclose(torch.as_tensor(result["output"]), expected.detach(), 1e-10, 1e-10)


@pytest.mark.slow
def test_a_spectral_convolution_takes_rows_of_any_length() -> None:
    module = SpectralConvolution(3, 4).to(torch.complex128)
    axes = {"x": {0: "N", 2: "L"}}
    *_, ours = converted(module, X, dynamic_shapes=axes)
    for sizes in ((2, 3, 8), (4, 3, 11), (1, 3, 30)):
        x = torch.randn(*sizes, dtype=torch.float64)
        assert torch.allclose(ours(x), module(x), 1e-10, 1e-10)


class Rotary(nn.Module):
    """Positions as Llama writes them, with a complex buffer."""

    def __init__(self, persistent: bool) -> None:
        super().__init__()
        angles = torch.outer(torch.arange(3.0), 10000 ** (-torch.arange(0, 8, 2) / 8)).double()
        self.register_buffer("turns", torch.polar(torch.ones_like(angles), angles), persistent)

    def forward(self, x):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * self.turns).flatten(-2)


@pytest.mark.parametrize("persistent", [False, True])
def test_complex_buffers_are_pairs(persistent: bool) -> None:
    module = Rotary(persistent)
    *_, ours = converted(module, X)
    assert torch.allclose(ours(X), module(X), 1e-10, 1e-10)


def test_complex_inputs_and_outputs_are_pairs() -> None:
    model, _, ours = converted(Of(lambda x: (x * x, x.abs())), WIDE)
    assert model["x"].known_shape == [3, 8, 2]
    outputs = ours(torch.view_as_real(WIDE))
    square, size = outputs["output_0"], outputs["output_1"]
    assert torch.allclose(torch.view_as_complex(square), WIDE * WIDE)
    assert torch.allclose(size, WIDE.abs())


REFUSED = {
    "sqrt": (lambda x: z(x).sqrt().real, "aten.sqrt: of complex numbers"),
    "pow": (lambda x: (z(x) ** 0.5).real, "aten.pow: of complex numbers, but for whole powers"),
    "tanh": (lambda x: torch.tanh(z(x)).real, "aten.tanh: of complex numbers"),
    "eq": (lambda x: (z(x) == z(x)) * x, "aten.eq: of complex numbers"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_functions_are_refused(name: str) -> None:
    function, message = REFUSED[name]
    with pytest.raises(ml.ValueError) as caught:
        ml.from_torch(Of(function), X)
    assert message in str(caught.value)


@pytest.mark.parametrize("backend", [ml.CpuBackend, ml.TorchBackend])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.sampled(3)
def test_half_precision_rounds_once(dtype: str, backend: type) -> None:
    function = lambda x: fft.irfft(fft.rfft(x, norm="ortho") * z(x)[..., :5]).abs()  # noqa: E731
    model, _ = ml.from_torch(Of(function), X.float())
    narrow = getattr(torch, dtype)
    x = X.to(narrow)
    compiled = ml.compile(model, backend(dtype=getattr(ml, dtype)), shapes={"x": list(X.shape)})
    given = x if backend is ml.TorchBackend else x.float().numpy()
    (made,) = compiled.evaluate({}, {"x": given}).values()
    got = as_double(made)
    expected = function(x.double())
    assert (got - expected).abs().max() <= 8 * torch.finfo(narrow).eps * expected.abs().max()
