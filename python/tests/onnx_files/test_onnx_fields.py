"""The numbers of fields and element types are those of the onnx package."""

import operator
import re
import sys
from pathlib import Path

import pytest

HEADER = Path(__file__).parents[3] / "mithril" / "onnx" / "proto.hpp"
MESSAGES = {
    "model": "ModelProto",
    "opset": "OperatorSetIdProto",
    "function": "FunctionProto",
    "graph": "GraphProto",
    "node": "NodeProto",
    "attribute": "AttributeProto",
    "tensor": "TensorProto",
    "entry": "StringStringEntryProto",
    "value_info": "ValueInfoProto",
    "type": "TypeProto",
    "tensor_type": "TypeProto.Tensor",
    "shape": "TensorShapeProto",
    "dim": "TensorShapeProto.Dimension",
}


def onnx_package():
    # tests/onnx is a folder of that name.
    pytest.importorskip("onnx.helper", reason="the onnx package is not installed: make onnx has it")
    return sys.modules["onnx"]


def test_the_numbers_are_those_of_the_package():
    onnx = onnx_package()
    text = HEADER.read_text(encoding="utf-8")
    found = re.findall(r"namespace (\w+)_field \{(.*?)\}", text, re.DOTALL)
    assert [name for name, _ in found] == list(MESSAGES)
    for name, body in found:
        fields = operator.attrgetter(MESSAGES[name])(onnx).DESCRIPTOR.fields_by_name
        for field, number in re.findall(r"(\w+) = (\d+)", body):
            assert fields[field].number == int(number), f"{name}.{field}"


def test_every_element_type_is_there():
    onnx = onnx_package()
    text = HEADER.read_text(encoding="utf-8")
    body = re.search(r"enum class ElementType.*?\{(.*?)\}", text, re.DOTALL)
    numbers = sorted(int(number) for number in re.findall(r"= (\d+)", body[1]))
    assert numbers == sorted(onnx.TensorProto.DataType.values())
