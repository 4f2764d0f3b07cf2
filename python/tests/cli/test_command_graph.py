"""`mithril graph`: pages, Graphviz, Mermaid and SVG."""

import json
import re

import numpy as np
import pytest
from command import needs_command, refusal_of, run_command, text_of

import mithril as ml

pytestmark = needs_command


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """net.json, the package pkg and the parameters w.npz."""
    folder = tmp_path_factory.mktemp("graph")
    model = ml.Model()
    model |= ml.Linear(16)(input="x", output="h")
    model |= ml.Relu()(input="h", output="a")
    model |= ml.Linear(4)(input="a", output="y")
    model.expose_keys("y")
    (folder / "net.json").write_text(model.to_json(), encoding="utf-8")
    params = ml.compile(model, ml.CpuBackend(), shapes={"x": [None, 8]}).get_parameters()
    ml.save_package(folder / "pkg", model, params, shapes={"x": [None, 8]}, revision="1")
    np.savez(folder / "w.npz", **params)
    return folder


def test_graph_draws_the_parts(folder, tmp_path):
    path = tmp_path / "net.dot"
    text_of("graph", "net.json", "--output", path, folder=folder)
    assert path.read_text(encoding="utf-8") == (
        "digraph model {\n"
        '  node [shape=box, fontname="sans-serif", fontsize=11];\n'
        '  n0 [label="x\\n[..., ?1, ?2]", style=rounded];\n'
        '  n1 [label="linear\\nLinear"];\n'
        '  n2 [label="relu\\nRelu"];\n'
        '  n3 [label="linear_1\\nLinear"];\n'
        '  n4 [label="y\\n[..., ?1, 4]", style=rounded];\n'
        "  n0 -> n1;\n"
        "  n1 -> n2;\n"
        "  n2 -> n3;\n"
        "  n3 -> n4;\n"
        "}\n"
    )
    text_of("graph", "net.json", "-o", tmp_path / "net.html", folder=folder)
    page = (tmp_path / "net.html").read_text(encoding="utf-8")
    assert "<title>net.json</title>" in page and '"histograms":{}' in page


def test_graph_shows_a_profile(folder, tmp_path):
    trace, path = tmp_path / "trace.json", tmp_path / "net.html"
    shape = ["--shape", "x=3,8"]
    text_of("bench", "net.json", *shape, "--runs", "5", "--trace", trace, folder=folder)
    text_of("graph", "net.json", "-o", path, "--profile", trace, folder=folder)
    measured = json.loads(re.search(r'"measured":(\{.*?\}\})', path.read_text("utf-8"))[1])
    layers = {"linear": 0, "linear_1": 0}
    for event in json.loads(trace.read_text("utf-8"))["traceEvents"]:
        if (layer := event.get("args", {}).get("layer")) in layers:
            layers[layer] += event["dur"] * 1e-6
    assert {key: measured["time"][key] for key in layers} == pytest.approx(layers)
    assert measured["bytes"].keys() == measured["time"].keys()


def test_rounded_times_of_inner_steps_may_exceed_that_of_the_outer_step(folder, tmp_path):
    spans = [("linear", 0, 1), ("linear_1", 0, 0.5), ("linear_1", 0.5, 0.501)]  # in microseconds
    events = [
        {"args": {"layer": layer}, "ts": start, "dur": duration, "tid": 1e300}
        for layer, start, duration in spans
    ]
    trace, path = tmp_path / "trace.json", tmp_path / "net.html"
    trace.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
    text_of("graph", "net.json", "-o", path, "--profile", trace, folder=folder)
    measured = json.loads(re.search(r'"measured":(\{.*?\}\})', path.read_text("utf-8"))[1])
    assert measured["time"] == pytest.approx({"linear": 0, "linear_1": 1.001e-6})


def test_a_trace_of_several_shapes_is_refused_before_the_model_is_read(folder):
    call = ["bench", "none.json", "--shape", "x=1,8", "--shape", "x=2,8", "--trace", "trace.json"]
    assert refusal_of(*call, folder=folder, status=2) == (
        "mithril: --trace is for one shape of each input, and --shape gives several\n"
    )


