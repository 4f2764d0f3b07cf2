"""One process without a launcher."""

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import mithril as ml
from mithril.distributed import launch

VARIABLES = launch.VARIABLES


@pytest.fixture(autouse=True)
def no_launcher(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(launch, "current", None)


def test_without_a_launcher_the_process_is_alone():
    group = ml.distributed.init()
    assert (group.rank, group.size, group.name) == (0, 1, "alone")
    assert repr(group) == "Group(rank=0, size=1, name='alone')"
    assert ml.distributed.init(group) is group


def test_a_process_alone_imports_no_torch():
    program = (
        "import sys, mithril as ml\n"
        "ml.distributed.init()\n"
        "ml.distributed.all_reduce(3.0)\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_collectives_of_one_process_return_new_arrays_with_the_same_elements():
    ml.distributed.init()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    total = ml.distributed.all_reduce(x)
    assert total is not x
    assert not np.shares_memory(total, x)
    np.testing.assert_array_equal(total, x)
    (gathered,) = ml.distributed.all_gather(x)
    np.testing.assert_array_equal(gathered, x)
    np.testing.assert_array_equal(ml.distributed.broadcast(x), x)
    ml.distributed.barrier()


def test_a_dict_keeps_its_names_dtypes_and_shapes():
    ml.distributed.init()
    arrays = {"a": np.ones((2, 2)), "n": np.array(3), "b": np.ones(3, np.float32)}
    total = ml.distributed.all_reduce(arrays, "max")
    assert list(total) == ["a", "n", "b"]
    for name, array in arrays.items():
        assert total[name].dtype == array.dtype
        np.testing.assert_array_equal(total[name], array)


def test_arrays_without_elements_and_strided_ones_are_reduced():
    ml.distributed.init()
    assert ml.distributed.all_reduce(np.zeros((0, 3))).shape == (0, 3)
    x = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(ml.distributed.all_reduce(x[:, ::2]), x[:, ::2])


def test_a_collective_before_init_is_refused():
    with pytest.raises(ml.DistributedError) as caught:
        ml.distributed.barrier()
    assert str(caught.value) == (
        "mithril.DistributedError[E0967]: this process is in no group yet\n"
        "  help: call ml.distributed.init() first"
    )


def test_an_unknown_reduction_and_a_sum_of_bools_are_refused():
    ml.distributed.init()
    with pytest.raises(ml.ValueError) as caught:
        ml.distributed.all_reduce(np.ones(2), "mean")
    assert str(caught.value).startswith("mithril.ValueError[E0494]: there is no reduction 'mean'")
    with pytest.raises(ml.ValueError, match=r"E0495.*processes do not add up bools"):
        ml.distributed.all_reduce(np.array([True]))
    assert ml.distributed.all_reduce(np.array([True]), "max")[0]


def test_incomplete_variables_are_refused(monkeypatch):
    monkeypatch.setenv("RANK", "0")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ml.DistributedError) as caught:
        ml.distributed.init()
    assert str(caught.value) == (
        "mithril.DistributedError[E0965]: init: the variables of the launcher are incomplete: "
        "MASTER_ADDR, MASTER_PORT\n"
        "  set     : RANK, WORLD_SIZE\n"
        "  missing : MASTER_ADDR, MASTER_PORT\n"
        "  help: start the program with torchrun, or unset RANK and WORLD_SIZE to run it alone"
    )


def test_a_launcher_of_one_process_needs_no_torch(monkeypatch):
    for name, value in zip(VARIABLES, ("0", "1", "127.0.0.1", "1"), strict=True):
        monkeypatch.setenv(name, value)
    assert ml.distributed.init().size == 1


def test_several_processes_need_torch(monkeypatch):
    for name, value in zip(VARIABLES, ("0", "2", "127.0.0.1", "1"), strict=True):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ml.BackendError, match=r"E1013.*ml\.distributed\.init needs PyTorch"):
        ml.distributed.init()


def test_agree_of_one_process_returns():
    ml.distributed.init().agree({"dtype": "float32", "seed": 3})


def test_a_torch_without_gloo_is_refused(monkeypatch):
    dist = pytest.importorskip("torch.distributed")
    for name, value in zip(VARIABLES, ("0", "2", "127.0.0.1", "1"), strict=True):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(dist, "is_gloo_available", lambda: False)
    with pytest.raises(ml.DistributedError) as caught:
        ml.distributed.init()
    text = "mithril.DistributedError[E0968]: init: this torch has no gloo"
    assert str(caught.value).startswith(text)


def test_processes_that_exchange_by_nccl_may_not_share_a_gpu(monkeypatch):
    dist = pytest.importorskip("torch.distributed")
    monkeypatch.setattr(dist, "get_backend_config", lambda group: "cpu:gloo,cuda:nccl")
    group = SimpleNamespace(group_name="of the user")
    with pytest.raises(ml.DistributedError) as caught:
        ml.distributed.init(group, share_gpus=True)
    assert str(caught.value) == (
        "mithril.DistributedError[E0974]: init: processes that exchange by NCCL cannot share a "
        "GPU\n"
        "  transports : cpu:gloo,cuda:nccl\n"
        "  help: leave out share_gpus, or make the group with gloo"
    )
