"""`dynamic_shapes` of `ml.from_torch`: the forms of torch.export, and names of sizes."""

from typing import Any

import pytest

import mithril as ml

torch = pytest.importorskip("torch", reason="torch is not installed")

nn = torch.nn
Dim = torch.export.Dim
X, Y = torch.arange(6.0).reshape(2, 3), torch.ones(3)
N = Dim("N")


class Sum(nn.Module):
    def forward(self, x, y):
        return x + y


FORMS: dict[str, tuple[Any, list[Any]]] = {
    "names by position": ([["N", None], None], ["N", 3]),
    "names by axis": ({"x": {0: "N"}}, ["N", 3]),
    "a name beside a size": ({"x": ["N", 3]}, ["N", 3]),
    "a tuple of dicts": (({0: N}, None), ["N", 3]),
    "a list of dicts": ([{0: N}, {}], ["N", 3]),
    "a dict of dicts": ({"x": {0: N, 1: None}, "y": {0: None}}, ["N", 3]),
    "a dict of tuples": ({"x": (N, 3), "y": (3,)}, ["N", 3]),
    "a dict of lists": ({"x": [N, None], "y": [None]}, ["N", 3]),
    "bounds": ({"x": {0: Dim("M", min=2, max=9)}, "y": None}, ["M", 3]),
    "AUTO": (({0: Dim.AUTO, 1: Dim.STATIC}, None), ["x_0", 3]),
    "AUTO in a list": ({"x": [Dim.AUTO, None], "y": None}, ["x_0", 3]),
    "AUTO with bounds": ({"x": [Dim.AUTO(min=2), None], "y": None}, ["x_0", 3]),
    "DYNAMIC in a tuple": (((Dim.DYNAMIC, Dim.STATIC), None), ["x_0", 3]),
    "two dims": ({"x": {0: N, 1: Dim("M")}, "y": {0: Dim("M")}}, ["N", "M"]),
    "two names": ({"x": ["N", "M"], "y": ["M"]}, ["N", "M"]),
    "nothing": ({}, [2, 3]),
    "an empty tuple": ((), [2, 3]),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_torch_export_are_taken(form: str) -> None:
    dynamic, expected = FORMS[form]
    model, _ = ml.from_torch(Sum(), (X, Y), dynamic)
    assert model.get_shapes()["x"] == expected
    assert model.get_shapes()["output"] == expected
    torch.export.export(Sum(), (X, Y), dynamic_shapes=dynamic) if is_theirs(dynamic) else None
    rows = 2 if expected[0] == 2 else 5
    compiled = ml.compile(model, ml.CpuBackend())
    data = {"x": torch.ones(rows, 3), "y": Y}
    given = {key: data[key] for key in compiled.data_keys}
    params = {key: data[key] for key in compiled.parameter_keys}
    assert compiled.evaluate(params, given)["output"].tolist() == [[2.0, 2.0, 2.0]] * rows


def is_theirs(dynamic: Any) -> bool:
    """Whether torch.export takes it as it is: it knows no names, and needs all inputs."""
    return not any(isinstance(leaf, str) for leaf in torch.utils._pytree.tree_leaves(dynamic))


def test_a_collection_of_shapes_is_taken() -> None:
    shapes = torch.export.ShapesCollection()
    shapes[X] = {0: N}
    model, _ = ml.from_torch(Sum(), (X, Y), shapes)
    assert model.get_shapes()["x"] == ["N", 3]
    with pytest.raises(ml.ValueError, match="E0414") as caught:
        ml.from_torch(Sum(), (X.clone(), Y), shapes)
    assert "Some tensors that were assigned shapes were not found in args" in str(caught.value)


def test_additional_inputs_are_taken() -> None:
    others = torch.export.AdditionalInputs()
    others.add((torch.ones(5, 3), Y))
    model, _ = ml.from_torch(Sum(), (X, Y), others)
    assert model.get_shapes()["x"] == ["x_0", 3]


def test_sizes_that_depend_on_others_are_taken() -> None:
    class Pairs(nn.Module):
        def forward(self, x, y):
            return x.reshape(y.shape[0], -1) + y

    half = Dim("half")
    model, _ = ml.from_torch(
        Pairs(), (torch.ones(4, 3), torch.ones(2, 6)), ({0: 2 * half}, {0: half})
    )
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=["x", "y"])
    data = {"x": torch.ones(6, 3), "y": torch.ones(3, 6)}
    assert compiled.evaluate({}, data)["output"].tolist() == [[2.0] * 6] * 3


