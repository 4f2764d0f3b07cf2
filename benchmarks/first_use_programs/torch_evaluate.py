import torch

model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU())
print(model(torch.ones(2, 4)))
