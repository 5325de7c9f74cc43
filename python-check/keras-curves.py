"""Judges our training by Keras: the same weights and batches must give the same losses, for 100 steps."""

import json
import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

TOLERANCE = 1e-4

L2 = {"kernel_regularizer": keras.regularizers.L2(0.01)}
MODELS = {
    "regression, sgd with momentum": lambda: [
        keras.Input((4,)),
        keras.layers.Dense(8, activation="tanh"),
        keras.layers.Dense(1),
    ],
    "classes, adam, batch normalisation and L2": lambda: [
        keras.Input((6,)),
        keras.layers.Dense(16, activation="relu", **L2),
        keras.layers.BatchNormalization(),
        keras.layers.Dense(3, activation="softmax"),
    ],
    "sequence, rmsprop, LSTM": lambda: [
        keras.Input((7, 2)),
        # tfjs knows the hard sigmoid of Keras 2 as the default of its gates.
        keras.layers.LSTM(5, recurrent_activation=lambda x: keras.ops.clip(0.2 * x + 0.5, 0.0, 1.0)),
        keras.layers.Dense(1),
    ],
}
OPTIMIZERS = {
    "sgd": lambda o: keras.optimizers.SGD(o["lr"], momentum=o.get("momentum", 0.0)),
    "adam": lambda o: keras.optimizers.Adam(o["lr"], epsilon=o["epsilon"]),
    "rmsprop": lambda o: keras.optimizers.RMSprop(o["lr"], rho=o["rho"], epsilon=o["epsilon"] ** 2),
}
LOSSES = {"meanSquaredError": "mse", "categoricalCrossentropy": "categorical_crossentropy"}


def curve(case):
    model = keras.Sequential(MODELS[case["name"]]())
    for layer, weights in zip(model.layers, case["weights"]):
        layer.set_weights([np.array(each, "float32") for each in weights])
    optimizer = OPTIMIZERS[case["optimizer"]["name"]](case["optimizer"])
    model.compile(optimizer, loss=LOSSES[case["loss"]])
    losses = []
    for batch in case["batches"]:
        model.reset_metrics()
        xs, ys = (np.array(batch[key], "float32") for key in ("xs", "ys"))
        losses.append(float(np.ravel(model.train_on_batch(xs, ys))[0]))
    return losses


worst = 0.0
for case in json.load(open(sys.argv[1])):
    ours, theirs = np.array(case["losses"]), np.array(curve(case))
    gap = float(np.max(np.abs(ours - theirs) / np.maximum(1, np.abs(theirs))))
    print(f"{case['name']}: largest difference {gap:.1e}")
    if not gap < TOLERANCE or len(ours) != 100:
        step = int(np.argmax(np.abs(ours - theirs)))
        sys.exit(f"{case['name']}: loss {ours[step]} at step {step}, Keras has {theirs[step]}")
    worst = max(worst, gap)
print(f"100 losses of 3 models as in Keras {keras.__version__}, largest difference {worst:.1e}")
