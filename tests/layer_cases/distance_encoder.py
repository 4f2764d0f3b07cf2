from layer_cases.case import NORM, Example, distances, examples, points

EXAMPLES: dict[str, list[Example]] = {
    "DistanceEncoder": [
        *examples({"input": distances(4), "coords": (4, 2)} | NORM, {"base_model": "MDSCore"}),
        *examples(
            {"input": points(4, 3), "coords": (4, 2)} | NORM,
            {"base_model": "MDSCore", "input_type": "points"},
        ),
    ],
    "MDS": [
        *examples({"input": distances(4)} | NORM, {"prediction_dim": 2}),
        *examples({"input": points(4, 3)} | NORM, {"prediction_dim": 2, "input_type": "points"}),
    ],
    "TSNE": [
        *examples(
            {"input": distances(4), "tsnecore.p_joint": points(4, 4)} | NORM, {"prediction_dim": 2}
        ),
        *examples(
            {"input": points(4, 3)} | NORM,
            {
                "prediction_dim": 2,
                "input_type": "points",
                "preplexity": 2.0,
                "calculate_p_joint": True,
            },
        ),
    ],
}
