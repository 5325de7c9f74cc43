"""The models of training-models.ts in Python: answers {"model", "steps"} with the milliseconds of that many steps."""

import importlib
import json
import logging
import os
import sys
import time
import warnings

import torch
from torch import nn
from torch.nn import functional as F


class LastOfLstm(nn.Module):
    def __init__(self, features=16, units=64):
        super().__init__()
        self.lstm = nn.LSTM(features, units, batch_first=True)
        self.head = nn.Linear(units, 10)

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


class GptBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.joined = (nn.Linear(width, width) for _ in range(4))
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        a = self.first(x)
        q, k, v = (m(a).view(batch, length, self.heads, -1).transpose(1, 2) for m in (self.query, self.key, self.value))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.joined(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.narrow(F.gelu(self.wide(self.second(x)), approximate="tanh"))


class Gpt(nn.Module):
    def __init__(self, kinds=65, length=64, width=128, heads=4, blocks=2):
        super().__init__()
        self.tokens, self.places = nn.Embedding(kinds, width), nn.Parameter(torch.randn(length, width) * 0.02)
        self.blocks = nn.ModuleList(GptBlock(width, heads) for _ in range(blocks))
        self.last, self.head = nn.LayerNorm(width), nn.Linear(width, kinds)

    def forward(self, ids):
        x = self.tokens(ids) + self.places
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.last(x))
        return logits.view(-1, logits.shape[-1])


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
    "CNN of 64 channels": lambda: (
        nn.Sequential(
            conv(3, 32), nn.ReLU(), conv(32, 64), nn.ReLU(), nn.MaxPool2d(2), conv(64, 64), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(8 * 8 * 64, 10),
        ),
        torch.rand(32, 3, 32, 32),
        classes(32),
    ),
    "LSTM 128": lambda: (LastOfLstm(64, 128), torch.randn(64, 64, 64), classes(64)),
    "GPT of width 128": lambda: (Gpt(), torch.randint(0, 65, (32, 64)), classes(32 * 64, 65)),
}

def loss_of(ys):
    return F.mse_loss if ys.dtype.is_floating_point else F.cross_entropy


def clocks():
    return time.perf_counter(), time.process_time()


def torch_runner(name):
    model, xs, ys = MODELS[name]()
    optimizer, loss = torch.optim.Adam(model.parameters(), lr=1e-3), loss_of(ys)

    def run(steps):
        start = clocks()
        for _ in range(steps):
            optimizer.zero_grad()
            loss(model(xs), ys).backward()
            optimizer.step()
        return start, clocks()

    return run


class Between:
    """The times of the first and the last batch: what a call of fit does before and after does not count."""

    def begin(self):
        self.start = self.start or clocks()

    def end(self):
        self.stop = clocks()

    def __init__(self):
        self.start = self.stop = None


def lightning_runner(name):
    import pytorch_lightning as lightning

    model, xs, ys = MODELS[name]()
    loss = loss_of(ys)

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = model

        def training_step(self, batch, _index):
            return loss(self.model(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=1e-3)

        def on_train_batch_start(self, *_):
            self.between.begin()

        def on_train_batch_end(self, *_):
            self.between.end()

    module = Module()

    def run(steps):
        module.between = Between()
        trainer = lightning.Trainer(max_steps=steps, max_epochs=-1, accelerator="cpu", barebones=True)
        trainer.fit(module, torch.utils.data.DataLoader([(xs, ys)] * steps, batch_size=None))
        return module.between.start, module.between.stop

    return run


def keras_models():
    from keras import layers

    return {
        "tiny": [layers.Dense(16, activation="relu"), layers.Dense(1)],
        "MLP": [layers.Dense(256, activation="relu"), layers.Dense(128, activation="relu"), layers.Dense(10)],
        "CNN": [
            layers.Conv2D(16, 3, padding="same", activation="relu"), layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
            layers.Dense(10),
        ],
        "LSTM": [layers.LSTM(64), layers.Dense(10)],
    }


def keras_runner(name):
    import keras

    _, xs, ys = MODELS[name]()
    xs, ys = xs.numpy(), ys.numpy()
    if name == "CNN":
        xs = xs.transpose(0, 2, 3, 1)
    model = keras.Sequential(keras_models()[name])
    loss = "mean_squared_error" if name == "tiny" else keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=loss)

    class Timer(keras.callbacks.Callback, Between):
        def __init__(self):
            super().__init__()
            Between.__init__(self)

        def on_train_batch_begin(self, *_, **__):
            self.begin()

        def on_train_batch_end(self, *_, **__):
            self.end()

    def run(steps):
        timer = Timer()
        batches = ((xs, ys) for _ in range(steps))
        model.fit(batches, steps_per_epoch=steps, verbose=0, callbacks=[timer])
        return timer.start, timer.stop

    return run


RUNNERS = {"torch": torch_runner, "keras": keras_runner, "lightning": lightning_runner}

framework, *threads = sys.argv[1:]
if framework == "keras":
    os.environ["KERAS_BACKEND"] = "torch"
if framework != "torch":
    # They must be there, before anything is asked of them; what they print would be taken for an answer.
    importlib.import_module("keras" if framework == "keras" else "pytorch_lightning")
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
if threads:
    torch.set_num_threads(int(threads[0]))

answers, sys.stdout = sys.stdout, sys.stderr
print("ready", file=answers, flush=True)
known = {}
for line in sys.stdin:
    request = json.loads(line)
    try:
        name = request["model"]
        if name not in known:
            known[name] = RUNNERS[framework](name)
        (wall, processor), (wall_end, processor_end) = known[name](request["steps"])
        answer = {"wall": (wall_end - wall) * 1000, "processor": (processor_end - processor) * 1000}
    except Exception as error:
        answer = {"error": repr(error)}
    print(json.dumps(answer), file=answers, flush=True)
