"""Generated files are up to date; the snippets of first-steps.md and of semantics.md run, and the
C++ of the README. test_front_page.py runs the rest of the README."""

import itertools
import re
import runpy
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import mithril as ml

ROOT = Path(__file__).parents[3]
TOOLS = ROOT / "tools"
COMPILER = shutil.which("g++") or shutil.which("clang++")


SOURCES = ["backends", "benchmarks", "cmake", "codegen", "docs", "examples", "mithril", "python"]
SOURCES += ["server", "tests", "tools"]
DOCUMENTS = ["README.md", "docs/first-steps.md", "docs/semantics.md"]
CPP_HEAD = """
#include "mithril/mithril.hpp"
namespace ml = mithril;
"""
# Names that documents assume: the reader's data.
CPP_DATA = {
    "docs/first-steps.md": """
const ml::TensorMap data = {{"image", ml::Tensor::full(ml::DType::float32, {3, 1, 8, 8}, 0.5)},
                            {"label", ml::Tensor::full(ml::DType::int64, {3}, 1)}};
"""
}


def blocks(document, language):
    """The fenced blocks of the document in this language, in order."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def data_for(document):
    if document != "docs/first-steps.md":
        return {}
    images = np.random.default_rng(0).normal(size=(3, 1, 8, 8)).astype(np.float32)
    return {"ml": ml, "np": np, "data": {"image": images, "label": np.array([1, 0, 9])}}


def run_python_blocks(document, folder, monkeypatch):
    """The names after all blocks have run in order, in one namespace, in the folder."""
    monkeypatch.chdir(folder)
    names = data_for(document)
    for number, block in enumerate(blocks(document, "python")):
        exec(compile(block, f"{document}, block {number + 1}", "exec"), names)
    return names


def without_spaces(text):
    return re.sub(r"\s+", "", text)


def test_the_program_in_cpp_is_the_example():
    example = without_spaces((ROOT / "examples/train_digits.cpp").read_text(encoding="utf-8"))
    example = example.replace("network()(", "net(")  # a function there
    lines = blocks("docs/first-steps.md", "cpp")[0].splitlines()
    other = [line for line in lines if without_spaces(line) not in example]
    assert other == []


@pytest.mark.skipif(find_spec("torch") is None, reason="a snippet of the page needs torch")
def test_the_python_of_the_first_steps_runs(tmp_path, monkeypatch):
    names = run_python_blocks("docs/first-steps.md", tmp_path, monkeypatch)
    assert names["outputs"]["logits"].shape == (3, 10)
    assert names["outputs"]["loss"].shape == ()
    assert names["block"].output_keys == ["output"]
    assert names["read"] == names["net"]
    assert (tmp_path / "model.cpp").exists()


def test_the_python_of_the_contract_runs(tmp_path, monkeypatch):
    names = run_python_blocks("docs/semantics.md", tmp_path, monkeypatch)
    assert names["out"]["logits"].shape == (4, 10)
    assert set(names["grad"]) == set(names["params"])
    assert names["block"].output_keys == ["output"]


@pytest.mark.skipif(find_spec("torch") is None, reason="the page converts a module of torch")
def test_the_python_of_the_migration_of_per_sample_gradients_runs(tmp_path, monkeypatch):
    names = run_python_blocks("docs/migrate-per-sample.md", tmp_path, monkeypatch)
    torch = names["torch"]
    module, params, samples, data = (names[key] for key in ("module", "params", "samples", "data"))
    assert set(params) == {key for key, _ in module.named_parameters()}
    gradients = samples.gradients(params, data)
    for i in range(6):
        values = {key: value.detach().requires_grad_() for key, value in params.items()}
        logits = torch.func.functional_call(module, values, (data["input"][i : i + 1],))
        torch.nn.functional.cross_entropy(logits, data["label"][i : i + 1]).backward()
        for key, value in values.items():
            assert torch.allclose(torch.as_tensor(gradients[key])[i], value.grad, atol=1e-6)
    assert names["losses"].shape == names["dots"].shape == (6,)
    assert names["path"].name == "dots-00000001.npz"
    assert list(names["projected"].metadata) == ["0.weight", "2.weight"]
    assert (tmp_path / "projections" / "chunk-000000.npy").exists()
    empty = samples.clipped_gradients(params, {key: value[:0] for key, value in data.items()}, 1.0)
    assert empty.norms.shape == (0,)
    assert all(not np.any(np.asarray(value)) for value in empty.gradients.values())


def cpp_program():
    """The C++ blocks of all documents as one program, which runs the document of its argument."""
    head, functions = [], []
    for number, document in enumerate(DOCUMENTS):
        lines = CPP_HEAD.splitlines() + "".join(blocks(document, "cpp")).splitlines()
        head += [line for line in lines if line.startswith(("#include", "namespace"))]
        body = [line for line in lines if not line.startswith(("#include", "namespace"))]
        data = CPP_DATA.get(document, "")
        functions += [f"void document_{number}() {{", data, *body, "}"]
    calls = [f"  if (argv[1][0] == '{n}') document_{n}();" for n in range(len(DOCUMENTS))]
    main = ["int main(int, char** argv) {", *calls, "}", ""]
    return "\n".join([*dict.fromkeys(head), *functions, *main])


@pytest.fixture(scope="module")
def documents_in_cpp(tmp_path_factory):
    folder = tmp_path_factory.mktemp("documents")
    libraries = Path(ml._core.__file__).resolve().parents[2]
    source, program = folder / "documents.cpp", folder / "documents"
    source.write_text(cpp_program(), encoding="utf-8")
    links = ["-lmithril_codegen", "-lmithril_cpu", "-lmithril_core"]
    where = [f"-I{ROOT}", f"-L{libraries}", f"-Wl,-rpath,{libraries}"]
    command = [COMPILER, "-std=c++20", "-O0", *where, source, *links, "-o", program]
    built = subprocess.run(command, check=False, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return program


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.slow
def test_the_cpp_of_a_document_compiles_and_runs(document, documents_in_cpp, tmp_path):
    command = [documents_in_cpp, str(DOCUMENTS.index(document))]
    run = subprocess.run(command, check=True, cwd=tmp_path, capture_output=True, text=True)
    said = re.findall(r"printf.*// (.*)$", "".join(blocks(document, "cpp")), re.MULTILINE)
    assert run.stdout.splitlines() == said


@pytest.mark.parametrize(
    "tool",
    [
        "make_ops_doc",
        "make_onnx_doc",
        "make_stubs",
        "make_op_headers",
        "make_optimizers",
        "make_api",
    ],
)
def test_generated_files_are_up_to_date(tool):
    run = subprocess.run([sys.executable, str(TOOLS / tool), "--check"], check=False)
    assert run.returncode == 0, f"run tools/{tool}"


def test_every_reference_of_a_layer_has_its_line():
    pytest.importorskip("torch", reason="torch is not installed")
    tool = TOOLS / "make_torch_references"
    run = subprocess.run([sys.executable, str(tool), "--check"], check=False)
    assert run.returncode == 0, "run make generate"


def layers_in_the_picture():
    """The arrows of the picture in docs/design.md, as folders: {"codegen": {"mithril/passes"}}."""
    (picture,) = blocks("docs/design.md", "mermaid")
    labels = dict(re.findall(r'(\w+)\["([\w/]+)', picture))
    folder = {name: labels.get(name, f"mithril/{name}") for name in re.findall(r"\w+", picture)}
    below = {}
    for line in re.sub(r'\["[^"]*"\]', "", picture).splitlines()[1:]:
        groups = [re.findall(r"\w+", group) for group in line.split("-->")]
        for upper, lower in itertools.pairwise(groups):
            for name in upper:
                below.setdefault(folder[name], set()).update(folder[other] for other in lower)
    return below


def layers_that_are_checked():
    """Returns the arrows of tools/check_layers. The folders of a backend are one layer, as are
    those of codegen."""
    below = {}

    def whole(layer):
        parts = layer.split("/")
        return parts[0] if parts[0] == "codegen" else "/".join(parts[:2])

    for layer, lower in runpy.run_path(str(TOOLS / "check_layers"))["BELOW"].items():
        upper = whole(layer)
        others = {whole(other) for other in lower} - {upper}
        if others:
            below.setdefault(upper, set()).update(others)
    return below


def test_the_picture_of_the_layers_is_true(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    assert layers_in_the_picture() == layers_that_are_checked()


NAMES_OTHER_PROJECTS = ROOT / "docs" / "style.md"
READMES = [path for top in SOURCES for path in ROOT.glob(f"{top}/**/README.md")]
ALL_DOCUMENTS = {*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *READMES} - {NAMES_OTHER_PROJECTS}


@pytest.mark.parametrize(
    "document", [str(path.relative_to(ROOT)) for path in sorted(ALL_DOCUMENTS)]
)
def test_the_files_that_a_document_names_exist(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    named = re.findall(rf"`((?:{'|'.join(SOURCES)})/[\w./*-]+)`", text)
    missing = [link for link in links if not (ROOT / document).parent.joinpath(link).exists()]
    missing += [name for name in named if not any(ROOT.glob(name.rstrip("/")))]
    assert missing == []


@pytest.mark.parametrize(
    "path",
    [*(ROOT / "examples").rglob("*.[ch]pp"), *(ROOT / name for name in DOCUMENTS)],
    ids=lambda path: path.name,
)
def test_programs_include_one_header(path):
    """Programs need mithril.hpp only, those that serve models or use other libraries more."""
    text = path.read_text(encoding="utf-8")
    included = re.findall(r'^#include "((?:mithril|backends|codegen)/.*)"', text, re.MULTILINE)
    folders = ("backends/torch/", "mithril/engine/", "mithril/onnx/")
    others = {name for name in included if name.startswith(folders)}
    assert set(included) - others <= {"mithril/mithril.hpp"}
