from layer_cases.case import NORM, ROWS, Example, distances, examples, points

EXAMPLES: dict[str, list[Example]] = {
    "CartesianDifference": examples({"left": ROWS, "right": (2, 3)}),
    "EncoderDistanceMatrix": examples(
        {
            "input1": (4, 2),
            "input2": (3, 2),
        }
        | NORM,
        {},
        {"get_final_distance": False},
        {"robust": False},
    ),
    "MDSCore": examples(
        {"distances": distances(4), "pred_distances": distances(4).T * 1.5} | NORM,
        {},
        {"exact_distances": False},
        {"robust": False},
    ),
    "NormModifier": examples({"input": ROWS}),
    "TSNECore": [
        *examples(
            {"distances": distances(4), "pred_distances": distances(4) * 1.5}
            | {"p_joint": points(4, 4)},
            {},
            {"exact_distances": False},
        ),
        *examples(
            {"distances": distances(4), "pred_distances": distances(4) * 1.5},
            {"calculate_p_joint": True, "perplexity": 2.0},
        ),
    ],
    "TransposedDiagonal": examples({"input": (3, 3)}),
}
