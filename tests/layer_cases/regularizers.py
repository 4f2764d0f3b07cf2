from layer_cases.case import ROWS, Example, examples

EXAMPLES: dict[str, list[Example]] = {
    "L1": examples({"input": ROWS}),
    "L2": examples({"input": ROWS}),
    "QuadraticFormRegularizer": examples({"input": (1, 3), "kernel": (3, 3)}),
}
