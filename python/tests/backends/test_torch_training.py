"""Training on the backend on PyTorch, for long and from many threads; skipped where torch, or the
plugin built against it, is missing."""

import copy
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from processes import printed_by

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

from from_torch_cases import NETWORKS, cnn, mlp  # noqa: E402

F = torch.nn.functional
OPTIMIZERS = {
    "SGD": lambda params: torch.optim.SGD(params, lr=0.05, momentum=0.9),
    "Adam": lambda params: torch.optim.Adam(params, lr=1e-2),
    "AdamW": lambda params: torch.optim.AdamW(params, lr=1e-2, weight_decay=0.1),
}
NETS = {  # in training, the open sizes, and a batch
    "mlp": (mlp, {"input": ["N"]}, lambda: torch.randn(8, 4, dtype=torch.float64)),
    "cnn": (cnn, {"input": ["N"]}, lambda: torch.randn(8, 2, 8, 8, dtype=torch.float64)),
    "transformer_block": (
        NETWORKS["transformer_block"].module,
        {"ids": ["N", "L"]},
        lambda: torch.randint(0, 11, (4, 6)),
    ),
}
# Of a bias before a batch norm rounding alone makes a slope, or none.
WITHOUT_SLOPE = ("cnn", "0.bias")
STEPS = 50


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Uses one thread: the tensors are small, and threads would wait for other work of the
    machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("net", NETS)
@pytest.mark.sampled(5)
def test_fifty_steps_are_those_of_the_module(net: str, optimizer: str) -> None:
    """The optimizer gets the gradients of evaluate, on extracted parameters."""
    torch.manual_seed(0)
    make, shapes, batch = NETS[net]
    module = make().double().train()
    model, initial = ml.from_torch(copy.deepcopy(module), batch(), shapes)
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64))
    params = {key: value.detach().clone() for key, value in initial.items()}
    state = compiled.initial_state_dict
    ours = OPTIMIZERS[optimizer](params.values())
    theirs = OPTIMIZERS[optimizer](module.parameters())
    for _ in range(STEPS):
        data = {next(iter(shapes)): batch()}
        (x,) = data.values()
        expected = module(x)
        target = torch.randint(0, expected.shape[-1], expected.shape[:-1]).flatten()
        theirs.zero_grad()
        F.cross_entropy(expected.flatten(0, -2), target).backward()
        theirs.step()

        outputs, _ = compiled.evaluate(params, data, state=state)
        logits = outputs["output"].detach().requires_grad_()
        F.cross_entropy(logits.flatten(0, -2), target).backward()
        _, gradients, state = compiled.evaluate(
            params, data, output_gradients={"output": logits.grad}, state=state
        )
        for key, gradient in gradients.items():
            params[key].grad = gradient
        ours.step()
    for key, value in module.named_parameters():
        assert torch.allclose(params[key], value, rtol=0, atol=1e-6), key
        assert (net, key) == WITHOUT_SLOPE or not torch.equal(value, initial[key]), key
    for key, value in module.named_buffers():
        assert torch.allclose(state[key], value, rtol=0, atol=1e-6), key


def test_fifty_steps_of_a_compiled_module_are_those_of_the_module() -> None:
    """The autograd of torch goes through the gradient graph of Mithril."""
    torch.manual_seed(0)
    module = cnn().double().train()
    _, shapes, batch = NETS["cnn"]
    model, params = ml.from_torch(copy.deepcopy(module), batch(), shapes)
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64))
    twin = ml.as_torch_module(compiled, params)
    optimizers = [torch.optim.AdamW(network.parameters(), lr=1e-2) for network in (module, twin)]
    for _ in range(STEPS):
        x, target = NETS["cnn"][2](), torch.randint(0, 3, (8,))
        for network, optimizer in zip((module, twin), optimizers, strict=True):
            optimizer.zero_grad()
            F.cross_entropy(network(x), target).backward()
            optimizer.step()
    expected = module.state_dict()
    for key, value in twin.state_dict().items():
        assert torch.allclose(value, expected[key], rtol=0, atol=1e-6), key


