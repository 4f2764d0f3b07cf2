"""Compiled models as TorchScript; skipped where torch or its plugin is missing."""

import resource
from pathlib import Path

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("mithril._torch", reason="torch is not built")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SHAPES = {"x": [None, 5]}


def network() -> ml.Model:
    model = ml.Model()
    model |= ml.Linear(16)(input="x", output="h")
    model |= ml.Gelu()(input="h", output="g")
    model |= ml.LayerNorm()(input="g", output="n")
    model |= ml.Linear(3)(input="n", output="y")
    model.expose_keys("y")
    return model


def compiled_on(model: ml.Model, **options: object) -> ml.CompiledModel:
    return ml.compile(model, ml.TorchBackend(dtype=torch.float64, **options), shapes=SHAPES)


def data(rows: int) -> "torch.Tensor":
    return torch.linspace(-1, 1, rows * 5, dtype=torch.float64).reshape(rows, 5)


def test_values_and_gradients_are_those_of_the_plain_run() -> None:
    plain, scripted = compiled_on(network()), compiled_on(network(), jit_compile=True)
    params = plain.get_parameters()
    for rows in (1, 4, 4, 4, 7):
        incoming = {"y": torch.ones(rows, 3, dtype=torch.float64)}
        expected, gradients = plain.evaluate(params, {"x": data(rows)}, incoming)
        for _ in range(3):  # torch runs a graph otherwise once it has seen it
            outputs, found = scripted.evaluate(params, {"x": data(rows)}, incoming)
            assert torch.allclose(outputs["y"], expected["y"], rtol=0, atol=1e-12)
            for key, gradient in gradients.items():
                assert torch.allclose(found[key], gradient, rtol=0, atol=1e-12)


def test_autograd_goes_through() -> None:
    scripted = compiled_on(network(), jit_compile=True, requires_grad=True)
    params = scripted.get_parameters()
    scripted.evaluate(params, {"x": data(4)})["y"].sum().backward()
    plain = compiled_on(network())
    incoming = {"y": torch.ones(4, 3, dtype=torch.float64)}
    _, gradients = plain.evaluate(params, {"x": data(4)}, incoming)
    for key, gradient in gradients.items():
        assert torch.allclose(params[key].grad, gradient, rtol=0, atol=1e-12)


def test_a_model_that_torchscript_cannot_express_runs_as_before_and_the_summary_says_so() -> None:
    model = ml.Model()
    model |= ml.Dropout(0.5)(input="x", output="y")
    compiled = ml.compile(
        model, ml.TorchBackend(jit_compile=True), shapes={"x": [100]}, data_keys=["x"]
    )
    plain = ml.compile(model, ml.TorchBackend(), shapes={"x": [100]}, data_keys=["x"])
    x, state = {"x": torch.ones(100)}, plain.initial_state_dict
    got, _ = compiled.evaluate({}, x, state=state)
    expected, _ = plain.evaluate({}, x, state=state)
    assert torch.equal(got["y"], expected["y"])
    note = "jit_compile: runs op by op, for TorchScript has no random_uniform"
    assert note in compiled.summary()
    assert "jit_compile" not in plain.summary()
    noise = ml.RandomUniform()(like=ml.IOKey("x"), key=ml.Tensor(3))
    drawing = ml.compile(
        ml.Model.create(y=noise), ml.TorchBackend(), shapes={"x": [100]}, data_keys=["x"]
    )
    with pytest.raises(ml.BackendError) as error:
        drawing.save_torchscript("never.pt", {})
    assert str(error.value) == (
        "mithril.BackendError[E1023]: TorchScript has no operator for random_uniform\n"
        "  help: what torch lacks runs in Mithril, and stays in it"
    )


def test_checkpointing_is_not_undone() -> None:
    deep = ml.Model()
    deep |= ml.Linear(32)(input="x")
    for _ in range(20):
        deep += ml.Gelu()
        deep += ml.Linear(32)
    deep += ml.Mean()(output="loss")
    x = torch.randn(2048, 32)

    def peak_of(**options: bool) -> tuple[int, str]:
        backend = ml.TorchBackend(jit_compile=True)
        compiled = ml.compile(
            deep, backend, shapes={"x": list(x.shape)}, data_keys=["x"], **options
        )
        params = compiled.get_parameters()
        for _ in range(2):
            compiled.evaluate(params, {"x": x}, output_gradients=True)
        return backend.get_memory_stats()["peak"], compiled.summary()

    whole, _ = peak_of()
    again, summary = peak_of(use_checkpointing=True)
    assert again < whole / 2
    assert "jit_compile: not with use_checkpointing" in summary


def test_running_torchscript_takes_no_more_memory() -> None:
    """Making a script runs the graph once: that holds no more than the script does."""
    deep = ml.Model()
    deep |= ml.Tanh()(input="x")
    for _ in range(20):
        deep += ml.Tanh()
    x = torch.randn(100_000)
    backend = ml.TorchBackend(jit_compile=True)
    compiled = ml.compile(
        deep, backend, shapes={"x": list(x.shape)}, data_keys=["x"], inference=True
    )
    for _ in range(3):
        compiled.evaluate({}, {"x": x})
    assert backend.get_memory_stats()["peak"] < 4 * x.nbytes


