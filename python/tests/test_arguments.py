"""Invalid arguments: each constructor names the argument, the expected and the given value.

Over every op and every library model, and every argument that its record lists.
"""

from typing import Any

import numpy as np
import pytest
from layer_cases import LIBRARY
from mithril._internal.records import public_records

import mithril as ml

VALUES: dict[str, Any] = {
    "none": None,
    "bool": True,
    "int": 2,
    "float": 1.5,
    "str": "nothing of this name",
    "dtype": ml.float32,
    "tuple": (1, "two"),
    "object": object(),
}
# Other values that a kind accepts.
ALSO = {"int": {"float"}, "str": {"model"}, "tuple": {"models", "names"}}


def fits(kinds: list[str], kind: str) -> bool:
    if "any" in kinds:
        return kind != "object"
    return kind in kinds or bool(ALSO.get(kind, set()) & set(kinds))


def cases() -> Any:
    for record in public_records():
        is_op = record["op"] is not None
        needed = {} if is_op else LIBRARY[record["name"]][0].arguments
        for argument in record["arguments"]:
            kinds = argument["kinds"].replace("value ", "").split("|")
            for kind, value in VALUES.items():
                if not fits(kinds, kind):
                    arguments = {**needed, argument["name"]: value}
                    what = f"{record['name']}({argument['name']}={kind})"
                    yield pytest.param(record["name"], argument["name"], arguments, id=what)


@pytest.mark.parametrize(("name", "argument", "arguments"), list(cases()))
@pytest.mark.sampled(13)
def test_a_value_of_another_kind_is_refused(
    name: str, argument: str, arguments: dict[str, Any]
) -> None:
    with pytest.raises(ml.TypeError) as caught:
        getattr(ml, name)(**arguments)
    assert caught.value.code == "E0304"
    message = str(caught.value)
    assert f"{name}: argument '{argument}' has the wrong kind\n  expected : " in message
    assert "\n  got      : " in message


OUT_OF_RANGE: list[tuple[str, dict[str, Any], str]] = [
    ("Linear", {"dimension": -1}, "dimension"),
    ("MLP", {"activations": ["Relu"], "dimensions": [-1]}, "dimensions"),
    ("MLP", {"activations": ["Relu"], "dimensions": ["two"]}, "dimensions"),
    ("MLP", {"activations": ["Relu"], "dimensions": [1, 2]}, "dimensions"),
    ("Conv2d", {"filters": 0, "kernel_size": 3}, "filters"),
    ("Conv2d", {"filters": 1, "kernel_size": (3, 0)}, "kernel_size"),
    ("Conv1d", {"filters": 1, "kernel_size": (3, 3)}, "kernel_size"),
    ("Conv2d", {"filters": 1, "kernel_size": 3, "padding": "sane"}, "padding"),
    ("LayerNorm", {"eps": -1.0}, "eps"),
    ("GroupNorm", {"num_groups": 0}, "num_groups"),
    ("BatchNorm2D", {"momentum": 1.5}, "momentum"),
    ("Dropout", {"p": 1.0}, "p"),
    ("F1", {"n_classes": 0}, "n_classes"),
    ("Recall", {"average": "mean"}, "average"),
    ("AUC", {"n_classes": 0}, "n_classes"),
    ("TSNECore", {"perplexity": 0.0}, "perplexity"),
    ("TSNE", {"prediction_dim": 2, "preplexity": 0.0}, "preplexity"),
    ("MDS", {"prediction_dim": -2}, "prediction_dim"),
    ("MDS", {"prediction_dim": 2, "input_type": "lines"}, "input_type"),
    ("DistanceEncoder", {"base_model": "Relu"}, "base_model"),
    ("MultiHeadAttention", {"num_heads": 3, "dimension": 4}, "num_heads"),
    ("MultiHeadAttention", {"num_heads": 3, "dimension": -3}, "dimension"),
    (
        "TransformerBlock",
        {"num_heads": 1, "dimension": 1, "hidden_dimension": 0},
        "hidden_dimension",
    ),
    ("Upsample", {"mode": "cubic"}, "mode"),
    ("Upsample", {"antialias": True}, "antialias"),
    ("GridSample3d", {"mode": "bicubic"}, "mode"),
    ("Rfft", {"n": 0}, "n"),
    ("Irfft", {"norm": "none"}, "norm"),
    ("OneToMany", {"cell_type": "RNNCell", "max_sequence_length": 0}, "max_sequence_length"),
    ("Randn", {"shape": (2, -1)}, "shape"),
    ("RandInt", {"shape": 2, "low": 3, "high": 3}, "high"),
    ("RandInt", {"shape": 2, "dtype": ml.float32}, "dtype"),
    ("Split", {"split_size": 0, "axis": 0}, "split_size"),
    ("RotaryEmbedding", {"base": 0.0}, "base"),
    ("RotaryEmbedding", {"dim": 3}, "dim"),
    ("RotaryEmbedding", {"frequencies": []}, "frequencies"),
    ("RotaryEmbedding", {"frequencies": [1.0, float("inf")]}, "frequencies"),
    ("RotaryEmbedding", {"frequencies": [1.0, float("nan")]}, "frequencies"),
    ("RotaryEmbedding", {"frequencies": [1.0, "two"]}, "frequencies"),
    ("RotaryEmbedding", {"frequencies": [1.0], "base": 500.0}, "base"),
]


