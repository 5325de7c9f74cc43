"""python whole-job.py lightning|torch|tensorflow digits.csv.gz: the job of whole-job-program.ts, in Lightning or Keras."""

import gzip
import os
import sys

import numpy as np

FRAMEWORK, FILE = sys.argv[1:]
EPOCHS, BATCH, RATE, PATIENCE = 20, 32, 0.003, 1000


def parts():
    with gzip.open(FILE, "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", dtype=np.float32)
    line = np.arange(len(table)) % 7
    return [
        (table[mine, :64].reshape(-1, 8, 8) / 16, table[mine, 64].astype(np.int64))
        for mine in (line > 1, line == 1, line == 0)
    ]


def lightning():
    import pytorch_lightning as pl
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    class Digits(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = nn.Sequential(
                nn.Unflatten(1, (1, 8)),
                nn.Conv2d(1, 16, 3, padding="same"),
                nn.ReLU(),
                nn.Conv2d(16, 32, 3, padding="same"),
                nn.ReLU(),
                nn.MaxPool2d(2),
                nn.Flatten(),
                nn.Linear(512, 64),
                nn.ReLU(),
                nn.Linear(64, 10),
            )

        def measure(self, batch, stage):
            xs, ys = batch
            scores = self.model(xs)
            loss = nn.functional.cross_entropy(scores, ys)
            accuracy = (scores.argmax(1) == ys).float().mean()
            values = {f"{stage}/loss": loss, f"{stage}/accuracy": accuracy}
            self.log_dict(values, on_epoch=True, prog_bar=True)
            return loss

        def training_step(self, batch):
            return self.measure(batch, "train")

        def validation_step(self, batch):
            self.measure(batch, "val")

        def test_step(self, batch):
            self.measure(batch, "test")

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), RATE)

    pl.seed_everything(1)
    train, validation, test = [TensorDataset(*map(torch.from_numpy, part)) for part in parts()]
    trainer = pl.Trainer(
        max_epochs=EPOCHS,
        accelerator="cpu",
        logger=pl.loggers.CSVLogger("logs"),
        enable_progress_bar=False,
        callbacks=[
            pl.callbacks.EarlyStopping("val/loss", patience=PATIENCE),
            pl.callbacks.ModelCheckpoint(monitor="val/loss", save_top_k=3, save_last=True),
        ],
    )
    model = Digits()
    trainer.fit(model, DataLoader(train, BATCH, shuffle=True), DataLoader(validation, BATCH))
    [metrics] = trainer.test(model, DataLoader(test, BATCH))
    return metrics["test/accuracy"]


def keras():
    os.environ["KERAS_BACKEND"] = FRAMEWORK
    import keras

    layers = keras.layers
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((8, 8)),
            layers.Reshape((8, 8, 1)),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dense(10),
        ]
    )
    model.compile(
        optimizer=keras.optimizers.Adam(RATE),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    train, validation, test = parts()
    model.fit(
        *train,
        batch_size=BATCH,
        epochs=EPOCHS,
        validation_data=validation,
        verbose=2,
        callbacks=[
            keras.callbacks.EarlyStopping("val_loss", patience=PATIENCE),
            keras.callbacks.ModelCheckpoint("{epoch:02d}.keras"),
            keras.callbacks.CSVLogger("log.csv"),
        ],
    )
    return model.evaluate(*test, verbose=0)[1]


accuracy = lightning() if FRAMEWORK == "lightning" else keras()
assert accuracy > 0.9, f"It has learned too little: {accuracy}"