def test_a_file_runs_without_mithril(tmp_path: Path) -> None:
    compiled = compiled_on(network())
    params = compiled.get_parameters()
    path = str(tmp_path / "network.pt")
    compiled.save_torchscript(path, params, {"x": data(4)})
    loaded = torch.jit.load(path)
    expected = compiled.evaluate(params, {"x": data(4)})["y"]
    assert torch.allclose(loaded(data(4)), expected, rtol=0, atol=1e-12)
    assert [name for name, _ in loaded.named_parameters()] == compiled.parameter_keys
    with pytest.raises(torch.jit.Error, match=r"x: this file is for the dims \[4, 5\]"):
        loaded(data(3))


def test_a_file_of_a_bound_model_holds_no_parameters(tmp_path: Path) -> None:
    compiled = compiled_on(network())
    params = compiled.get_parameters()
    path = str(tmp_path / "bound.pt")
    compiled.bind(params).save_torchscript(path, {}, {"x": data(2)})
    loaded = torch.jit.load(path)
    assert list(loaded.parameters()) == []
    expected = compiled.evaluate(params, {"x": data(2)})["y"]
    assert torch.allclose(loaded(data(2)), expected, rtol=0, atol=1e-12)


def test_several_outputs_are_a_dictionary_and_names_are_made_to_fit(tmp_path: Path) -> None:
    model = ml.Model()
    model |= ml.Linear(2)(input="x", output="a")
    model |= ml.Relu()(input="a", output="b")
    model.expose_keys("a", "b")
    compiled = compiled_on(model)
    params = compiled.get_parameters()
    path = str(tmp_path / "several.pt")
    compiled.save_torchscript(path, params, {"x": data(2)})
    outputs = torch.jit.load(path)(data(2))
    expected = compiled.evaluate(params, {"x": data(2)})
    assert sorted(outputs) == ["a", "b"]
    assert torch.allclose(outputs["b"], expected["b"], rtol=0, atol=1e-12)


def test_a_file_without_sizes_or_parameters_is_refused() -> None:
    compiled = compiled_on(network())
    params = compiled.get_parameters()
    with pytest.raises(ml.InputError) as error:
        compiled.save_torchscript("never.pt", params)
    assert str(error.value) == (
        "mithril.InputError[E0811]: the sizes of 'x' are not known\n"
        "  known : [?1, 5]\n"
        "  help: give data with an example of it, or shapes to compile"
    )
    with pytest.raises(ml.BackendError) as refused:
        compiled.save_torchscript("/nowhere/network.pt", params, {"x": data(1)})
    assert str(refused.value).startswith(
        "mithril.BackendError[E1022]: the TorchScript file '/nowhere/network.pt' cannot be written"
    )
    with pytest.raises(ml.BackendError) as refused:
        compiled.save_torchscript("/dev/full", params, {"x": data(1)})
    assert str(refused.value) == (
        "mithril.BackendError[E1022]: the TorchScript file '/dev/full' cannot be written\n"
        "  why : No space left on device"
    )
    on_cpu = ml.compile(network(), ml.CpuBackend(), shapes={"x": [1, 5]})
    with pytest.raises(ml.BackendError) as refused:
        on_cpu.save_torchscript("never.pt", on_cpu.get_parameters())
    assert str(refused.value) == (
        "mithril.BackendError[E1021]: backend 'cpu' writes no TorchScript\n"
        "  help: compile for TorchBackend"
    )


