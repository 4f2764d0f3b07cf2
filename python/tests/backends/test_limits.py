"""Limits on the size of models and values, from Python."""

import pytest

import mithril as ml


def test_limits_are_shown_and_changed_one_by_one():
    before = ml.limits()
    assert before["parts"] == 1_000_000
    try:
        ml.set_limits(parts=2)
        assert ml.limits() == before | {"parts": 2}
        model = ml.Model()
        model += ml.Relu()
        model += ml.Relu()
        with pytest.raises(ml.ValueError, match="the limit 'parts' is 2"):
            model += ml.Relu()
        assert len(model.input_keys) == 1
    finally:
        ml.set_limits(**before)
    assert ml.limits() == before


def test_a_limit_of_0_is_refused():
    with pytest.raises(ml.ValueError, match="the limit 'dim_terms' is 0, expected at least 1"):
        ml.set_limits(dim_terms=0)


def test_names_are_shown_without_their_control_characters():
    model = ml.Model()
    model |= ml.Relu()(input="a\n\x1b[31m", output="b")
    assert "a\\n\\x1b[31m" in model.summary()
    with pytest.raises(ml.NameError, match="a name holds a NUL"):
        model |= ml.Relu()(input="b", output="c\0d")
    with pytest.raises(ml.NameError, match=r"there is no key 'x\\x07'"):
        model.set_shapes({"x\a": [1]})