def test_graph_refuses_what_is_no_profile_of_the_model(folder, tmp_path):
    other = tmp_path / "other.json"
    other.write_text("{}", encoding="utf-8")
    call = ["graph", "net.json", "-o", tmp_path / "net.html", "--profile", other]
    assert refusal_of(*call, folder=folder, status=3) == (
        f"mithril.InputError[E1351]: {other}: this file is not a trace of a profile\n"
        "  help: write one: mithril bench FILE --trace trace.json, or Profile.save\n"
    )
    event = {"args": {"layer": "head"}, "dur": 1, "ts": 0, "tid": 1}
    other.write_text(json.dumps({"traceEvents": [event]}), encoding="utf-8")
    assert refusal_of(*call, folder=folder, status=3).startswith(
        f"mithril.InputError[E1351]: {other}: this trace has no step of a part of the model\n"
    )
    other.write_text("times", encoding="utf-8")
    assert refusal_of(*call, folder=folder, status=3).startswith(
        f"mithril.ParseError[E0720]: {other}: the text is not JSON\n"
    )
    call[-1] = tmp_path
    assert refusal_of(*call, folder=folder, status=3) == (
        f"mithril.InputError[E0830]: {tmp_path}: the file cannot be read\n  why : Is a directory\n"
    )
    call[3] = tmp_path / "net.dot"
    assert "--profile is for pages" in refusal_of(*call, folder=folder, status=2)


def test_graph_writes_pages_with_parameters_gradients_and_passes(folder, tmp_path):
    path = tmp_path / "net.html"
    text_of("graph", "pkg", "--output", path, "--gradients", "--passes", folder=folder)
    page = path.read_text(encoding="utf-8")
    for text in ['"linear.weight":{"elements":128,', '"id":"gradient-1-expand_ops"']:
        assert text in page
    options = ["--params", "w.npz", "--shape", "x=3,8"]
    text_of("graph", "net.json", "--output", path, *options, folder=folder)
    page = path.read_text(encoding="utf-8")
    assert '"linear.weight":{"elements":128,' in page and '["x","[3, 8]"' in page


def test_graph_writes_svg_with_graphviz(folder, tmp_path):
    path = tmp_path / "bin"
    path.mkdir()
    dot = path / "dot"
    dot.write_text('#!/bin/sh\necho "<svg $1 $2/>" > "$3"; cat "$4" >> "$3"\n', encoding="utf-8")
    dot.chmod(0o755)
    ended = run_command(
        *("graph", "net.json", "--output", tmp_path / "net.svg"),
        folder=folder,
        PATH=f"{path}:/usr/bin:/bin",
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    svg = (tmp_path / "net.svg").read_text(encoding="utf-8")
    assert svg.startswith("<svg -Tsvg -o/>\ndigraph model {\n")
    dot.write_text('#!/bin/sh\necho "no fonts" >&2; exit 1\n', encoding="utf-8")
    ended = run_command(
        *("graph", "net.json", "--output", tmp_path / "net.svg"),
        folder=folder,
        PATH=f"{path}:/usr/bin:/bin",
    )
    assert ended.returncode == 4
    assert ended.stderr.startswith(f"mithril: {dot} made no .svg: no fonts")


def test_svg_without_graphviz(folder, tmp_path):
    ended = run_command(
        "graph", "net.json", "--output", "net.svg", folder=folder, PATH=str(tmp_path)
    )
    assert (ended.returncode, ended.stderr) == (
        4,
        "mithril: an .svg needs Graphviz, and no program dot was found\n"
        "  help: install Graphviz (apt-get install graphviz), or write .html: the page saves SVG\n",
    )


def test_graph_nests_levels(folder, tmp_path):
    path = tmp_path / "net.mmd"
    text_of("graph", "net.json", "--output", path, "--depth", 2, folder=folder)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "flowchart TB"
    at = lines.index('  subgraph g0["linear"]')
    assert lines[at + 1 : at + 3] == ['    n1["primitivelinear<br/>PrimitiveLinear"]', "  end"]


def test_names_are_escaped_in_drawings(tmp_path):
    model = ml.Model()
    model |= ml.Relu()(input='x"]\n<b>', output="y")
    (tmp_path / "net.json").write_text(model.to_json(), encoding="utf-8")
    for name in ["net.dot", "net.mmd"]:
        text_of("graph", "net.json", "--output", name, folder=tmp_path)
    assert 'label="x\\"]\\\\n<b>' in (tmp_path / "net.dot").read_text(encoding="utf-8")
    assert 'n0(["x#34;]#92;n#60;b#62;<br/>' in (tmp_path / "net.mmd").read_text(encoding="utf-8")
