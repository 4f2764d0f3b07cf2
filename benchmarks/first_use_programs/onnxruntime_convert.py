import onnxruntime
import torch

module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()).eval()
x = torch.ones(2, 4)
torch.onnx.export(module, (x,), "module.onnx", dynamo=True)
session = onnxruntime.InferenceSession("module.onnx")
(output,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
assert abs(output - module(x).detach().numpy()).max() < 1e-5