@pytest.mark.parametrize(("name", "arguments", "wrong"), OUT_OF_RANGE)
def test_a_value_out_of_range_is_refused(name: str, arguments: dict[str, Any], wrong: str) -> None:
    with pytest.raises(
        ml.ValueError, match=f"{name}: argument '{wrong}' is out of range"
    ) as caught:
        getattr(ml, name)(**arguments)
    assert "expected : " in str(caught.value) and "got      : " in str(caught.value)


def test_an_error_about_a_missing_model_names_the_argument() -> None:
    with pytest.raises(ml.NameError, match="MLP, argument 'activations': there is no model 'Rleu'"):
        ml.MLP(activations=["Tanh", "Rleu"], dimensions=[2, 2])
    with pytest.raises(ml.NameError, match="did you mean 'LSTMCell'"):
        ml.ManyToOne("LTSMCell", max_sequence_length=2)


def test_a_model_that_could_not_be_made_has_a_repr() -> None:
    """pytest and debuggers print the arguments of the call that raised."""
    with pytest.raises(ml.TypeError) as caught:
        ml.Linear("three")
    frame = caught.traceback[1].frame
    assert repr(frame.f_locals["self"]) == "<Linear that could not be made>"


def test_an_index_may_be_given_to_the_constructor() -> None:
    model = ml.Model()
    model |= ml.Indexer(index=(slice(None), 1))(input="x", output="y")
    model |= ml.Indexer(index=0)(input="x", output="row")
    model |= ml.Indexer()(input="x", index=[None, 2], output="bound")
    model.set_shapes(x=[3, 4])
    assert model.get_shapes()["y"] == [3]
    assert model.get_shapes()["row"] == [4]
    assert model.get_shapes()["bound"] == [1, 4]
    assert ml.Model.from_json(model.to_json()) == model


def text_of(call: Any, kind: type[ml.Error] = ml.TypeError) -> str:
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


def test_an_array_in_place_of_a_value_is_refused() -> None:
    for array in (np.ones(2), ml.Tensor([1.0, 1.0])):
        text = text_of(lambda array=array: ml.CrossEntropy(weights=array))
        assert text.startswith(
            "mithril.TypeError[E0304]: CrossEntropy: argument 'weights' has the wrong kind\n"
            "  expected : bool or str or tuple\n"
            "  got      : "
        )
        assert text.endswith("\n  help: give the numbers as a tuple: tuple(array.tolist())")
    text = text_of(lambda: ml.Linear(np.ones(2)))
    assert "argument 'dimension' has the wrong kind\n  expected : int or None\n" in text
    assert "help" not in text
    weights = tuple(np.ones(2, np.float32).tolist())
    assert ml.CrossEntropy(weights=weights) == ml.CrossEntropy(weights=(1.0, 1.0))


def test_an_array_at_a_port_is_an_input() -> None:
    assert text_of(lambda: ml.Linear(3, weight=np.ones((3, 2)))) == (
        "mithril.TypeError[E0307]: Linear: an input was passed to the constructor\n"
        "  help: call the model with it: ml.Linear(...)(weight=array)"
    )
    assert text_of(lambda: ml.Add(left=np.ones(3))).endswith("ml.Add()(left=array)")
    text = text_of(lambda: ml.CrossEntropy(weight=np.ones(3)), ml.NameError)
    assert text.startswith("mithril.NameError[E0605]: CrossEntropy has no argument 'weight'\n")
    assert text.endswith("help: here it is 'weights'")
