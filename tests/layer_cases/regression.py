from layer_cases.case import ROWS, Example, each

EXAMPLES: dict[str, list[Example]] = {
    "LinearSVM": each({"input": ROWS}),
    "LogisticRegression": each({"input": ROWS}),
    "PolynomialRegression": each(
        {"input": ROWS}, {"degree": 2, "dimension": 1}, {"degree": 3, "dimension": 2}
    ),
}
