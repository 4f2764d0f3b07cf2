"""Operators of Core ATen that `ml.from_torch` converts, on samples of torch's own tests: values and
gradients. Skipped where torch or what its samples need is missing."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")
pytest.importorskip("expecttest", reason="torch's samples need expecttest")

from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

# torch's tests freeze the flags of torch.backends for the whole process, which other tests set.
torch.backends.flags_frozen.__globals__["__allow_nonbracketed_mutation_flag"] = True
ml.TorchBackend()
from mithril.from_torch.registry import has_row  # noqa: E402

aten, nn, F = torch.ops.aten, torch.nn, torch.nn.functional

# Operators of Core ATen that no graph for a model contains, or whose results have sizes that depend
# on elements.
WITHOUT_ROW = {
    *("_adaptive_avg_pool2d_backward.default", "avg_pool2d_backward.default"),
    *("convolution_backward.default", "embedding_dense_backward.default"),
    *("max_pool2d_with_indices_backward.default", "native_group_norm_backward.default"),
    *("native_layer_norm_backward.default", "_native_batch_norm_legit.default"),
    *("sym_storage_offset.default", "sym_stride.int", "atan2.out", "nonzero.default"),
}


def core_operators() -> Iterator[Any]:
    for name in dir(aten):
        packet = getattr(aten, name)
        for overload in packet.overloads() if hasattr(packet, "overloads") else ():
            operator = getattr(packet, overload)
            if torch.Tag.core in operator.tags:
                yield operator


def name_of(operator: Any) -> str:
    return str(operator).removeprefix("aten.")


CORE = {name_of(operator): operator for operator in core_operators()}


def test_core_operators_have_rows() -> None:
    assert {name for name, value in CORE.items() if not has_row(value)} == WITHOUT_ROW
    assert len(CORE) - len(WITHOUT_ROW) >= 177


class Call(nn.Module):
    """A call of a function, whose tensors are the inputs."""

    def __init__(self, function: Callable, leaves: list, spec: Any) -> None:
        super().__init__()
        self._function, self._spec, self._leaves = function, spec, leaves
        self._places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def inputs(self) -> tuple:
        return tuple(self._leaves[i] for i in self._places)

    def forward(self, *tensors: Any) -> Any:
        leaves = list(self._leaves)
        for i, tensor in zip(self._places, tensors, strict=True):
            leaves[i] = tensor
        args, kwargs = pytree.tree_unflatten(leaves, self._spec)
        return self._function(*args, **kwargs)


# Names of torch's tests where they differ from the operator's.
NAMES = {
    "_adaptive_avg_pool2d": "nn.functional.adaptive_avg_pool2d",
    "_adaptive_avg_pool3d": "nn.functional.adaptive_avg_pool3d",
    "_cdist_forward": "cdist",
    "_log_softmax": "log_softmax",
    "_pdist_forward": "nn.functional.pdist",
    "_softmax": "softmax",
    "_native_batch_norm_legit": "nn.functional.instance_norm",
    "avg_pool2d": "nn.functional.avg_pool2d",
    "avg_pool3d": "nn.functional.avg_pool3d",
    "constant_pad_nd": "nn.functional.pad",
    "convolution": "nn.functional.conv2d",
    "elu": "nn.functional.elu",
    "embedding": "nn.functional.embedding",
    "gelu": "nn.functional.gelu",
    "hardtanh": "nn.functional.hardtanh",
    "grid_sampler_2d": "nn.functional.grid_sample",
    "index": "__getitem__",
    "leaky_relu": "nn.functional.leaky_relu",
    "max_pool2d_with_indices": "nn.functional.max_pool2d",
    "max_pool3d_with_indices": "nn.functional.max_pool3d",
    "native_group_norm": "nn.functional.group_norm",
    "native_layer_norm": "nn.functional.layer_norm",
    "relu": "nn.functional.relu",
    "split_with_sizes": "split_with_sizes",
    "upsample_bilinear2d": "nn.functional.interpolate",
    "upsample_nearest2d": "nn.functional.interpolate",
}

X = torch.linspace(-2.0, 3.0, 24, dtype=torch.float64).reshape(2, 3, 4)
WHOLE = torch.arange(24).reshape(2, 3, 4) - 12
PLANES = torch.linspace(-2.0, 3.0, 2 * 3 * 4 * 5, dtype=torch.float64).reshape(2, 3, 4, 5)
SPACE = PLANES.reshape(2, 3, 2, 2, 5)
PLACES = torch.tensor([[2, 0, 1, 1], [0, 0, 2, 1]])
WORDS, BAGS = torch.tensor([3, 0, 0, 2, 1]), torch.tensor([0, 2, 2])
COLUMNS = torch.linspace(-2.0, 3.0, 2 * 12 * 6, dtype=torch.float64).reshape(2, 12, 6)
MEAN, VARIANCE = X[0, 0, :3], X[1, 1, :3] + 1

# Calls where torch's tests have none that stays what it is.
CALLS: dict[str, Callable] = {
    "_to_copy.default": lambda: (lambda x: x.to(torch.float32), X),
    "_fft_c2r.default": lambda: (lambda x: torch.fft.irfft(torch.complex(x, x.flip(0))), X),
    "_fft_r2c.default": lambda: (lambda x: torch.fft.rfft(x, dim=1).abs(), X),
    "_local_scalar_dense.default": lambda: (lambda x: x * torch.ones(()).item(), X),
    "add.Scalar": lambda: (lambda x: aten.add.Scalar(x, 2.5), X),
    "alias.default": lambda: (lambda x: aten.alias.default(x) * x, X),
    "arange.start_step": lambda: (lambda x: x * torch.arange(1.0, 9.0, 2.0), X),
    "bitwise_and.Scalar": lambda: (lambda x: x & 6, WHOLE),
    "bitwise_or.Scalar": lambda: (lambda x: x | 6, WHOLE),
    "bitwise_xor.Scalar": lambda: (lambda x: x ^ 6, WHOLE),
    "_embedding_bag.default": lambda: (
        lambda x: aten._embedding_bag.default(x.reshape(6, 4), WORDS, BAGS)[0],
        X,
    ),
    "_native_batch_norm_legit_no_training.default": lambda: (
        lambda x, weight: F.batch_norm(x, MEAN, VARIANCE, weight, eps=0.1),
        PLANES,
        MEAN * 2,
    ),
    "clamp.default": lambda: (lambda x: x.clamp(-0.7, 1.1), X),
    "col2im.default": lambda: (lambda x: F.fold(x, (3, 4), (3, 2), 1, (1, 0), (2, 1)), COLUMNS),
    "copy.default": lambda: (lambda x: torch.zeros_like(x).copy_(x[0]), X),
    "div.Scalar": lambda: (lambda x: aten.div.Scalar(x, 2.5), X),
    "div.Scalar_mode": lambda: (
        lambda x: aten.div.Scalar_mode(x, 2.5, rounding_mode="floor"),
        X,
    ),
    "empty.memory_format": lambda: (lambda x: torch.empty(2, 3, 4).copy_(x) * x, X),
    "empty_strided.default": lambda: (lambda x: torch.empty_strided((4,), (1,)).fill_(2) * x, X),
    "eq.Scalar": lambda: (lambda x: x * aten.eq.Scalar(x, 3.0), X),
    "ge.Scalar": lambda: (lambda x: x * (x >= 0.5), X),
    "gt.Scalar": lambda: (lambda x: x * (x > 0.5), X),
    "le.Scalar": lambda: (lambda x: x * (x <= 0.5), X),
    "lt.Scalar": lambda: (lambda x: x * (x < 0.5), X),
    "ne.Scalar": lambda: (lambda x: x * (x != 3.0), X),
    "fmod.Scalar": lambda: (lambda x: x.fmod(0.7), X),
    "full.default": lambda: (lambda x: torch.full((4,), 2.5) * x, X),
    "mul.Scalar": lambda: (lambda x: aten.mul.Scalar(x, 2.5), X),
    "native_dropout.default": lambda: (lambda x: aten.native_dropout.default(x, 0.0, True)[0], X),
    "pow.Scalar": lambda: (lambda x: 2.5**x, X),
    "pow.Tensor_Scalar": lambda: (lambda x: x**3, X),
    "rand.default": lambda: (lambda x: torch.rand(3, 4).ge(0) * x, X),
    "randn.default": lambda: (lambda x: torch.randn(3, 4).isfinite() * x, X),
    "randperm.default": lambda: (lambda x: torch.randperm(4).sum() * x, X),
    "reflection_pad1d.default": lambda: (lambda x: aten.reflection_pad1d(x, (2, 1)), X),
    "reflection_pad2d.default": lambda: (lambda x: aten.reflection_pad2d(x, (2, 1, 1, 3)), PLANES),
    "reflection_pad3d.default": lambda: (
        lambda x: aten.reflection_pad3d(x, (2, 1, 1, 0, 1, 1)),
        SPACE,
    ),
    "remainder.Scalar": lambda: (lambda x: x % -0.7, X),
    "replication_pad2d.default": lambda: (
        lambda x: aten.replication_pad2d(x, (2, 1, 1, 3)),
        PLANES,
    ),
    "replication_pad3d.default": lambda: (
        lambda x: aten.replication_pad3d(x, (2, 1, 1, 3, 2, 1)),
        SPACE,
    ),
    "scatter.value": lambda: (lambda x: x[0].scatter(0, PLACES, 2.5), X),
    "scalar_tensor.default": lambda: (lambda x: aten.scalar_tensor(2.5, dtype=x.dtype) * x, X),
    "sub.Scalar": lambda: (lambda x: aten.sub.Scalar(x, 2.5), X),
    "sym_numel.default": lambda: (lambda x: x * x.numel(), X),
    "sym_size.int": lambda: (lambda x: x * x.shape[0], X),
    "upsample_bilinear2d.vec": lambda: (
        lambda x: F.interpolate(x, (7, 3), mode="bilinear", align_corners=True),
        PLANES,
    ),
    "upsample_nearest2d.vec": lambda: (lambda x: F.interpolate(x, (7, 3)), PLANES),
    "var.dim": lambda: (lambda x: aten.var.dim(x, [1], True), X),
}


def calls_of(name: str) -> Iterator[Call]:
    if name in CALLS:
        function, *inputs = CALLS[name]()
        yield Call(function, *pytree.tree_flatten((tuple(inputs), {})))
        return
    base = name.partition(".")[0]
    wanted = NAMES.get(base, base)
    for info in op_db:
        if wanted not in (info.name, info.aten_name):
            continue
        known = info.supported_dtypes("cpu")
        dtypes = [dtype for dtype in (torch.float64, torch.int64, torch.bool) if dtype in known]
        for sample in info.sample_inputs("cpu", dtypes[0], requires_grad=False):
            if sample.kwargs.get("eps", 0.0) < 0.0:  # LayerNorm refuses it
                continue
            given = ((sample.input, *sample.args), sample.kwargs)
            yield Call(info.op, *pytree.tree_flatten(given))


def has(program: Any, operator: Any) -> bool:
    return any(node.target is operator for node in program.graph.nodes)


def leaves_of(result: Any) -> list:
    return [leaf for leaf in pytree.tree_leaves(result) if isinstance(leaf, torch.Tensor)]


def assert_close(got: Any, expected: Any, what: str) -> None:
    got = torch.as_tensor(got)
    assert got.shape == expected.shape, what
    kind = expected.dtype.is_floating_point
    assert got.dtype == expected.dtype if kind else not got.dtype.is_floating_point, what
    tolerance = 1e-5 if expected.dtype == torch.float32 else 1e-7
    got, expected = got.double(), expected.detach().double()
    assert torch.allclose(got, expected, tolerance, tolerance, equal_nan=True), what


def assert_same(call: Call, program: Any) -> None:
    inputs = [tensor.clone().requires_grad_(tensor.is_floating_point()) for tensor in call.inputs()]
    expected = leaves_of(call(*inputs))
    model, _ = ml.from_torch(program)
    named = zip(program.graph_signature.user_inputs, inputs, strict=True)
    named = {key: value for key, value in named if key in model.input_keys}
    params = {key: value.detach() for key, value in named.items() if value.is_floating_point()}
    data = {key: value for key, value in named.items() if key not in params}
    upstream = [
        torch.randn(tensor.shape, dtype=tensor.dtype) if tensor.requires_grad else None
        for tensor in expected
    ]
    sums = [
        (tensor * slope).sum()
        for tensor, slope in zip(expected, upstream, strict=True)
        if slope is not None
    ]
    if sums:
        sum(sums).backward()
    for backend in (ml.TorchBackend(dtype=torch.float64), ml.CpuBackend(dtype=ml.float64)):
        compiled = ml.compile(model, backend, trainable_keys=list(params))
        on_cpu = isinstance(backend, ml.CpuBackend)

        def given(tensors: dict, on_cpu: bool = on_cpu) -> dict:
            return {key: value.numpy() if on_cpu else value for key, value in tensors.items()}

        state = compiled.initial_state_dict
        options = {"state": state} if state else {}
        outputs = compiled.evaluate(given(params), given(data), **options)
        outputs = outputs[0] if state else outputs
        assert len(outputs) == len(expected)
        for (key, got), tensor in zip(outputs.items(), expected, strict=True):
            assert_close(got, tensor, f"{key} on {backend.name}")
        slopes = {
            key: value for key, value in zip(outputs, upstream, strict=True) if value is not None
        }
        if not slopes or not params:
            continue
        options["output_gradients"] = given(slopes)
        gradients = compiled.evaluate(given(params), given(data), **options)[1]
        for key, got in gradients.items():
            slope = named[key].grad
            assert_close(
                got,
                torch.zeros(got.shape) if slope is None else slope,
                f"gradient of {key} on {backend.name}",
            )


@pytest.mark.parametrize("name", sorted(CORE.keys() - WITHOUT_ROW))
@pytest.mark.sampled(16)
def test_operators_are_the_same(name: str, all_cases: bool) -> None:
    """Compares two of the first ten samples whose default decomposition has the operator."""
    wanted, compared = 2 if all_cases else 1, 0
    torch.manual_seed(0)
    for call, _ in zip(calls_of(name), range(10), strict=False):
        if any(tensor.is_complex() for tensor in call.inputs()):
            continue
        inputs = tuple(tensor.clone() for tensor in call.inputs())
        sizes = {"tensors": ({0: torch.export.Dim.DYNAMIC},)} if name.startswith("sym_") else None
        program = torch.export.export(call, inputs, dynamic_shapes=sizes)
        if not has(program, CORE[name]):
            program = program.run_decompositions()
        if not has(program, CORE[name]):
            continue
        assert_same(call, program)
        compared += 1
        if compared == wanted:
            return
    assert compared, "no sample has the operator"
