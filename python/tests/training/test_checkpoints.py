"""Checkpoints: a run that continues, weights of other programs, and files of other libraries."""

import signal
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import safetensors.numpy
from processes import environment

import mithril as ml

PROGRAM = """
import sys
import numpy as np
import mithril as ml

def model():
    net = ml.Model()
    net |= ml.Linear(16)(input="x")
    net += ml.BatchNorm1D()
    net += ml.Relu()
    net += ml.Dropout(p=0.2, seed=3)
    net += ml.Linear(1)(output="y")
    train = ml.TrainModel(net)
    train.add_loss(ml.SquaredError(), input="y", target="t")
    return train

def compiled_of(net):
    return ml.compile(net, ml.CpuBackend(), shapes={"x": [None, 4]})

def batch(i):
    x = np.random.default_rng(i).normal(size=(8, 4)).astype(np.float32)
    return {"x": x, "t": x[:, :1]}

def run(params, optimizer, step, steps, path=None, net=None):
    for i in steps:
        step(params, batch(i))
        if path:
            ml.save(path, params, model=net, optimizer=optimizer, step=step)
            print(i, flush=True)

if __name__ == "__main__":
    net = model()
    compiled = compiled_of(net)
    optimizer = ml.Adam(lr=0.01)
    step = ml.TrainingStep(compiled, optimizer)
    run(compiled.get_parameters(), optimizer, step, range(10_000), sys.argv[1], net)
"""


