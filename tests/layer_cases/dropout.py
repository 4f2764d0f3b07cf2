from layer_cases.case import ROWS, Example, examples

EXAMPLES: dict[str, list[Example]] = {
    "Dropout": examples({"input": ROWS}, {}, {"p": 0.25, "seed": 3}, {"inference": True}),
}
