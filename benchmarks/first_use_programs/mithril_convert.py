import numpy as np
import torch

import mithril as ml

module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()).eval()
x = torch.ones(2, 4)
model, params = ml.from_torch(module, x)
compiled = ml.compile(model, ml.CpuBackend())
arrays = {name: param.numpy(force=True) for name, param in params.items()}
output = compiled.evaluate(arrays, {"input": x.numpy()})["output"]
assert np.allclose(output, module(x).numpy(force=True), atol=1e-5)
