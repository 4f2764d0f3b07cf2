from layer_cases.case import Example, Input, ints

OUT = {"RNNCell": "w_ho", "LSTMCell": "w_out", "GRUCell": "w_out"}
CELL_TYPES = ("RNNCell", "LSTMCell", "GRUCell")
FIRST: dict[str, Input] = {"initial_hidden": (3, 1, 4), "initial_cell": (3, 1, 4)}
SEQUENCE: dict[str, Input] = {"input0": (3, 1, 2), "input1": (2, 1, 2), "initial_hidden": (3, 1, 4)}


def sizes(cell: str, outputs: int, prefix: str = "") -> dict[str, Input]:
    """Returns the sizes of parameters that do not follow from those of the data."""
    found: dict[str, Input] = {prefix + OUT[cell]: (outputs, 4)}
    return found | ({prefix + "w_ih": (12, 2)} if cell == "GRUCell" else {})


EXAMPLES: dict[str, list[Example]] = {
    "EncoderDecoder": [
        Example(
            {
                "cell_type": cell,
                "max_input_sequence_length": 2,
                "max_target_sequence_length": 2,
                "teacher_forcing": forced,
            },
            SEQUENCE
            | {"decoder_input": (3, 1, 2), "indices": ints(3, 3), "output0": (3, 1, 2)}
            | {
                "target0": (3, 1, 2),
                "target1": (2, 1, 2),
                "initial_cell": (3, 1, 4),
                "decoder_initial_cell": (3, 1, 4),
            }
            | sizes(cell, 2)
            | sizes(cell, 2, "decoder_"),
        )
        for cell in CELL_TYPES
        for forced in (False, True)
    ],
    "EncoderDecoderInference": [
        Example(
            {
                "cell_type": cell,
                "max_input_sequence_length": 2,
                "max_target_sequence_length": 2,
            },
            SEQUENCE
            | {"decoder_input": (3, 1, 2), "output0": (3, 1, 2)}
            | {"initial_cell": (3, 1, 4), "decoder_initial_cell": (3, 1, 4)}
            | sizes(cell, 2)
            | sizes(cell, 2, "decoder_"),
        )
        for cell in CELL_TYPES
    ],
    "ManyToOne": [
        Example(
            {"cell_type": cell, "max_sequence_length": 2}, SEQUENCE | FIRST | {"output0": (3, 1, 5)}
        )
        for cell in CELL_TYPES
    ]
    + [
        Example(
            {
                "cell_type": cell,
                "max_sequence_length": 2,
                "use_lengths": True,
                "reverse": reverse,
            },
            {"input0": (3, 1, 2), "input1": (3, 1, 2), "lengths": ints(3, 3)}
            | FIRST
            | {"output0": (3, 1, 5)}
            | sizes(cell, 5),
        )
        for cell in CELL_TYPES
        for reverse in (False, True)
    ],
    "OneToMany": [
        Example(
            {"cell_type": cell, "max_sequence_length": 2, "teacher_forcing": forced},
            {"input": (3, 1, 2), "target0": (3, 1, 2), "target1": (2, 1, 2), "output0": (3, 1, 2)}
            | FIRST
            | sizes(cell, 2),
        )
        for cell in CELL_TYPES
        for forced in (False, True)
    ],
    "OneToManyInference": [
        Example(
            {"cell_type": cell, "max_sequence_length": 2},
            {"input": (3, 1, 2), "output0": (3, 1, 2)} | FIRST | sizes(cell, 2),
        )
        for cell in CELL_TYPES
    ],
}
