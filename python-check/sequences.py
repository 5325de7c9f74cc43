"""Judges masks, weights, ignored labels and accumulation by Keras: one step of SGD on all samples at once must give the same
loss, the same metrics and the same weights."""

import json
import math
import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
from keras import layers

TOLERANCE = 2e-5
STEPS, TOKENS, CLASSES = 5, 7, 3


def embedding(mask_zero=True):
    return layers.Embedding(TOKENS, 4, mask_zero=mask_zero)


def chain(*each):
    return keras.Sequential([keras.Input((STEPS,), dtype="int32"), *each, layers.Dense(CLASSES)])


def merged(join, masked=(True, True)):
    inputs = [keras.Input((STEPS,), dtype="int32") for _ in masked]
    joined = join([embedding(is_masked)(each) for each, is_masked in zip(inputs, masked)])
    return keras.Model(inputs, layers.Dense(CLASSES)(joined))


MODELS = {
    "dense": lambda: chain(embedding()),
    "no mask": lambda: chain(embedding(False)),
    "lstm": lambda: chain(embedding(), layers.LSTM(3, return_sequences=True)),
    "gru": lambda: chain(embedding(), layers.GRU(3, return_sequences=True, reset_after=False)),
    "layer norm": lambda: chain(embedding(), layers.LayerNormalization()),
    "add": lambda: merged(layers.Add()),
    "average": lambda: merged(layers.Average()),
    "multiply": lambda: merged(layers.Multiply()),
    "maximum": lambda: merged(layers.Maximum()),
    "minimum": lambda: merged(layers.Minimum()),
    "concatenate": lambda: merged(layers.Concatenate()),
    "add, one masked": lambda: merged(layers.Add(), (True, False)),
    "multiply, one masked": lambda: merged(layers.Multiply(), (False, True)),
    "concatenate, one masked": lambda: merged(layers.Concatenate(), (True, False)),
    "pool": lambda: chain(embedding(), layers.GlobalAveragePooling1D()),
}


def loss_of(case):
    settings = case.get("settings", {})
    smoothing = settings.get("labelSmoothing", 0.0)
    return {
        "sparseSoftmaxCrossentropy": lambda: keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, ignore_class=settings.get("ignoreLabel")
        ),
        "softmaxCrossentropy": lambda: keras.losses.CategoricalCrossentropy(
            from_logits=True, label_smoothing=smoothing
        ),
        "sigmoidCrossentropy": lambda: keras.losses.BinaryCrossentropy(from_logits=True, label_smoothing=smoothing),
        "meanSquaredError": keras.losses.MeanSquaredError,
        "meanAbsoluteError": keras.losses.MeanAbsoluteError,
        "huber": keras.losses.Huber,
    }[case["loss"]]()


def weights_of(case, ys):
    """Of samples or steps, and of their classes."""
    weights = None if case.get("weigh") is None else np.array(case["weigh"], "float32")
    if weights is not None and weights.ndim == 1 and case["model"] != "pool":
        weights = np.repeat(weights[:, None], STEPS, axis=1)
    by_class = case.get("settings", {}).get("classWeights")
    if by_class is None:
        return weights
    table = np.array([by_class.get(str(index), 1) for index in range(CLASSES)], "float32")
    return table[ys] if weights is None else table[ys] * weights


def gap(ours, theirs):
    ours, theirs = np.array(ours, "float64"), np.array(theirs, "float64")
    return float(np.max(np.abs(ours - theirs)) / max(1, np.max(np.abs(theirs))))


def metrics_of(case, outputs, ys, mask):
    """By the formulas, over what counts: Keras has no metric that ignores a label and is weighted."""
    flat = outputs.reshape(-1, CLASSES).astype("float64")
    counts = np.ones(len(flat)) if mask is None else np.broadcast_to(mask, ys.shape[: mask.ndim]).reshape(-1).astype(float)
    if case["loss"] == "softmaxCrossentropy":
        flat = np.exp(flat) / np.exp(flat).sum(-1, keepdims=True)
    if case["loss"] == "sigmoidCrossentropy":
        flat = 1 / (1 + np.exp(-flat))
    if not case["loss"].startswith("sparse"):
        return {"meanAbsoluteError": np.average(np.abs(flat - ys.reshape(flat.shape)).mean(-1), weights=counts)}
    labels = ys.reshape(-1)
    counts = counts * (labels != case.get("settings", {}).get("ignoreLabel", 10**6))
    known = np.where(counts > 0, labels, 0)
    right = (flat.argmax(-1) == known).astype(float)
    entropy = np.log(np.exp(flat).sum(-1)) - flat[np.arange(len(flat)), known]
    weigh = case.get("weigh")
    weights = counts if weigh is None else counts * np.broadcast_to(
        np.array(weigh).reshape(np.array(weigh).shape + (1,) * (ys.ndim - np.array(weigh).ndim)), ys.shape
    ).reshape(-1)
    return {
        "accuracy": np.average(right, weights=counts),
        "weighted-accuracy": np.average(right, weights=weights),
        "perplexity": math.exp(np.average(entropy, weights=counts)),
    }


def judge(case):
    title = ", ".join(str(case[key]) for key in ("model", "loss", "settings", "weights", "batches", "backend") if key in case)
    model = MODELS[case["model"]]()
    for weight, value in zip([w for layer in model.layers for w in layer.weights], case["before"], strict=True):
        weight.assign(np.array(value, "float32"))
    xs = [np.array(each, "int32") for each in case["inputs"]]
    ys = np.array(case["ys"], "int32" if case["loss"].startswith("sparse") else "float32")
    outputs = model(xs if len(xs) > 1 else xs[0])
    mask = getattr(outputs, "_keras_mask", None)
    mask = None if mask is None else np.array(mask.detach().cpu())
    expected = metrics_of(case, np.array(outputs.detach().cpu()), ys, mask)
    model.compile(keras.optimizers.SGD(1.0), loss=loss_of(case))
    loss = model.train_on_batch(xs if len(xs) > 1 else xs[0], ys, sample_weight=weights_of(case, ys))
    expected["loss"] = float(np.ravel(loss)[0])
    gaps = {name: gap(case["numbers"][f"train/{name}"], value) for name, value in expected.items() if name == "loss" or name in expected}
    after = [w.value.detach().cpu().numpy() for layer in model.layers for w in layer.weights]
    gaps["weights"] = max(gap(ours, theirs) for ours, theirs in zip(case["after"], after, strict=True))
    moved = max(gap(a, b) for a, b in zip(case["before"], after))
    print(f"{title}: " + ", ".join(f"{name} {value:.1e}" for name, value in gaps.items()))
    wrong = {name: value for name, value in gaps.items() if not value < TOLERANCE}
    if wrong or not moved > 1e-4:
        sys.exit(f"{title}: differs from Keras in {wrong}, weights moved by {moved}; ours {case['numbers']}, theirs {expected}")
    return max(gaps.values()), mask is not None


with open(sys.argv[1], encoding="utf-8") as file:
    results = [judge(case) for case in json.load(file)]
masked = sum(is_masked for _, is_masked in results)
print(
    f"{len(results)} steps on padded sequences, {masked} of them masked, as in Keras {keras.__version__}, "
    f"largest difference {max(each for each, _ in results):.1e}"
)
