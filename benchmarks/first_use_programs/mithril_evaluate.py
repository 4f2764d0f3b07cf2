import numpy as np

import mithril as ml

model = ml.Model.create(output=ml.Relu()(ml.Linear(3)(ml.IOKey("x", shape=["N", 4]))))
compiled = ml.compile(model, ml.CpuBackend(), data_keys={"x"})
print(compiled.evaluate(compiled.get_parameters(), {"x": np.ones((2, 4), np.float32)})["output"])
