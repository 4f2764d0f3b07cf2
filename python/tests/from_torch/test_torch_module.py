"""Compiled models as modules of torch; skipped where torch, or the plugin built against it, is
missing."""

import copy
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")

nn = torch.nn
SHAPES = {"image": [None, 1, 6, 6]}


def digits() -> ml.Model:
    stem = ml.Model("stem")
    stem |= ml.Conv2d(filters=3, kernel_size=3, name="conv")(input="input")
    stem += ml.BatchNorm2D(name="norm")(output="output")
    model = ml.Model()
    model |= stem(input="image")
    model += ml.Relu()
    model += ml.Flatten(start_dim=1)
    model += ml.Linear(5, name="head")(output="logits")
    return model


def compiled_digits() -> ml.CompiledModel:
    return ml.compile(digits(), ml.TorchBackend(dtype=torch.float64), shapes=SHAPES)


def digits_module() -> "nn.Module":
    return ml.as_torch_module(compiled_digits())


def digits_of_torch(module: "nn.Module") -> "nn.Module":
    """The same network in torch, with the same numbers."""
    stem = nn.Sequential()
    stem.add_module("conv", nn.Conv2d(1, 3, 3))
    stem.add_module("norm", nn.BatchNorm2d(3))
    twin = nn.Sequential()
    twin.add_module("stem", stem)
    twin.add_module("relu", nn.ReLU())
    twin.add_module("flatten", nn.Flatten())
    twin.add_module("head", nn.Linear(48, 5))
    counters = {"stem.norm.num_batches_tracked": torch.tensor(0)}
    twin.double().load_state_dict({**module.state_dict(), **counters})
    return twin


def images(count: int = 4) -> "torch.Tensor":
    return torch.randn(count, 1, 6, 6, dtype=torch.float64)


def linear(dtype: object = None) -> "nn.Module":
    model = ml.Model()
    model |= ml.Linear(3, name="fc")(input="x", output="y")
    backend = ml.TorchBackend(dtype=dtype or torch.float64)
    return ml.as_torch_module(ml.compile(model, backend, shapes={"x": [None, 2]}))


def text_of(error: type, call: Callable[[], object]) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def test_parameters_and_buffers_have_dotted_names() -> None:
    module = digits_module()
    named = dict(module.named_parameters())
    assert sorted(named) == [
        "head.bias",
        "head.weight",
        "stem.conv.bias",
        "stem.conv.weight",
        "stem.norm.bias",
        "stem.norm.weight",
    ]
    assert all(isinstance(value, nn.Parameter) for value in named.values())
    assert sorted(dict(module.named_buffers())) == [
        "stem.norm.running_mean",
        "stem.norm.running_var",
    ]
    assert module.get_submodule("stem.conv").weight is named["stem.conv.weight"]


def test_trains_and_evaluates_as_the_same_network_of_torch() -> None:
    torch.manual_seed(0)
    module = digits_module()
    twin = digits_of_torch(module)
    optimizers = [torch.optim.AdamW(network.parameters(), lr=1e-2) for network in (module, twin)]
    for _ in range(5):
        x, target = images(), torch.randint(0, 5, (4,))
        for network, optimizer in zip((module, twin), optimizers, strict=True):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(x), target).backward()
            optimizer.step()
    expected = twin.state_dict()
    for key, value in module.state_dict().items():
        assert torch.allclose(value, expected[key], atol=1e-10), key
    x = images()
    module.eval()
    twin.eval()
    assert torch.allclose(module(x), twin(x), atol=1e-10)
    before = module.stem.norm.running_mean.clone()
    module(x)
    assert torch.equal(module.stem.norm.running_mean, before)


def test_gradients_flow_through_modules_before_and_after() -> None:
    torch.manual_seed(0)
    module = linear()
    twin = nn.Linear(2, 3).double()
    twin.load_state_dict({key[3:]: value for key, value in module.state_dict().items()})
    outer = nn.Sequential(nn.Linear(4, 2), module, nn.Linear(3, 1)).double()
    plain = nn.Sequential(copy.deepcopy(outer[0]), twin, copy.deepcopy(outer[2]))
    x = torch.randn(5, 4, dtype=torch.float64)
    outer(x).sum().backward()
    plain(x).sum().backward()
    ours, theirs = list(outer.parameters()), list(plain.parameters())
    assert [p.shape for p in ours] == [p.shape for p in theirs]
    for got, expected in zip(ours, theirs, strict=True):
        assert torch.allclose(got.grad, expected.grad, atol=1e-12)


