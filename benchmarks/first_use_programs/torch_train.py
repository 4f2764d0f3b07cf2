import torch
from digits import load_digits
from torch import nn

images, labels = map(torch.from_numpy, load_digits())
model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(512, 10),
)
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(12):
    for rows in torch.randperm(1437).split(32):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images[rows]), labels[rows]).backward()
        optimizer.step()
print("accuracy", (model(images[1437:]).argmax(1) == labels[1437:]).float().mean().item())
torch.jit.script(model).save("digits.pt")
