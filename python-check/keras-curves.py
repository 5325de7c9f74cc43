"""Judges our training by Keras: the same weights and batches must give the same losses, for 100 steps, and the same
gradients wherever we stopped to look."""

import json
import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
from keras import layers

# Of a loss, relative to it where it is above 1, after up to 100 steps in which rounding adds up.
CURVE_TOLERANCE = 1e-4
# Of a gradient from equal weights, relative to the largest of that gradient's numbers.
GRADIENT_TOLERANCE = 1e-5

L2 = {"kernel_regularizer": keras.regularizers.L2(0.01)}
LINEAR = {"use_bias": False}


def hard_sigmoid(x):
    """That of Keras 2, which tfjs knows as the default of its gates."""
    return keras.ops.clip(0.2 * x + 0.5, 0.0, 1.0)


def transformer_block():
    tokens = keras.Input((5,), dtype="int32")
    h = layers.Embedding(11, 8)(tokens)
    a = layers.LayerNormalization()(h)
    h = layers.Add()([h, layers.MultiHeadAttention(2, 4, **LINEAR)(a, a)])
    b = layers.LayerNormalization()(h)
    wide = layers.Dense(16, activation="relu", **LINEAR)(b)
    h = layers.Add()([h, layers.Dense(8, **LINEAR)(wide)])
    return keras.Model(tokens, layers.GlobalAveragePooling1D()(layers.Dense(3, **LINEAR)(h)))


MODELS = {
    "regression, sgd with momentum": lambda: [
        keras.Input((4,)),
        layers.Dense(8, activation="tanh"),
        layers.Dense(1),
    ],
    "classes, adam, batch normalisation and L2": lambda: [
        keras.Input((6,)),
        layers.Dense(16, activation="relu", **L2),
        layers.BatchNormalization(),
        layers.Dense(3, activation="softmax"),
    ],
    "sequence, rmsprop, LSTM": lambda: [
        keras.Input((7, 2)),
        layers.LSTM(5, recurrent_activation=hard_sigmoid),
        layers.Dense(1),
    ],
    "MLP": lambda: [
        keras.Input((20,)),
        layers.Dense(32, activation="relu"),
        layers.Dense(16, activation="elu"),
        layers.Dense(5),
    ],
    "CNN with batch norm, linear before the pool": lambda: [
        keras.Input((10, 10, 2)),
        layers.Conv2D(6, 3, padding="same", **LINEAR),
        layers.BatchNormalization(),
        layers.MaxPooling2D(2),
        layers.Conv2D(5, 3, strides=2, activation="elu"),
        layers.Flatten(),
        layers.Dense(3, activation="softmax"),
    ],
    "depthwise separable CNN": lambda: [
        keras.Input((8, 8, 3)),
        layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2),
        layers.Conv2D(7, 1, activation="relu6"),
        layers.AveragePooling2D(2),
        layers.SeparableConv2D(4, 3, activation="tanh"),
        layers.Flatten(),
        layers.Dense(2),
    ],
    "LSTM": lambda: [
        keras.Input((7, 5)),
        layers.LSTM(8, return_sequences=True),
        layers.LSTM(6),
        layers.Dense(3),
    ],
    "GRU": lambda: [keras.Input((7, 5)), layers.GRU(8, reset_after=False), layers.Dense(2)],
    "embedding and dense": lambda: [
        keras.Input((6,), dtype="int32"),
        layers.Embedding(12, 4),
        layers.Flatten(),
        layers.Dense(9, activation="relu"),
        layers.Dense(1),
    ],
    "transformer block": transformer_block,
}
OPTIMIZERS = {
    "sgd": lambda o: keras.optimizers.SGD(o["lr"], momentum=o.get("momentum", 0.0)),
    "adam": lambda o: keras.optimizers.Adam(o["lr"], epsilon=o["epsilon"]),
    "rmsprop": lambda o: keras.optimizers.RMSprop(o["lr"], rho=o["rho"], epsilon=o["epsilon"] ** 2),
}
LOSSES = {
    "meanSquaredError": keras.losses.MeanSquaredError(),
    "categoricalCrossentropy": keras.losses.CategoricalCrossentropy(),
    "softmaxCrossentropy": keras.losses.CategoricalCrossentropy(from_logits=True),
    "sigmoidCrossentropy": keras.losses.BinaryCrossentropy(from_logits=True),
}


def model_of(case):
    made = MODELS[case["name"]]()
    return made if isinstance(made, keras.Model) else keras.Sequential(made)


def array(tensor):
    return np.array(tensor["values"], "float32").reshape(tensor["shape"])


def set_weights(model, tensors):
    """In the order of the layers. Attention has a dimension for its heads, where we have a matrix."""
    weights = [weight for layer in model.layers for weight in layer.weights]
    for weight, tensor in zip(weights, tensors, strict=True):
        weight.assign(array(tensor).reshape(weight.shape))


def curve(case):
    model = model_of(case)
    set_weights(model, case["points"][0]["weights"])
    model.compile(OPTIMIZERS[case["optimizer"]["name"]](case["optimizer"]), loss=LOSSES[case["loss"]])
    losses = []
    for batch in case["batches"]:
        model.reset_metrics()
        losses.append(float(np.ravel(model.train_on_batch(array(batch["xs"]), array(batch["ys"])))[0]))
    return np.array(losses)


def gradient_gap(case, point):
    """The largest difference, in parts of the largest number of the same gradient."""
    model = model_of(case)
    set_weights(model, point["weights"])
    batch = case["batches"][point["step"]]
    outputs = model(array(batch["xs"]), training=True)
    loss = LOSSES[case["loss"]](array(batch["ys"]), outputs) + sum(model.losses)
    loss.backward()
    gaps = []
    for weight, ours in zip(model.trainable_weights, point["gradients"], strict=True):
        theirs = weight.value.grad.cpu().numpy()
        gap = np.max(np.abs(array(ours).reshape(theirs.shape) - theirs))
        gaps.append(float(gap / max(np.max(np.abs(theirs)), 1e-3)))
    return max(gaps)


def judge(case):
    title = f"{case['name']} on {case['backend']}"
    ours, theirs = np.array(case["losses"]), curve(case)
    if len(ours) != 100 or len(case["points"]) != 5:
        sys.exit(f"{title}: {len(ours)} losses and {len(case['points'])} gradients")
    loss_gap = float(np.max(np.abs(ours - theirs) / np.maximum(1, np.abs(theirs))))
    slope_gap = max(gradient_gap(case, point) for point in case["points"])
    print(f"{title}: losses within {loss_gap:.1e}, gradients within {slope_gap:.1e}")
    if not loss_gap < CURVE_TOLERANCE:
        step = int(np.argmax(np.abs(ours - theirs)))
        sys.exit(f"{title}: loss {ours[step]} at step {step}, Keras has {theirs[step]}")
    if not slope_gap < GRADIENT_TOLERANCE:
        sys.exit(f"{title}: gradients from equal weights differ by {slope_gap}")
    return loss_gap, slope_gap


with open(sys.argv[1], encoding="utf-8") as file:
    gaps = [judge(case) for case in json.load(file)]
loss_gap, slope_gap = (max(each) for each in zip(*gaps))
print(
    f"{len(gaps)} runs of 100 steps as in Keras {keras.__version__}: losses within {loss_gap:.1e}, "
    f"gradients from equal weights within {slope_gap:.1e}"
)
