"""Errors that only Python can reach, as text, and the classes that carry them."""

import subprocess
import sys

import numpy as np
import pytest
from processes import environment

import mithril as ml
from mithril import operators


def text_of_error(call, kind=ml.Error):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def product():
    model = ml.Model()
    model |= ml.Multiply()(left="image", right="weight", output="logits")
    return model


def test_an_object_that_does_not_fit_is_shown():
    model = product()
    assert text_of_error(lambda: model.set_shapes(image=3), ml.TypeError) == (
        "mithril.TypeError[E0390]: this kind of object does not fit here\n"
        "  expected : a list of dims\n"
        "  got      : 3   int"
    )


def test_unknown_attributes_raise_both_kinds_of_errors():
    compiled = ml.compile(ml.Relu(), ml.CpuBackend())
    assert text_of_error(lambda: ml.Dense, ml.NameError) == (
        "mithril.AttributeError[E0624]: module 'mithril' has no attribute 'Dense'\n"
        "  help: use Linear(dimension)"
    )
    for owner in (ml, operators, compiled):
        with pytest.raises(ml.AttributeError) as caught:
            owner.nothing  # noqa: B018
        assert caught.value.code == "E0624"
        assert isinstance(caught.value, AttributeError)
        assert not hasattr(owner, "nothing")
    with pytest.raises(ml.AttributeError, match="known") as caught:
        product().logit  # noqa: B018
    assert (caught.value.code, caught.value.help) == ("E0606", "did you mean 'logits'?")
    with pytest.raises(ml.AttributeError, match="a model has no attribute '__array__'"):
        product().__array__  # noqa: B018


def test_an_array_of_an_unsupported_dtype_is_refused():
    compiled = ml.compile(product(), ml.CpuBackend())
    arguments = {"weight": np.ones(2, np.complex64)}, {"image": np.ones(2)}
    assert text_of_error(lambda: compiled.evaluate(*arguments), ml.TypeError) == (
        "mithril.TypeError[E0391]: weight: Mithril has no dtype for arrays of complex64\n"
        "  help: convert it with .astype to bool, an integer, float16, bfloat16, float32 or float64"
    )


def test_lists_that_no_array_can_be_made_of_are_refused_by_key():
    compiled = ml.compile(product(), ml.CpuBackend())
    arguments = {"weight": [[1.0], [1.0, 2.0]]}, {"image": np.ones(2)}
    text = text_of_error(lambda: compiled.evaluate(*arguments), ml.TypeError)
    assert text.startswith(
        "mithril.TypeError[E0379]: weight: no array can be made of this\n"
        "  got : [[1.0], [1.0, 2.0]]\n"
        "  why : setting an array element with a sequence."
    )
    assert text.endswith("\n  help: the lists of an array have one length at each depth")
    endless: list[object] = []
    endless.append(endless)
    for refused in (lambda: ml.Tensor(endless), lambda: compiled.evaluate({"weight": endless})):
        assert "no array can be made of this" in text_of_error(refused, ml.TypeError)


def test_a_masked_array_does_not_lose_its_mask():
    compiled = ml.compile(product(), ml.CpuBackend())
    values = np.ma.array([1.0, 9.0], mask=[False, True])
    arguments = {"weight": np.ones(2)}, {"image": values}
    expected = (
        "mithril.TypeError[E0379]: image: no array can be made of this\n"
        "  got : a masked array, whose mask would be lost\n"
        "  help: give filled(value), and the mask as an input of its own"
    )
    assert text_of_error(lambda: compiled.evaluate(*arguments), ml.TypeError) == expected
    source = ml.data.from_arrays({"image": values}).batch(2)
    batches = [lambda batch=batch: compiled.evaluate(arguments[0], batch) for batch in source]
    assert [text_of_error(batch, ml.TypeError) for batch in batches] == [expected]
    for whole in (np.ma.array([1.0, 9.0]), np.ma.array([1.0, 9.0], mask=False)):
        assert compiled.evaluate(arguments[0], {"image": whole})


