"""Trains on PyTorch with the wheel mithril-cpp-torch, where nothing can compile."""

import torch

import mithril as ml

model = ml.Model()
model |= ml.Linear(1)(input="x", output="y")
compiled = ml.compile(model, ml.TorchBackend(requires_grad=True), shapes={"x": [None, 4]})
params = compiled.get_parameters()
optimizer = torch.optim.SGD(params.values(), lr=0.1)
torch.manual_seed(0)
x = torch.randn(64, 4)
target = x.sum(dim=1, keepdim=True)
losses = []
for _ in range(20):
    optimizer.zero_grad()
    loss = (compiled.evaluate(params, {"x": x})["y"] - target).square().mean()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < 0.1 * losses[0], losses
print(f"torch {torch.__version__}: loss {losses[0]:.2f} to {losses[-1]:.2f}")