def test_a_file_that_cannot_be_written_keeps_the_old_one(tmp_path: Path) -> None:
    compiled = compiled_on(network())
    path = tmp_path / "network.pt"
    path.write_text("old")

    params = compiled.get_parameters()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        with pytest.raises(ml.BackendError, match=r"E1022[^\n]*\n  why : File too large"):
            compiled.save_torchscript(str(path), params, {"x": data(1)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_of_linear_algebra_can_be_written_without_an_example(
    tmp_path: Path,
) -> None:
    model = ml.Model()
    model |= ml.MatrixMultiply()(left="x", right="turned", output="gram")
    model |= ml.Transpose()(input="x", output="turned")
    model |= ml.Cholesky()(input="gram", output="factor")
    model |= ml.Cholesky()(input="covariance", output="other")
    shapes = {"x": [3, 5], "covariance": [2, 2]}
    backend = ml.TorchBackend(dtype=torch.float64)
    compiled = ml.compile(model, backend, shapes=shapes, data_keys=["x", "covariance"])
    compiled.save_torchscript(str(tmp_path / "factors.pt"), {})
    x, covariance = torch.randn(3, 5).double(), torch.tensor([[2.0, 1], [1, 3]]).double()
    loaded = torch.jit.load(str(tmp_path / "factors.pt"))(x=x, covariance=covariance)
    for key, matrix in {"factor": x @ x.T, "other": covariance}.items():
        assert torch.allclose(loaded[key], torch.linalg.cholesky(matrix), rtol=0, atol=1e-12)


def test_an_error_of_torchscript_is_raised_as_an_error_of_mithril() -> None:
    model = ml.Model()
    model |= ml.Embedding(3, dim=2)(input="index", output="y")
    backend = ml.TorchBackend(jit_compile=True)
    compiled = ml.compile(model, backend, shapes={"index": [2]})
    params = compiled.get_parameters()
    right, wrong = torch.tensor([0, 2]), torch.tensor([0, 7])
    with pytest.raises(ml.BackendError, match=r"BackendError\[E1012\]: y: torch refused"):
        compiled.evaluate(params, {"index": wrong})  # while it is made
    compiled.evaluate(params, {"index": right})
    with pytest.raises(ml.BackendError, match="torch refused"):
        compiled.evaluate(params, {"index": wrong})  # as TorchScript


def test_the_limit_of_memory_holds_in_torchscript() -> None:
    model = ml.Model()
    model |= ml.Linear(100)(input="x", output="y")
    backend = ml.TorchBackend(jit_compile=True, memory_limit=200_000)
    compiled = ml.compile(model, backend, shapes={"x": [None, 100]})
    params = compiled.get_parameters()
    kept = []
    with pytest.raises(ml.OutOfMemoryError, match="more memory is needed than memory_limit allows"):
        for _ in range(50):
            kept.append(compiled.evaluate(params, {"x": torch.ones(20, 100)})["y"])
    assert len(kept) > 1  # hit in a script that has run before
    kept.clear()
    compiled.evaluate(params, {"x": torch.ones(20, 100)})


def test_names_of_parameters_that_torchscript_cannot_spell_are_changed(tmp_path: Path) -> None:
    # Keywords, attributes that each module has, names that become equal, and names that TorchScript
    # would take for a part of another.
    names = ["for", "None", "training", "forward", "a-b", "a_b", "a b", "a_b_parameter", "1", "ß"]
    model = ml.Model()
    for i, name in enumerate(names):
        source = "x" if i == 0 else f"y{i}"
        model |= ml.Linear(5, name=name)(input=source, output=f"y{i + 1}")
    model |= ml.Buffer()(input=f"y{len(names)}", output="y")
    model |= ml.Add()(left="y", right=ml.IOKey("a", shape=[5], differentiable=True), output="z")
    model |= ml.Add()(
        left="z", right=ml.IOKey("class", shape=[5], differentiable=True), output="out"
    )
    model.expose_keys("out")
    compiled = compiled_on(model)
    params = compiled.get_parameters(seed=1)
    file = str(tmp_path / "named.pt")
    compiled.save_torchscript(file, params, {"x": data(3)})
    loaded = torch.jit.load(file)
    expected = compiled.evaluate(params, {"x": data(3)})["out"]
    assert torch.allclose(loaded(data(3)), expected, rtol=0, atol=1e-12)
    assert len(list(loaded.parameters())) == len(params)


def test_a_parameter_and_a_part_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    model = ml.Model()
    model |= ml.Linear(5, name="a")(input="x", weight="a_weight", bias="lambda", output="y")
    model |= ml.Linear(5, name="b")(input="y", weight="b_parameter", bias="b", output="z")
    model |= ml.Linear(5, name="lambda")(input="z", output="out")
    model.expose_keys("out")
    compiled = compiled_on(model)
    params = compiled.get_parameters(seed=1)
    file = str(tmp_path / "apart.pt")
    compiled.save_torchscript(file, params, {"x": data(3)})
    loaded = torch.jit.load(file)
    expected = compiled.evaluate(params, {"x": data(3)})["out"]
    assert torch.allclose(loaded(data(3)), expected, rtol=0, atol=1e-12)


def test_a_file_makes_its_tensors_on_the_device_where_it_is_loaded(tmp_path: Path) -> None:
    model = ml.Model()
    attention = ml.ScaledDotProduct(is_causal=True, use_attn_mask=True)
    model |= attention(query="q", key="k", value="v", attn_mask="mask", output="y")
    shapes = {"q": [2, 4, 8], "k": [2, 4, 8], "v": [2, 4, 8], "mask": [4, 4]}
    compiled = ml.compile(model, ml.TorchBackend(), shapes=shapes, data_keys=list(shapes))
    path = str(tmp_path / "attention.pt")
    compiled.save_torchscript(path, {})
    assert "torch.ones(" in torch.jit.load(path).code  # a tensor that the file makes
    inputs = {key: torch.randn(size) for key, size in shapes.items()}
    expected = compiled.evaluate({}, inputs)["y"]
    assert torch.allclose(torch.jit.load(path)(**inputs), expected, atol=1e-6)
    elsewhere = torch.jit.load(path, map_location="meta")
    made = elsewhere(**{key: value.to("meta") for key, value in inputs.items()})
    assert made.device == torch.device("meta") and made.shape == expected.shape