def test_an_unknown_option_of_compile_gives_the_nearest():
    options = {"shpaes": {"image": [1]}}
    assert text_of_error(
        lambda: ml.compile(product(), ml.CpuBackend(), **options), ml.NameError
    ) == (
        "mithril.NameError[E0605]: compile has no argument 'shpaes'\n"
        "  known : model, backend, backends, shapes, types, data_keys, constant_keys, "
        "trainable_keys, frozen, discard_keys, outputs, inference, jit, use_short_namings, "
        "file_path, safe_shapes, use_checkpointing, debug, quiet, optimization_level and 7 more\n"
        "  help: did you mean 'shapes'?"
    )


def test_an_error_about_a_string_in_place_of_a_value_shows_how_to_write_it():
    model = ml.Model()
    model |= ml.BinaryCrossEntropy()(input="x", target="t", input_type="probs", output="y")
    shapes = {"x": [1, 1]}
    assert text_of_error(lambda: ml.compile(model, ml.CpuBackend(), shapes=shapes)) == (
        "mithril.ValueError[E0403]: binarycrossentropy: the value of port 'input_type' is not "
        "known\n"
        "  kinds : str\n"
        "  help: a string in a binding is the name of a key; text that is a value is "
        'Datum("...") in C++ and ml.IOKey(value="...") in Python'
    )


def test_an_error_about_a_string_in_place_of_a_number_says_that_it_is_a_name():
    model = ml.Model()
    model |= ml.Mean()(input="x", axis="0", output="y")
    assert text_of_error(lambda: ml.compile(model, ml.CpuBackend())) == (
        "mithril.ValueError[E0403]: mean: the value of port 'axis' is not known\n"
        "  kinds : int or tuple or None\n"
        "  help: bind it to a value, or state one with set_values; a string in a binding is the "
        "name of a key"
    )


@pytest.mark.parametrize(
    ("part", "port", "text"),
    [
        (lambda: ml.Conv2d(3, filters=4), "padding", "same"),
        (lambda: ml.Conv2d(3, filters=4), "stride", "2"),
        (lambda: ml.Conv2d(3, filters=4), "dilation", "2"),
        (lambda: ml.MaxPool2D(3), "padding", "same"),
        (lambda: ml.MaxPool2D(3), "stride", "2"),
        (ml.LayerNorm, "eps", "1e-3"),
        (lambda: ml.Mean(axis=1), "axis", "0"),
    ],
)
def test_a_string_is_not_taken_for_a_name_where_the_port_has_a_value(part, port, text):
    model = ml.Model()
    with pytest.raises(ml.ConnectionError, match=f"E0120.*port '{port}' of .* has a value"):
        model |= part()(**{port: text})
    assert not model.input_keys
    model |= part()(**{port: ml.IOKey("named")})
    assert "named" not in model.input_keys


def test_more_inputs_than_a_part_takes_are_refused():
    x = ml.IOKey("x")
    assert text_of_error(lambda: ml.Relu()(x, x), ml.ConnectionError) == (
        "mithril.ConnectionError[E0110]: Relu takes 1 inputs, not 2"
    )


def test_an_unknown_argument_gives_the_nearest():
    assert text_of_error(lambda: ml.Linear(dimensoin=3), ml.NameError) == (
        "mithril.NameError[E0605]: Linear has no argument 'dimensoin'\n"
        "  known : dimension, use_bias\n"
        "  help: did you mean 'dimension'?"
    )


def test_a_solver_is_gone_when_its_constraint_has_returned():
    kept = []
    product().add_constraint(kept.append, keys=["image"])
    assert text_of_error(lambda: kept[0].shape("image"), ml.StateError) == (
        "mithril.StateError[E0906]: a solver is used after the constraint has returned"
    )


