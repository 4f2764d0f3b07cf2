import numpy as np

from layer_cases.case import Example, examples, positive

EXAMPLES: dict[str, list[Example]] = {
    "GPRAlpha": examples({"label_mu_diff": (3, 1), "L": positive(3), "K_term": positive(3)}),
    "GPRLoss": examples(
        {"labels": (3, 1), "mu": (3, 1), "L": np.linalg.cholesky(positive(3))}
        | {"K_term": positive(3), "alpha": (3, 1)},
        {},
        {"robust": True},
    ),
    "GPRVOuter": examples({"K": (3, 2), "K_term": positive(3), "L": positive(3)}),
    "GaussProcessRegressionCore": examples(
        {"label": (3, 1), "mu": (3, 1), "s": np.array([0.5]), "k": positive(3)}
        | {"k_star": positive(3)}
    ),
}
