from layer_cases.case import ROWS, Example, examples

EXAMPLES: dict[str, list[Example]] = {
    "LinearSVM": examples({"input": ROWS}),
    "LogisticRegression": examples({"input": ROWS}),
    "PolynomialRegression": examples(
        {"input": ROWS}, {"degree": 2, "dimension": 1}, {"degree": 3, "dimension": 2}
    ),
}