def test_unknown_instruction_sets_are_refused():
    made = subprocess.run(
        [sys.executable, "-c", "import mithril as ml; ml.CpuBackend()"],
        env=environment(MITHRIL_INSTRUCTIONS="sse"),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert made.stderr.endswith(
        "mithril.ValueError[E0435]: MITHRIL_INSTRUCTIONS is 'sse', expected portable, avx2, "
        "avx512 or amx\n"
        "  help: it says which vector instructions are used at most; unset, the processor's best\n"
    )


def test_lack_of_memory_is_an_error_of_mithril():
    compiled = ml.compile(ml.Linear(2**40), ml.CpuBackend(), shapes={"input": [1, 2**10]})
    with pytest.raises(MemoryError) as caught:
        compiled.get_parameters()
    assert isinstance(caught.value, ml.OutOfMemoryError)
    assert str(caught.value) == "mithril.OutOfMemoryError[E1102]: there is not enough memory"


def test_a_type_of_tensors_is_known():
    expected = "\n  expected : bool, int, float, these joined by |, Any, or a dtype: ml.uint8"
    assert text_of_error(lambda: ml.Tensor[str], ml.TypeError) == (
        "mithril.TypeError[E0372]: there are no tensors of str" + expected
    )
    assert "no tensors of [1]" in text_of_error(lambda: ml.Tensor[[1]], ml.TypeError)


def test_a_connection_is_not_iterated_over():
    assert text_of_error(lambda: list(ml.IOKey("x")), TypeError) == (
        "mithril.TypeError[E0374]: a connection cannot be iterated over\n"
        "  help: index it: x[0]; x.shape[0] is its first size"
    )


def test_a_connection_has_no_truth():
    assert text_of_error(lambda: bool(ml.IOKey("x") > 1), TypeError) == (
        "mithril.TypeError[E0375]: a connection is neither true nor false while composing\n"
        "  help: choose with Where, and write & | ~ in place of and, or, not"
    )


@pytest.mark.parametrize("ending", ["onnx", "rs", "pt", "js", ""])
def test_the_ending_of_generated_source_names_a_language(ending, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    compiled = ml.compile(ml.Relu(), ml.CpuBackend(), shapes={"input": [2]}, data_keys={"input"})
    path = f"m.{ending}"
    text = (
        "mithril.ValueError[E0492]: the ending of 'm.onnx' names no language\n"
        "  expected : .cpp, .cc, .cxx, .mjs, .py"
    ).replace("m.onnx", path)
    options = {"shapes": {"input": [2]}, "data_keys": {"input"}, "file_path": path}
    writers = [
        lambda: ml.codegen(compiled, path),
        lambda: ml.compile(ml.Relu(), ml.CpuBackend(), **options),
    ]
    assert [text_of_error(write, ValueError) for write in writers] == [text, text]
    assert not list(tmp_path.iterdir())


def test_an_error_of_numpy_is_raised_as_an_error_of_mithril():
    backend = ml.CpuBackend()
    text = text_of_error(lambda: backend.zeros(object()), TypeError)
    assert text.startswith(
        "mithril.TypeError[E0377]: zeros: no array has these arguments\n  why : "
    )
    assert text_of_error(lambda: backend.zeros(-1), ValueError) == (
        "mithril.ValueError[E0488]: zeros: no array has these values\n"
        "  why : negative dimensions are not allowed"
    )
    text = text_of_error(lambda: backend.zeros(2**40), MemoryError)
    assert text.startswith("mithril.OutOfMemoryError[E1102]: there is not enough memory\n  why : ")


def test_a_functional_returns_connections():
    @ml.functional
    def block(x, width=64):
        return width

    assert text_of_error(block, ml.TypeError) == (
        "mithril.TypeError[E0378]: block returned no connection\n"
        "  expected : a connection, or a tuple or a dict of them\n"
        "  got      : 64"
    )
    assert "block has no argument 'widht'" in text_of_error(lambda: block(widht=3), ml.NameError)
    assert "block takes none of its arguments by position" in text_of_error(
        lambda: block(3), ml.TypeError
    )
    for refused in (3, max, lambda *xs: xs):
        text = text_of_error(lambda refused=refused: ml.functional(refused), ml.TypeError)
        assert "[E0395]: functional: argument 'function' has the wrong kind" in text


def test_only_one_output_needs_no_name():
    x = ml.IOKey("x")
    assert text_of_error(lambda: ml.Model.create(x, x), ml.TypeError) == (
        "mithril.TypeError[E0396]: Model.create takes at most 1 of its arguments by position, "
        "not 2\n"
        "  help: name the outputs: Model.create(output=h, loss=l)"
    )
