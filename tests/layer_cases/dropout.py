from layer_cases.case import ROWS, Example, each

EXAMPLES: dict[str, list[Example]] = {
    "Dropout": each({"input": ROWS}, {}, {"p": 0.25, "seed": 3}, {"inference": True}),
}