def resident_bytes() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def evaluations() -> Callable[[int], None]:
    """Returns a function that runs a number of steps, half of them through torch's autograd."""
    model = ml.Model()
    model |= ml.Linear(16)(input="x")
    model += ml.Relu()
    model += ml.Linear(4)(output="y")
    compiled = ml.compile(model, ml.TorchBackend(requires_grad=True), shapes={"x": [None, 8]})
    params = compiled.get_parameters()
    plain = {key: value.detach() for key, value in params.items()}
    x, gradient = torch.randn(4, 8), torch.ones(4, 4)

    def evaluate(times: int) -> None:
        for i in range(times):
            if i % 2:
                compiled.evaluate(params, {"x": x})["y"].sum().backward()
            else:
                compiled.evaluate(plain, {"x": x}, output_gradients={"y": gradient})

    evaluate(1000)
    return evaluate


# Threads of other tests allocate memory, too, so a process of its own counts.
MEMORY = """
import torch
from test_torch_training import evaluations, resident_bytes

torch.set_num_threads(1)
evaluate = evaluations()
before = resident_bytes()
evaluate(10_000)
print(resident_bytes() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc to read memory from")
@pytest.mark.slow
def test_ten_thousand_evaluations_do_not_grow() -> None:
    """Each evaluation may add less than 300 bytes, which is less than an empty tensor needs."""
    assert int(printed_by(MEMORY)) < 3_000_000


def test_memory_of_evaluations_is_freed() -> None:
    evaluate = evaluations()
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, profile_memory=True) as profile:
        evaluate(100)
    allocated = [event.self_cpu_memory_usage for event in profile.key_averages()]
    assert max(allocated) > 0
    assert sum(allocated) == 0


def test_threads_share_one_compiled_model() -> None:
    """Each thread uses new sizes, for which there is no plan."""
    torch.manual_seed(0)
    _, shapes, batch = NETS["cnn"]
    model, params = ml.from_torch(cnn().double().eval(), batch(), shapes)
    compiled = ml.compile(model, ml.TorchBackend(dtype=torch.float64))
    again = ml.compile(model, ml.TorchBackend(dtype=torch.float64))
    params = {key: value.detach() for key, value in params.items()}
    inputs = [torch.randn(1 + i % 5, 2, 8, 8, dtype=torch.float64) for i in range(64)]

    def evaluate(compiled: ml.CompiledModel, x: "torch.Tensor") -> list:
        ones = torch.ones(len(x), 3, dtype=torch.float64)
        outputs, gradients = compiled.evaluate(
            params, {"input": x}, output_gradients={"output": ones}
        )
        return [outputs["output"], *gradients.values()]

    with ThreadPoolExecutor(8) as threads:
        got = list(threads.map(lambda x: evaluate(compiled, x), inputs))
    for x, values in zip(inputs, got, strict=True):
        for value, expected in zip(values, evaluate(again, x), strict=True):
            assert torch.allclose(value, expected, rtol=1e-12, atol=1e-12)


def test_state_takes_no_part_in_autograd() -> None:
    """The next step reads the state as a number, and passes no gradient to this step."""
    model = ml.Model()
    model |= ml.Conv2d(kernel_size=3, filters=2)(input="x")
    model += ml.BatchNorm2D(inference=False)(output="y")
    backend = ml.TorchBackend(requires_grad=True)
    compiled = ml.compile(model, backend, shapes={"x": [None, 1, 5, 5]})
    params, state = compiled.get_parameters(), compiled.initial_state_dict
    for _ in range(3):
        outputs, state = compiled.evaluate(params, {"x": torch.randn(4, 1, 5, 5)}, state=state)
        outputs["y"].square().sum().backward()
        assert not any(value.requires_grad for value in state.values())


@pytest.mark.parametrize("next_state", ["cell.output", "copy.output"])
def test_an_output_that_is_the_next_state_keeps_its_gradient(next_state: str) -> None:
    model = ml.Model()
    x, hidden = model.add_input("x"), model.add_input("h")
    model.set_shapes({"h": [2, 3]})
    cell = ml.Tanh(name="cell")(ml.Linear(3, name="fc")(x) + hidden)
    ml.Buffer(name="copy")(cell)
    model.expose_keys(y=cell)
    model.set_cin("x")
    model.bind_state_keys("h", next_state, ml.Tensor(0.5))
    backend = ml.TorchBackend(requires_grad=True)
    compiled = ml.compile(model, backend, shapes={"x": [2, 4]})
    params = compiled.get_parameters()
    outputs, state = compiled.evaluate(
        params, {"x": torch.ones(2, 4)}, state=compiled.initial_state_dict
    )
    outputs["y"].sum().backward()
    assert torch.allclose(params["fc.bias"].grad, (1 - state["h"] ** 2).sum(0))
    assert not state["h"].requires_grad
