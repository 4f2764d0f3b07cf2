"""What users do with a package: compose, compile, train, save, load, serve and export."""

import sys
from pathlib import Path

import numpy as np

import mithril as ml

folder = Path(sys.argv[1])
model = ml.Model()
model |= ml.Linear(16)(input="x", output="hidden")
model |= ml.Relu()(input="hidden", output="active")
model |= ml.Linear(3)(input="active", output="scores")
training = ml.Model()
training |= model(x="x", scores="scores")
training |= ml.CrossEntropy()(input="scores", target="label", output="losses")
training |= ml.Mean()(input="losses", output="loss")

rng = np.random.default_rng(0)
x = rng.standard_normal((96, 8)).astype(np.float32)
data = {"x": x, "label": x[:, :3].argmax(1)}
compiled = ml.compile(training, ml.CpuBackend(), shapes={"x": [None, 8]}, data_keys={"x", "label"})
params = compiled.get_parameters()
step = ml.TrainingStep(compiled, ml.Adam(lr=3e-2), output_gradients={"loss": 1.0})
losses = [float(step(params, data)["loss"]) for _ in range(60)]
assert losses[-1] < 0.3 * losses[0], losses

scores = compiled.infer(params, {"x": x})["scores"]
ml.save_package(folder / "package", compiled, params)
package = ml.load_package(folder / "package")
engine = ml.Engine()
engine.register_model("model", package)
np.testing.assert_allclose(engine.infer("model", {"x": x})["scores"], scores, rtol=1e-5, atol=1e-6)

ml.codegen(compiled, folder / "model.cpp", data=data)
assert "namespace" in (folder / "model.cpp").read_text()
with ml.serve(engine, port=0) as server:
    assert server.port
print(f"mithril {ml.__version__}: loss {losses[0]:.2f} to {losses[-1]:.2f}")
