import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

weights = {"weight": np.ones((4, 3), np.float32), "bias": np.zeros(3, np.float32)}
graph = helper.make_graph(
    [
        helper.make_node("Gemm", ["x", "weight", "bias"], ["h"]),
        helper.make_node("Relu", ["h"], ["output"]),
    ],
    "graph",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])],
    [helper.make_tensor_value_info("output", TensorProto.FLOAT, ["N", 3])],
    [numpy_helper.from_array(array, name) for name, array in weights.items()],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
session = onnxruntime.InferenceSession(model.SerializeToString())
print(session.run(None, {"x": np.ones((2, 4), np.float32)}))