def test_data_are_given_by_position_or_by_name_and_outputs_named() -> None:
    model = ml.Model()
    model |= ml.Subtract()(left="a", right="b", output="difference")
    model |= ml.Sum()(input="difference", output="total")
    model.set_cin("a", "b")
    module = ml.as_torch_module(ml.compile(model, ml.TorchBackend()))
    a, b = torch.tensor([3.0, 4.0]), torch.tensor([1.0, 1.0])
    for outputs in (module(a, b), module(b=b, a=a), module(a, b=b)):
        assert sorted(outputs) == ["difference", "total"]
        assert outputs["total"].item() == 5
    text = text_of(ml.InputError, lambda: module(a, b, a))
    assert text == (
        "mithril.InputError[E0809]: 3 inputs by position and none by name do not fit\n"
        "  expected : a, b"
    )
    assert "and a by name" in text_of(ml.InputError, lambda: module(a, a=a))


def test_state_dicts_survive_a_round_trip() -> None:
    torch.manual_seed(0)
    first, second = digits_module(), digits_module()
    with torch.no_grad():
        for parameter in first.parameters():
            parameter.add_(1)
    first(images())
    with tempfile.TemporaryDirectory() as folder:
        torch.save(first.state_dict(), Path(folder) / "saved.pt")
        second.load_state_dict(torch.load(Path(folder) / "saved.pt"))
    x = images()
    assert torch.equal(first(x), second(x))
    assert torch.equal(first.stem.norm.running_var, second.stem.norm.running_var)


def test_a_module_holds_the_given_parameters() -> None:
    compiled = compiled_digits()
    params = compiled.get_parameters(seed=7)
    params["head.bias"] = nn.Parameter(params["head.bias"])
    module = ml.as_torch_module(compiled, params)
    assert module.head.bias is params["head.bias"]
    assert torch.equal(module.head.weight, params["head.weight"])
    del params["head.bias"]
    text = text_of(ml.StateError, lambda: ml.as_torch_module(compiled, params))
    assert "missing : head.bias [5]" in text


def test_trains_in_a_loop_over_a_loader() -> None:
    torch.manual_seed(0)
    module = linear(torch.float32)
    inputs = torch.randn(64, 2)
    targets = inputs @ torch.randn(2, 3) + 1
    loader = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(inputs, targets), batch_size=16, shuffle=True
    )
    optimizer = torch.optim.SGD(module.parameters(), lr=0.2)
    for _ in range(60):
        for x, target in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(module(x), target)
            loss.backward()
            optimizer.step()
    assert loss.item() < 1e-6


def test_copies_have_parameters_of_their_own() -> None:
    module = digits_module()
    twin = copy.deepcopy(module)
    x = images()
    assert torch.equal(module(x), twin(x))
    with torch.no_grad():
        twin.head.bias.add_(1)
    assert torch.allclose(module(x) + 1, twin(x))
    twin(images())
    assert not torch.equal(module.stem.norm.running_mean, twin.stem.norm.running_mean)


def test_dropout_draws_anew_in_training_and_passes_all_in_evaluation() -> None:
    model = ml.Model()
    model |= ml.Dropout(0.5, name="drop")(input="x", output="y")
    module = ml.as_torch_module(ml.compile(model, ml.TorchBackend()))
    x = torch.ones(1000)
    first = module.drop.key.item()
    assert not torch.equal(module(x), module(x))
    assert module.drop.key.item() == first + 2
    assert torch.equal(module.eval()(x), x)
    assert module.drop.key.item() == first + 2