def test_a_killed_run_continues_with_the_same_bits(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    path = tmp_path / "run.safetensors"
    process = subprocess.Popen(
        [sys.executable, program, path], stdout=subprocess.PIPE, env=environment()
    )
    for _ in range(5):
        assert process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()

    code = {"__name__": "program"}
    exec(PROGRAM, code)
    saved = ml.load(path)
    done = int(saved.optimizer["steps"])
    assert done >= 5
    assert saved.model == code["model"]()
    resumed = code["compiled_of"](saved.model)
    params = resumed.load_state_dict(saved.params)
    optimizer = ml.Adam()
    optimizer.load_state_dict(saved.optimizer)
    step = ml.TrainingStep(resumed, optimizer)
    step.state = saved.state
    code["run"](params, optimizer, step, range(done, done + 7))

    whole = code["compiled_of"](code["model"]())
    expected, other = whole.get_parameters(), ml.Adam(lr=0.01)
    straight = ml.TrainingStep(whole, other)
    code["run"](expected, other, straight, range(done + 7))
    for ours, theirs in (
        (params, expected),
        (step.state, straight.state),
        (optimizer.state_dict(), other.state_dict()),
    ):
        assert list(ours) == list(theirs)
        assert all(ours[key].tobytes() == theirs[key].tobytes() for key in ours)


def test_a_checkpoint_is_a_safetensors_file_with_the_names_of_the_parameters(tmp_path):
    path = tmp_path / "file"
    params = {"w": np.ones((2, 3), np.float32), "optimizer:x": np.zeros(2)}
    optimizer = ml.SGD(lr=0.5, momentum=0.9)
    optimizer.step(params, {"w": np.ones((2, 3), np.float32)})
    ml.save(path, params, optimizer=optimizer, step={"count": np.array(7)})
    theirs = safetensors.numpy.load_file(path)
    assert {"w", "optimizer:x"} < set(theirs)
    saved = ml.load(path)
    assert set(saved.params) == set(params)
    assert set(saved.optimizer) == set(optimizer.state_dict())
    assert saved.state == {"count": np.array(7)}
    assert saved.model is None
    safetensors.numpy.save_file(params, path)
    plain = ml.load(path)
    assert set(plain.params) == set(params)
    assert (plain.optimizer, plain.state, plain.model) == ({}, {}, None)
    with pytest.raises(ml.TypeError, match="a TrainingStep, the dict of a state, or None"):
        ml.save(path, params, step=3)


def test_a_checkpoint_has_the_state_of_a_grad_scaler(tmp_path):
    path = tmp_path / "run.safetensors"
    scaler = ml.GradScaler(1024.0, growth_factor=4.0, growth_interval=2)
    for _ in range(3):
        scaler.unscale({"w": np.ones(2, np.float32)})
        scaler.update()
    ml.save(path, {"scaler:w": np.ones(2)}, scaler=scaler, metadata={"note": "x"})
    saved = ml.load(path)
    assert list(saved.params) == ["scaler:w"]
    assert saved.metadata == {"format": "mithril", "note": "x"}
    assert saved.scaler == scaler.state_dict()
    other = ml.GradScaler()
    other.load_state_dict(saved.scaler)
    assert other.get_scale() == 4096
    assert other.state_dict() == scaler.state_dict()
    # The next overflow and the next growth come at the same time.
    for gradient in (np.inf, 1, 1):
        for loaded in (scaler, other):
            loaded.unscale({"w": np.full(2, gradient)})
            loaded.update()
        assert other.state_dict() == scaler.state_dict()
    ml.save(path, {}, scaler=ml.GradScaler(enabled=False))
    assert ml.load(path).scaler == {}
    with pytest.raises(ml.TypeError, match="a GradScaler, or None"):
        ml.save(path, {}, scaler=3)
    with pytest.raises(ml.TypeError, match="a dict of texts, or None"):
        ml.save(path, {}, metadata=3)


def network(names=("q", "k", "v")):
    """Linear layers of these names on x [N, 4], with 4 outputs each, added up."""
    x = ml.IOKey("x", shape=["N", 4])
    total = x
    for name in names:
        total = total + ml.Linear(4, name=name)(x)
    return ml.compile(ml.Model.create(y=total), ml.CpuBackend())


def values(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def test_all_faults_of_a_checkpoint_of_another_model_are_in_one_error(tmp_path):
    path = tmp_path / "model.safetensors"
    saved = {"q.wieght": values(4, 4, seed=1), "k.weight": values(5, 4), "k.bias": values(4),
             "v.weight": values(4, 4), "v.bias": np.arange(4), "h.7.weight": values(2)}  # fmt: skip
    ml.save_safetensors(path, saved)
    compiled = network()
    with pytest.raises(ml.StateError) as caught:
        compiled.load_state_dict(path)
    assert str(caught.value) == (
        "mithril.StateError[E0901]: the state dict does not fit the model\n"
        "  missing    : q.weight [4, 4]   did you mean 'q.wieght'?\n"
        "  missing    : q.bias [4]\n"
        "  mismatched : k.weight float32[5, 4], expected float32[4, 4]\n"
        "  mismatched : v.bias int64[4], expected float32[4]\n"
        "  unknown    : q.wieght [4, 4]   did you mean 'q.weight'?\n"
        "  unknown    : h.7.weight [2]    did you mean 'q.weight'?"
    )
    with pytest.raises(ml.StateError, match="mismatched"):
        compiled.load_state_dict(path, strict=False)


def test_missing_and_unexpected_tensors_are_reported_if_not_strict():
    compiled = network()
    saved = {"q.weight": values(4, 4, dtype=np.float64), "other": values(3)}
    params, report = compiled.load_state_dict(saved, strict=False, return_report=True)
    initial = compiled.get_parameters()
    assert (params["q.weight"] == saved["q.weight"].astype(np.float32)).all()
    assert (params["k.weight"] == initial["k.weight"]).all()
    assert report == ml.WeightReport(
        missing=["q.bias", "k.weight", "k.bias", "v.weight", "v.bias"],
        unexpected=["other"],
        tied=[],
        casts={"q.weight": (ml.float64, ml.float32)},
    )


def test_a_fused_projection_is_transposed_and_split():
    fused = {"h.0.c_attn.weight": values(4, 12), "h.0.c_attn.bias": values(12, seed=1)}
    rules = {
        f"{name}.{kind}": ml.WeightSource(
            f"h.0.c_attn.{kind}", transpose=kind == "weight", part=i, parts=3
        )
        for i, name in enumerate("qkv")
        for kind in ("weight", "bias")
    }
    saved = {f"transformer.{key}": value for key, value in fused.items()} | {"head": values(3)}
    params = network().load_state_dict(saved, prefix="transformer.", name_map=rules)
    for i, name in enumerate("qkv"):
        columns = slice(4 * i, 4 * i + 4)
        assert (params[f"{name}.weight"] == fused["h.0.c_attn.weight"].T[columns]).all()
        assert (params[f"{name}.bias"] == fused["h.0.c_attn.bias"][columns]).all()


def test_split_projections_are_fused_along_any_axis():
    saved = {f"layer.3.{name}.weight": values(4, 2, seed=i) for i, name in enumerate("ab")}
    source = ml.WeightSource(["layer.*.a.weight", "layer.*.b.weight"], axis=-1)
    compiled = network(["block_3"])
    params = compiled.load_state_dict(
        {**saved, "bias": np.zeros(4), "mask.0.bias": np.ones(9)},
        name_map={"block_*.weight": source, "block_3.bias": "bias"},
        ignore=["mask.*.bias"],
    )
    assert (params["block_3.weight"] == np.concatenate(list(saved.values()), 1)).all()


def test_tied_weights_become_parameters_of_their_own():
    saved = {"q.weight": values(4, 4), "q.bias": values(4)}
    rules = {"k.*": "q.*", "v.*": "q.*"}
    params = network().load_state_dict(saved, name_map=rules)
    assert (params["k.weight"] == saved["q.weight"]).all()
    params["k.weight"][:] = 0
    assert (params["v.weight"] == saved["q.weight"]).all()
    # A second copy in the file is not unexpected, another tensor is.
    one = network(["q"])
    more = {**saved, "lm_head.weight": saved["q.weight"].copy()}
    assert one.load_state_dict(more, return_report=True)[1].tied == ["lm_head.weight"]
    more["lm_head.weight"][3, 3] += 1
    with pytest.raises(ml.StateError, match=r"unknown : lm_head\.weight"):
        one.load_state_dict(more)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (ml.WeightSource("b", transpose=True), "has no two axes to transpose"),
        (ml.WeightSource("w", part=1, parts=3), "has no part 1 of 3 equal ones along axis 0"),
        (ml.WeightSource("w", part=2, parts=2), "has no part 2 of 2 equal ones along axis 0"),
        (ml.WeightSource("w", parts=2, axis=2), "has no axis 2"),
        (["w", "b"], "cannot be joined with float32[4] along axis 0"),
        (ml.WeightSource(["w", "c"], axis=1), "cannot be joined with float32[3, 3] along axis 1"),
    ],
)
def test_a_rule_that_does_not_fit_is_a_mismatch(source, why):
    saved = {"w": values(4, 4), "b": values(4), "c": values(3, 3)}
    with pytest.raises(ml.StateError) as caught:
        network(["q"]).load_state_dict(saved, strict=False, name_map={"q.weight": source})
    assert why in str(caught.value)


