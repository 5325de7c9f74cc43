"""python growth.py '{"batch", "width", "depth"}': the fit of growth-program.ts in PyTorch."""

import json
import resource
import sys
import time

import torch
from torch import nn

size = json.loads(sys.argv[1])
batch, width, depth = size["batch"], size["width"], size["depth"]
BATCHES = 4

torch.manual_seed(1)
hidden = [module for _ in range(depth) for module in (nn.Linear(width, width), nn.ReLU())]
model = nn.Sequential(*hidden, nn.Linear(width, 1))
optimizer = torch.optim.Adam(model.parameters(), 0.001)
xs = torch.randn(BATCHES * batch, width)
ys = torch.randn(BATCHES * batch, 1)

epochs = max(4, min(400, round(2e9 / (batch * width * width * depth))))
warm_up = (epochs + 1) // 2
for epoch in range(epochs):
    if epoch == warm_up:
        begun = time.perf_counter()
    for first in range(0, BATCHES * batch, batch):
        loss = nn.functional.mse_loss(model(xs[first : first + batch]), ys[first : first + batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
step = (time.perf_counter() - begun) * 1000 / ((epochs - warm_up) * BATCHES)
print(json.dumps({"step": step, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}))
