import numpy as np

from layer_cases.case import Example, each, positive

EXAMPLES: dict[str, list[Example]] = {
    "GPRAlpha": each({"label_mu_diff": (3, 1), "L": positive(3), "K_term": positive(3)}),
    "GPRLoss": each(
        {"labels": (3, 1), "mu": (3, 1), "L": np.linalg.cholesky(positive(3))}
        | {"K_term": positive(3), "alpha": (3, 1)},
        {},
        {"robust": True},
    ),
    "GPRVOuter": each({"K": (3, 2), "K_term": positive(3), "L": positive(3)}),
    "GaussProcessRegressionCore": each(
        {"label": (3, 1), "mu": (3, 1), "s": np.array([0.5]), "k": positive(3)}
        | {"k_star": positive(3)}
    ),
}
