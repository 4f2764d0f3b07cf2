"""Notes about the catalogue: examples, names that are missing on purpose, and differences."""

from typing import Any

RECURRENT = {"cell_type": "RNNCell", "max_sequence_length": 2}
DECODER = {
    "cell_type": "RNNCell",
    "max_input_sequence_length": 2,
    "max_target_sequence_length": 2,
}
WINDOW = {"kernel_size": 2}

# Arguments of constructors that cannot do without.
EXAMPLES: dict[str, dict[str, Any]] = {
    "AUC": {"n_classes": 2},
    "AvgPool2D": WINDOW,
    "DistanceEncoder": {"base_model": "MDSCore"},
    "EncoderDecoder": DECODER,
    "EncoderDecoderInference": DECODER,
    "KernelizedSVM": {"kernel": "RBFKernel"},
    "Layer": {"activation": "Relu"},
    "MDS": {"prediction_dim": 2},
    "MLP": {"activations": ["Relu", "Relu"], "dimensions": [2, 3]},
    "ManyToOne": RECURRENT,
    "MaxPool1D": WINDOW,
    "MaxPool2D": WINDOW,
    "OneToMany": RECURRENT,
    "OneToManyInference": RECURRENT,
    "PolynomialRegression": {"degree": 2},
    "PositionalEncoding": {"hidden_dim": 4},
    "RNN": {"hidden_size": 4},
    "ScaledDotProduct": {"use_attn_mask": True},
    "Split": {"split_size": 2, "axis": 0},
    "SwapAxes": {"axis1": 0, "axis2": 1},
    "TSNE": {"prediction_dim": 2},
    "Unique": {"size": 3},
}

BASE = "a base class of others, of no use by itself"
INFERRED = "convolutions and pools take all these forms as they are: there is nothing to convert"
FROM_ELEMENTS = (
    "its values would depend on elements: here all follow from sizes before anything runs"
)

# Names that are deliberately not here, and why.
ABSENT: dict[str, str] = {
    "Activation": BASE,
    "ArithmeticOperation": BASE,
    "BitwiseOperators": BASE,
    "BitwiseOperatorsOp": BASE,
    "Cell": BASE,
    "CustomPrimitiveModel": "a user's own op is a record: `ml.add_op` in Python and C++",
    "PaddingConverter1D": INFERRED,
    "PaddingConverter2D": INFERRED,
    "Pool1D": BASE,
    "Pool2D": BASE,
    "PrimitivePool2D": BASE,
    "PrimitiveUnion": "a tuple is made of the items of others: `ToTuple()(input=[a[0], a[1], b])`",
    "Reduce": BASE,
    "ReduceOp": BASE,
    "RelationalModel": BASE,
    "RelationalOperatorsOp": BASE,
    "ShiftOperators": BASE,
    "SingleInputModel": BASE,
    "SingleInputOperationOp": BASE,
    "StrideConverter": INFERRED,
    "SupervisedLoss": BASE,
    "TensorToList": FROM_ELEMENTS,
    "TensorToListOp": FROM_ELEMENTS,
    "TupleConverter": INFERRED,
}
