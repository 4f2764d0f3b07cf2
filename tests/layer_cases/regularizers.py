from layer_cases.case import ROWS, Example, each

EXAMPLES: dict[str, list[Example]] = {
    "L1": each({"input": ROWS}),
    "L2": each({"input": ROWS}),
    "QuadraticFormRegularizer": each({"input": (1, 3), "kernel": (3, 3)}),
}
