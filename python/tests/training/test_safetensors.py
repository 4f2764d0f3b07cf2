"""The safetensors package is the oracle of the files that Mithril accepts, and of their tensors."""

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import safetensors
import safetensors.numpy
from processes import environment
from safetensors_cases import BY_HAND, NOT_LOADED, TYPES, file, mutated, tensor

import mithril as ml

DTYPES = {
    "BOOL": np.bool_, "U8": np.uint8, "I8": np.int8, "F8_E5M2": ml_dtypes.float8_e5m2,
    "F8_E4M3": ml_dtypes.float8_e4m3fn, "F8_E8M0": ml_dtypes.float8_e8m0fnu,
    "F8_E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "F8_E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "I16": np.int16, "U16": np.uint16, "F16": np.float16, "BF16": ml_dtypes.bfloat16,
    "I32": np.int32, "U32": np.uint32, "F32": np.float32, "F64": np.float64, "I64": np.int64,
    "U64": np.uint64,
}  # fmt: skip
REFUSALS = {"E0740", "E0741", "E0742", "E0743", "E0744", "E0745", "E0746"}


def numbers(array):
    """A NumPy array of what load_safetensors returned."""
    if hasattr(array, "_bytes"):
        dtype = getattr(ml_dtypes, array.dtype.name)
        return np.frombuffer(array._bytes(), dtype).reshape(array.shape)
    return array


def expected(dtype, shape, data):
    """Loads the bytes with Mithril."""
    if dtype == "BOOL":
        return (np.frombuffer(data, np.uint8) != 0).reshape(shape)
    if dtype == "F4":
        pairs = np.frombuffer(data, np.uint8)
        codes = np.stack([pairs & 15, pairs >> 4], -1)
        return codes.view(ml_dtypes.float4_e2m1fn).reshape(shape)
    return np.frombuffer(data, DTYPES[dtype]).reshape(shape)


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def same_but_for_nans(a, b):
    nan = np.isnan(b)
    return (np.isnan(a) == nan).all() and same_bits(np.where(nan, 0, a), np.where(nan, 0, b))


def compare(path, content):
    """Asserts that both libraries refuse the file, or that both find the same tensors."""
    path.write_bytes(content)
    try:
        theirs = safetensors.deserialize(content)
    except safetensors.SafetensorError:
        theirs = None
    try:
        ours = ml.load_safetensors(path)
    except ml.ParseError as error:
        if error.code != "E0748":
            assert error.code in REFUSALS
            assert error.path == str(path)
            assert theirs is None, str(error)
            return None
        # Accepted, but with a tensor that Mithril cannot have.
        assert theirs is not None
        assert any(
            t["dtype"] in NOT_LOADED or math.prod(max(n, 1) for n in t["shape"]) >= 2**60
            for _, t in theirs
        )
        return None
    assert theirs is not None, "Mithril accepts what the package refuses"
    assert set(ours) == {name for name, _ in theirs}
    for name, stored in theirs:
        wanted = expected(stored["dtype"], stored["shape"], stored["data"])
        assert same_bits(numbers(ours[name]), wanted), name
    return ours


@pytest.mark.parametrize("name", BY_HAND)
def test_a_file_by_hand_is_read_as_the_package_reads_it(name, tmp_path):
    compare(tmp_path / "file", BY_HAND[name])


@pytest.mark.slow
def test_headers_of_100_megabytes_are_read_and_larger_ones_refused(tmp_path):
    for length in (100_000_000, 100_000_001):
        compare(tmp_path / "file", file(b"{}" + b" " * (length - 2)))


@pytest.mark.slow
def test_10_000_mutated_files_are_read_as_the_package_reads_them(tmp_path):
    seed = 20
    accepted = 0
    for i, content in enumerate(mutated(10_000, seed)):
        try:
            accepted += compare(tmp_path / str(i), content) is not None
        except AssertionError as error:
            raise AssertionError(f"file {i} of seed {seed}: {content!r}") from error
    assert 500 < accepted < 9_500  # both happen