def test_npz_files_are_read_and_pickled_ones_refused(tmp_path):
    arrays = {"q.weight": values(4, 4), "q.bias": values(4)}
    compiled = network(["q"])
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "weights.npz", **arrays)
        params = compiled.load_state_dict(tmp_path / "weights.npz")
        assert all((params[key] == arrays[key]).all() for key in arrays)
    np.savez(tmp_path / "model.npz", a=np.array([{}], object))
    assert npz_refusal(tmp_path / "model.npz") == (
        "mithril.ParseError[E0750]: model.npz: the file is not a .npz file of arrays\n"
        "  why : 'a' is an array of Python objects"
    )
    np.savez(tmp_path / "text.npz", a=np.array(["text"]))
    assert npz_refusal(tmp_path / "text.npz") == (
        "mithril.ParseError[E0748]: text.npz: no tensor of Mithril can hold 'a'\n"
        "  stored : <U4[1]\n"
        "  help: store it with another dtype or shape"
    )
    (tmp_path / "no.npz").write_bytes(b"no zip")
    assert "it is not a zip archive" in npz_refusal(tmp_path / "no.npz")


def npz_refusal(path):
    with pytest.raises(ml.ParseError) as caught:
        ml.load(path)
    return str(caught.value).replace(f"{path.parent}/", "")