class Nested(nn.Module):
    def forward(self, xs, by_name):
        return xs[0] + xs[1] + by_name["a"][0]


A = torch.ones(2, 3)
INPUTS = {"xs": [A, A.clone()], "by_name": {"a": (A.clone(),)}}
NESTED: dict[str, Any] = {
    "dims": {"xs": [{0: N}, {0: N}], "by_name": {"a": ({0: N},)}},
    "names": {"xs": [["N", None], {0: "N"}], "by_name": {"a": [["N"]]}},
    "by position": ([(N, 3), [N, None]], {"a": ((N, 3),)}),
}


@pytest.mark.parametrize("form", NESTED)
def test_inputs_may_be_nested(form: str) -> None:
    model, _ = ml.from_torch(Nested(), INPUTS, NESTED[form])
    keys = model.input_keys
    assert len(keys) == 3
    assert all(model.get_shapes()[key] == ["N", 3] for key in keys)
    compiled = ml.compile(model, ml.CpuBackend(), data_keys=keys)
    data = {key: torch.ones(5, 3) for key in keys}
    assert compiled.evaluate({}, data)["output"].tolist() == [[3.0, 3.0, 3.0]] * 5


def test_nested_inputs_may_be_left_out() -> None:
    model, _ = ml.from_torch(Nested(), INPUTS, {"xs": [None, None]})
    assert all(model.get_shapes()[key] == [2, 3] for key in model.input_keys)


def text_of(dynamic: Any, error: type) -> str:
    with pytest.raises(error) as caught:
        ml.from_torch(Sum(), (X, Y), dynamic)
    return str(caught.value)


def test_a_tuple_has_an_item_for_each_input() -> None:
    assert text_of(({0: N},), ml.NameError) == (
        "mithril.NameError[E0618]: dynamic_shapes has 1 items for 2 inputs\n  inputs : x, y"
    )


@pytest.mark.parametrize("shapes", [({0: 5}, None), {"x": {0: 5}}, {"x": [{}, None]}])
def test_shapes_that_torch_export_refuses_are_refused(shapes: Any) -> None:
    assert "mithril.ValueError[E0414]: forward of Sum cannot be exported" in text_of(
        shapes, ml.ValueError
    )


@pytest.mark.parametrize("shapes", ["all", 3, N])
def test_other_values_are_refused(shapes: Any) -> None:
    assert "argument 'dynamic_shapes'" in text_of(shapes, ml.TypeError)


def test_a_program_has_its_sizes_already() -> None:
    program = torch.export.export(Sum(), (X, Y), dynamic_shapes=({0: N}, None))
    model, _ = ml.from_torch(program)
    assert model.get_shapes()["x"] == ["x_0", 3]
    with pytest.raises(ml.TypeError, match="argument 'dynamic_shapes'") as caught:
        ml.from_torch(program, None, ({0: N}, None))
    assert "None, since the program has sizes" in str(caught.value)


def test_the_warning_of_fixed_sizes_names_the_line_that_calls() -> None:
    with pytest.warns(UserWarning, match="fixed axis 0 of 'x' at 1") as caught:
        ml.from_torch(Sum(), (X[:1], Y), "auto")
    assert [warning.filename for warning in caught] == [__file__]


class ElementsOfFirstRowsChanged(nn.Module):
    def __init__(self, accumulate: bool) -> None:
        super().__init__()
        self.accumulate = accumulate

    def forward(self, x, y):
        places = torch.arange(y.shape[0]), y.argmax(-1)
        is_low = (x < 0).index_put(places, y[:, 0] < 0)
        return x.index_put(places, y[:, 0], self.accumulate) + is_low


@pytest.mark.parametrize("accumulate", [False, True])
def test_an_element_of_each_of_the_first_rows_is_changed(accumulate: bool) -> None:
    torch.manual_seed(2)
    module, x, y = ElementsOfFirstRowsChanged(accumulate), torch.randn(5, 3), torch.randn(5, 3)
    model, _ = ml.from_torch(module, (x, y[:4]), (["N", None], ["M", None]))
    compiled = ml.compile(model, ml.CpuBackend(), data_keys={"x", "y"})
    for rows in (1, 4, 5):
        got = compiled.evaluate({}, {"x": x, "y": y[:rows]})["output"]
        torch.testing.assert_close(torch.as_tensor(got), module(x, y[:rows]), rtol=0, atol=0)
