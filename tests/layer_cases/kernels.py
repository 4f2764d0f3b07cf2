import numpy as np

import mithril as ml
from layer_cases.case import Example, examples, points

EXAMPLES: dict[str, list[Example]] = {
    "KernelizedSVM": [
        *examples({"input1": (4, 3), "input2": (3, 3)}, {"kernel": "RBFKernel"}),
        *examples(
            {"input1": points(4, 3), "input2": points(3, 3), "degree": np.array(2.0)}
            | {"poly_coef": np.array(1.0)},
            {"kernel": ml.PolynomialKernel(robust=False)},
        ),
    ],
    "PolynomialKernel": examples(
        {"input1": points(4, 2), "input2": points(3, 2)}
        | {"poly_coef": np.array(1.0), "degree": np.array(2.0)},
        {},
        {"robust": False},
    ),
    "RBFKernel": examples(
        {"input1": (4, 2), "input2": (3, 2), "l_scale": np.array([0.5]), "sigma": np.array([2.0])}
    ),
}
