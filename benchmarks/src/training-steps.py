"""The models of training-models.ts in PyTorch: answers {"model", "steps"} with the milliseconds of that many steps."""

import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F


class LastOfLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(16, 64, batch_first=True)
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


class Block(nn.Module):
    def __init__(self, kinds=256, width=64, heads=4, fused=False):
        super().__init__()
        self.heads, self.fused = heads, fused
        self.embedding = nn.Embedding(kinds, width)
        self.query, self.key, self.value, self.joined = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.wide, self.narrow = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)
        self.head = nn.Linear(width, kinds, bias=False)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))

    def forward(self, tokens):
        x = self.embedding(tokens)
        batch, length, width = x.shape
        a = self.norms[0](x)
        q, k, v = (m(a).view(batch, length, self.heads, -1).transpose(1, 2) for m in (self.query, self.key, self.value))
        if self.fused:
            mixed = F.scaled_dot_product_attention(q, k, v)
        else:
            mixed = torch.softmax(q @ k.transpose(2, 3) * (width // self.heads) ** -0.5, -1) @ v
        x = x + self.joined(mixed.transpose(1, 2).reshape(batch, length, width))
        x = x + self.narrow(F.relu(self.wide(self.norms[1](x))))
        return self.head(self.norms[2](x)).view(batch * length, -1)


def conv(i, o, k=3, **more):
    return nn.Conv2d(i, o, k, padding=k // 2, **more)


def images():
    return torch.rand(32, 1, 28, 28)


def classes(n, of=10):
    return torch.randint(0, of, (n,))


MODELS = {
    "tiny": lambda: (nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1)), torch.randn(8, 8), torch.randn(8, 1)),
    "MLP": lambda: (
        nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10)),
        torch.rand(64, 784),
        classes(64),
    ),
    "CNN": lambda: (
        nn.Sequential(
            conv(1, 16), nn.ReLU(), nn.MaxPool2d(2), conv(16, 32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(7 * 7 * 32, 10),
        ),
        images(),
        classes(32),
    ),
    "CNN with batch norm": lambda: (
        nn.Sequential(
            conv(1, 16, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2), conv(16, 32, bias=False),
            nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(7 * 7 * 32, 10),
        ),
        images(),
        classes(32),
    ),
    "depthwise CNN": lambda: (
        nn.Sequential(
            conv(1, 16), nn.ReLU(), conv(16, 16, groups=16), conv(16, 32, 1), nn.ReLU(), nn.MaxPool2d(2),
            conv(32, 32, groups=32), conv(32, 64, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
            nn.Linear(64, 10),
        ),
        images(),
        classes(32),
    ),
    "LSTM": lambda: (LastOfLstm(), torch.randn(32, 20, 16), classes(32)),
    "embedding": lambda: (
        nn.Sequential(nn.Embedding(1000, 32), nn.Flatten(), nn.Linear(512, 10)),
        torch.randint(0, 1000, (32, 16)),
        classes(32),
    ),
    "transformer block": lambda: (Block(), torch.randint(0, 256, (8, 32)), classes(256, 256)),
    "transformer block with attention()": lambda: (
        Block(fused=True), torch.randint(0, 256, (8, 32)), classes(256, 256),
    ),
}

if len(sys.argv) > 1:
    torch.set_num_threads(int(sys.argv[1]))

known = {}


def step_of(name):
    model, xs, ys = MODELS[name]()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss = F.mse_loss if ys.dtype.is_floating_point else F.cross_entropy

    def step():
        optimizer.zero_grad()
        loss(model(xs), ys).backward()
        optimizer.step()

    return step


print("ready", flush=True)
for line in sys.stdin:
    request = json.loads(line)
    try:
        step = known.setdefault(request["model"], None) or step_of(request["model"])
        known[request["model"]] = step
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(request["steps"]):
            step()
        answer = {
            "wall": (time.perf_counter() - wall) * 1000,
            "processor": (time.process_time() - processor) * 1000,
        }
    except Exception as error:
        answer = {"error": str(error)}
    print(json.dumps(answer), flush=True)
