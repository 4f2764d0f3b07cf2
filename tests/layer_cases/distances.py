from layer_cases.case import NORM, ROWS, Example, distances, each, points

EXAMPLES: dict[str, list[Example]] = {
    "CartesianDifference": each({"left": ROWS, "right": (2, 3)}),
    "EncoderDistanceMatrix": each(
        {
            "input1": (4, 2),
            "input2": (3, 2),
        }
        | NORM,
        {},
        {"get_final_distance": False},
        {"robust": False},
    ),
    "MDSCore": each(
        {"distances": distances(4), "pred_distances": distances(4).T * 1.5} | NORM,
        {},
        {"exact_distances": False},
        {"robust": False},
    ),
    "NormModifier": each({"input": ROWS}),
    "TSNECore": [
        *each(
            {"distances": distances(4), "pred_distances": distances(4) * 1.5}
            | {"p_joint": points(4, 4)},
            {},
            {"exact_distances": False},
        ),
        *each(
            {"distances": distances(4), "pred_distances": distances(4) * 1.5},
            {"calculate_p_joint": True, "perplexity": 2.0},
        ),
    ],
    "TransposedDiagonal": each({"input": (3, 3)}),
}