def arrays_of_all_kinds():
    base = values(6, 5, seed=2) * 50
    arrays = {str(np.dtype(t)): base.astype(t) for t in ("f2", "f4", "f8", "i4", "i8", "?")}
    arrays |= {name: np.abs(base).astype(name) for name in ("i1", "u1", "i2", "u2", "u4")}
    arrays |= {"swapped": base.astype(">f4"), "columns": np.asfortranarray(base)}
    arrays |= {"both": np.asfortranarray(base.astype(">i2")), "scalar": np.float64(3)}
    # Rare values have the longest codes of deflate.
    arrays["skewed"] = np.random.default_rng(6).geometric(0.5, 100_000).astype("u1")
    return arrays | {"empty": np.zeros((0, 3), np.float32), "large": np.arange(70000) % 251}


@pytest.mark.parametrize("level", [None, 0, 1, 9])
def test_arrays_of_all_kinds_are_read_at_each_level_of_compression(tmp_path, level):
    arrays = arrays_of_all_kinds()
    method = zipfile.ZIP_STORED if level is None else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(tmp_path / "a.npz", "w", method, compresslevel=level) as made:
        for name, array in arrays.items():
            with made.open(f"{name}.npy", "w") as entry:
                np.lib.format.write_array(entry, np.asanyarray(array))
    loaded = ml.load(tmp_path / "a.npz").params
    assert list(loaded) == list(arrays)
    for name, array in arrays.items():
        assert loaded[name].shape == array.shape
        assert (loaded[name] == array).all()


@pytest.mark.slow
def test_a_damaged_npz_file_is_refused_or_read(tmp_path):
    small = {"first": values(3, 4), "second": np.asfortranarray(values(2, 5, seed=1))}
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "whole.npz", **small)
        whole = (tmp_path / "whole.npz").read_bytes()
        named = set()
        for length in range(len(whole)):
            (tmp_path / "cut.npz").write_bytes(whole[:length])
            text = npz_refusal(tmp_path / "cut.npz")
            assert "[E0745]" in text or "[E0750]" in text
            named |= {text.split("'")[1]} if "E0745" in text else set()
        assert named == set(small)
        random = np.random.default_rng(5)
        for _ in range(3000):
            changed = bytearray(whole)
            for place in random.integers(len(whole), size=random.integers(1, 4)):
                changed[place] = random.integers(256)
            (tmp_path / "bad.npz").write_bytes(changed)
            try:
                ml.load(tmp_path / "bad.npz")
            except ml.ParseError as error:
                assert error.code in ("E0745", "E0748", "E0750")
            except ml.NameError as error:  # a NUL in a name
                assert error.code == "E0622"


SPOILED_WRITE = """
#include <dlfcn.h>
#include <string>
#include <unistd.h>

// Writes another last byte than asked for, without a report.
extern "C" ssize_t write(int file, const void* bytes, size_t count) {
  static const auto real =
      reinterpret_cast<ssize_t (*)(int, const void*, size_t)>(dlsym(RTLD_NEXT, "write"));
  if (count < 1000) return real(file, bytes, count);
  std::string spoiled(static_cast<const char*>(bytes), count);
  spoiled.back() ^= 1;
  return real(file, spoiled.data(), count);
}
"""


def test_a_file_that_does_not_read_back_replaces_no_file(tmp_path):
    source, library, path = (tmp_path / name for name in ("write.cpp", "write.so", "file"))
    source.write_text(SPOILED_WRITE)
    command = ["g++", "-shared", "-fPIC", "-std=c++17", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    path.write_bytes(b"old")
    program = f"""
import numpy as np
import mithril as ml
try:
    ml.save({str(path)!r}, {{"w": np.zeros(10_000)}})
except ml.InputError as error:
    print(error.code, dict((label, text) for label, text, _ in error.facts))
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(LD_PRELOAD=str(library)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.startswith("E0831"), run.stdout
    assert "the file does not contain what was written" in run.stdout
    assert path.read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "write.cpp", "write.so"]