def test_a_cut_file_is_refused_by_the_name_of_the_tensor(tmp_path):
    path = tmp_path / "model.safetensors"
    ml.save_safetensors(path, {"first": np.ones(4), "second": np.ones(6, np.float32)})
    whole = path.read_bytes()
    begin = len(whole) - 32 - 24
    for length in range(begin, len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(ml.ParseError) as caught:
            ml.load_safetensors(path)
        assert caught.value.code == "E0745"
        name = "first" if length < begin + 32 else "second"
        assert f"the file is cut in the tensor '{name}'" in str(caught.value)


def examples():
    draw = np.random.default_rng(3)
    bits = draw.integers(0, 256, 64, np.uint8)
    arrays = {
        name: np.frombuffer(bits.tobytes(), dtype).reshape(2, -1)
        for name, dtype in DTYPES.items()
        if name != "BOOL"
    }
    arrays["BOOL"] = bits.reshape(4, 16) % 2 == 1
    arrays["scalar"] = np.array(2.5, np.float32)
    arrays["empty"] = np.zeros((0, 3), np.int8)
    arrays["transposed"] = draw.normal(size=(3, 5)).T
    arrays['nAme ⚒ with "quotes" \\ and \n'] = np.arange(3)
    return arrays


def test_the_safetensors_package_reads_written_files(tmp_path):
    arrays = examples()
    path = tmp_path / "file"
    metadata = {"format": "mithril", "ké\ty": 'a "value"'}
    assert ml.save_safetensors(path, arrays, metadata=metadata) == str(path)
    content = path.read_bytes()
    theirs = dict(safetensors.deserialize(content))
    assert set(theirs) == set(arrays)
    for name, array in arrays.items():
        assert theirs[name]["data"] == array.tobytes()
        assert theirs[name]["shape"] == list(array.shape)
        assert DTYPES[theirs[name]["dtype"]] == array.dtype
    with safetensors.safe_open(path, "np") as opened:
        assert opened.metadata() == metadata
    ours, read = ml.load_safetensors(path, return_metadata=True)
    assert read == metadata
    assert list(ours) == list(arrays)


def test_a_file_of_the_package_is_read(tmp_path):
    arrays = {k: np.ascontiguousarray(v) for k, v in examples().items() if "F8" not in k}
    path = tmp_path / "file"
    safetensors.numpy.save_file(arrays, path, {"a": "b"})
    compare(path, path.read_bytes())


@pytest.mark.parametrize("name", [name for name in TYPES if name not in NOT_LOADED])
def test_each_bit_pattern_is_read_as_the_package_reads_it(name, tmp_path):
    if TYPES[name] == 8:
        compare(tmp_path / "file", file(tensor(name, "[256]", "[0,256]"), bytes(range(256))))
    else:
        values = np.arange(65_536, dtype=np.uint16).tobytes()
        count = 65_536 * 16 // TYPES[name]
        compare(tmp_path / "file", file(tensor(name, f"[{count}]", "[0,131072]"), values))


@pytest.mark.parametrize("name", [name for name in DTYPES if name.startswith("F8")])
@pytest.mark.parametrize("source", ["float16", "bfloat16"])
def test_floats_are_rounded_to_eight_bits_as_ml_dtypes_rounds_them(name, source, tmp_path):
    values = np.arange(65_536, dtype=np.uint16).view(source).astype("float32")
    # ml_dtypes rounds these to 2**-126, although 2**-127 is nearer.
    values[(values > 2.0**-127) & (values < 1.5 * 2.0**-127) & (name == "F8_E8M0")] = 1
    ml.save_safetensors(tmp_path / "file", {"a": values}, types={"a": name})
    ((_, stored),) = safetensors.deserialize((tmp_path / "file").read_bytes())
    assert stored["dtype"] == name
    ours = np.frombuffer(stored["data"], DTYPES[name]).astype("float32")
    with np.errstate(invalid="ignore"):
        theirs = values.astype(DTYPES[name]).astype("float32")
    assert same_but_for_nans(ours, theirs)


def test_integers_are_stored_exactly_or_refused(tmp_path):
    path = tmp_path / "file"
    arrays = {"a": np.arange(-128, 128), "b": np.array([0.0, 255.0]), "c": np.array([70_000])}
    types = {"a": "I8", "b": "U8", "c": "U32"}
    ml.save_safetensors(path, arrays, types=types)
    stored = {
        name: (t["dtype"], bytes(t["data"]))
        for name, t in safetensors.deserialize(path.read_bytes())
    }
    assert stored == {
        "a": ("I8", np.arange(-128, 128).astype(np.int8).tobytes()),
        "b": ("U8", b"\0\xff"),
        "c": ("U32", np.array([70_000], np.uint32).tobytes()),
    }
    for name, value in (("I8", 128), ("U8", -1), ("I16", 2**15), ("U16", 0.5), ("U32", np.nan)):
        with pytest.raises(ml.ValueError) as caught:
            ml.save_safetensors(path, {"w": np.array([0.0, value])}, types={"w": name})
        assert caught.value.code == "E0491"
    with pytest.raises(ml.NameError, match="did you mean 'weight'"):
        ml.save_safetensors(path, {"weight": np.ones(2)}, types={"wieght": "I8"})
    with pytest.raises(ml.NameError, match="there is no dtype 'F8_E4M4'"):
        ml.save_safetensors(path, {"weight": np.ones(2)}, types={"weight": "F8_E4M4"})


def test_elements_are_aligned_and_shared_with_the_file(tmp_path):
    path = tmp_path / "file"
    arrays = {"a": np.ones(3, np.int8), "b": np.ones(3, np.float16), "c": np.ones(5)}
    ml.save_safetensors(path, {**arrays, "d": np.ones(1000, np.float32)})
    header = int.from_bytes(path.read_bytes()[:8], "little")
    assert (header + 8) % 64 == 0
    loaded = ml.load_safetensors(path)
    for name in "bcd":
        assert loaded[name].ctypes.data % loaded[name].itemsize == 0
        assert not loaded[name].flags.owndata
    loaded["d"][:] = 7  # in this process only
    assert (ml.load_safetensors(path)["d"] == 1).all()


def test_a_loaded_array_outlives_its_file(tmp_path):
    path = tmp_path / "file"
    ml.save_safetensors(path, {"a": np.arange(100_000)})
    loaded = ml.load_safetensors(path)
    ml.save_safetensors(path, {"a": np.zeros(10)})
    path.unlink()
    assert (loaded["a"] == np.arange(100_000)).all()


def test_shards_are_written_and_read_with_their_index(tmp_path):
    arrays = {f"layer.{i}": np.full(100, i, np.float32) for i in range(5)}
    path = tmp_path / "model.safetensors"
    index = ml.save_safetensors(path, arrays, metadata={"a": "b"}, max_shard_bytes=900)
    assert index == str(tmp_path / "model.safetensors.index.json")
    files = sorted(os.listdir(tmp_path))
    assert files == [*(f"model-{i:05}-of-00003.safetensors" for i in (1, 2, 3)), Path(index).name]
    written = json.loads(Path(index).read_text())
    assert written["metadata"] == {"total_size": 2000}
    theirs = {}
    for name in files[:3]:
        theirs |= safetensors.numpy.load_file(tmp_path / name)
    assert set(theirs) == set(written["weight_map"]) == set(arrays)
    for given in (index, tmp_path):
        loaded, metadata = ml.load_safetensors(given, return_metadata=True)
        assert metadata == {"a": "b"}
        assert list(loaded) == list(arrays)
        assert all((loaded[name] == arrays[name]).all() for name in arrays)
    whole = ml.save_safetensors(path, arrays, max_shard_bytes=2000)
    assert whole == str(path)


def test_a_kill_while_saving_leaves_the_old_or_the_new_file(tmp_path):
    path = tmp_path / "file"
    program = (
        "import mithril as ml, numpy as np\n"
        "arrays = [{'a': np.full(300_000, i, np.float32)} for i in range(2)]\n"
        f"ml.save_safetensors({str(path)!r}, arrays[0])\n"
        "print('ready', flush=True)\n"
        f"while True:\n    for a in arrays: ml.save_safetensors({str(path)!r}, a)\n"
    )
    for delay in (0.0, 0.003, 0.008, 0.013):
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment()
        )
        assert process.stdout.readline() == b"ready\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        loaded = ml.load_safetensors(path)["a"]
        assert loaded.shape == (300_000,)
        assert (loaded == loaded[0]).all()


def test_arguments_of_the_wrong_kind_are_refused(tmp_path):
    with pytest.raises(ml.TypeError, match="a path: text, or a pathlib"):
        ml.load_safetensors(3)
    with pytest.raises(ml.TypeError, match="a dict of texts, or None"):
        ml.save_safetensors(tmp_path / "file", {}, metadata=[])
    with pytest.raises(ml.TypeError, match=r"got\s*: 3"):
        ml.save_safetensors(tmp_path / "file", {}, metadata={"a": 3})
    with pytest.raises(ml.TypeError, match="no dtype for arrays of complex128"):
        ml.save_safetensors(tmp_path / "file", {"a": np.ones(3, complex)})
    assert os.listdir(tmp_path) == []