def test_dropout_in_inference_draws_anew_in_evaluation() -> None:
    model = ml.Model()
    model |= ml.Dropout(0.5, inference=False)(input="x", output="y")
    module = ml.as_torch_module(ml.compile(model, ml.TorchBackend())).eval()
    x = torch.ones(1000)
    assert not torch.equal(module(x), module(x))


def test_gradients_flow_in_evaluation() -> None:
    module = digits_module()
    twin = digits_of_torch(module)
    x = images()
    module(x), twin(x)
    ours, theirs = module.eval()(x), twin.eval()(x)
    assert torch.allclose(ours, theirs)
    ours.square().sum().backward()
    theirs.square().sum().backward()
    assert torch.allclose(module.stem.conv.weight.grad, twin.stem.conv.weight.grad)


def test_a_module_that_is_pickled_gives_the_same() -> None:
    module = linear()
    made = pickle.loads(pickle.dumps(module))
    for (name, value), (other, read) in zip(
        module.named_parameters(), made.named_parameters(), strict=True
    ):
        assert name == other and torch.equal(value, read)
    assert made._shared.compiled is not module._shared.compiled
    x = torch.randn(3, 2, dtype=torch.float64)
    assert torch.equal(made(x), module(x))


def test_a_module_refuses_changes_of_dtype_and_device() -> None:
    module = linear()
    text = text_of(ml.BackendError, module.half)
    assert text == (
        "mithril.BackendError[E1009]: a compiled model stays on its device and keeps its dtype\n"
        "  compiled for : torch.float64 on cpu\n"
        "  asked for    : torch.float16 on cpu\n"
        "  help: compile for another TorchBackend, and load this module's state_dict()"
    )
    assert "on meta" in text_of(ml.BackendError, lambda: nn.Sequential(module).to("meta"))
    assert module.to("cpu", torch.float64) is module
    compiled = ml.compile(ml.Relu(), ml.CpuBackend())
    text = text_of(ml.BackendError, lambda: ml.as_torch_module(compiled))
    assert text == (
        "mithril.BackendError[E1007]: only a model compiled for a TorchBackend can be a module of "
        "torch\n  compiled for : cpu"
    )


def test_names_that_modules_have_are_refused() -> None:
    model = ml.Model()
    model |= ml.Multiply()(left="x", right="forward", output="y")
    compiled = ml.compile(model, ml.TorchBackend(), shapes={"forward": [2]})
    text = text_of(ml.NameError, lambda: ml.as_torch_module(compiled))
    assert text.startswith(
        "mithril.NameError[E0617]: 'forward' cannot be registered: a module of torch has 'forward' "
        "already\n"
    )


def train_in_parallel(rank: int, store: str, results: str) -> None:
    """One of two processes, each with half of the batch."""
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=2
    )
    module = digits_module()
    parallel = nn.parallel.DistributedDataParallel(module)
    optimizer = torch.optim.SGD(parallel.parameters(), lr=0.1)
    for step in range(2):
        torch.manual_seed(step)
        x = images(8)[rank::2]
        optimizer.zero_grad()
        parallel(x).square().mean().backward()
        optimizer.step()
    torch.save(module.state_dict(), f"{results}/{rank}.pt")
    torch.distributed.destroy_process_group()


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch without distributed")
@pytest.mark.slow
def test_processes_train_one_model_together() -> None:
    twins = [digits_of_torch(digits_module()) for _ in range(2)]
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(train_in_parallel, (f"{folder}/store", folder), nprocs=2)
        got = [torch.load(f"{folder}/{rank}.pt") for rank in range(2)]
    for step in range(2):
        torch.manual_seed(step)
        x = images(8)
        for rank, twin in enumerate(twins):
            twin.zero_grad()
            twin(x[rank::2]).square().mean().backward()
        for ours, theirs in zip(twins[0].parameters(), twins[1].parameters(), strict=True):
            with torch.no_grad():
                change = 0.1 * (ours.grad + theirs.grad) / 2
                ours.sub_(change)
                theirs.sub_(change)
    expected = dict(twins[0].named_parameters())
    for key, value in expected.items():
        assert torch.allclose(got[0][key], value, atol=1e-10), key
        assert torch.equal(got[0][key], got[1][key]), key
