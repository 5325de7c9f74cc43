"""Judges losses and metrics of several outputs by Keras: the same weights and data must give the same numbers."""

import json
import math
import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np

TOLERANCE = 1e-5
# Keras adds up the area under the curve between thresholds, we over bins.
AUC_TOLERANCE = 1e-3

given = json.load(open(sys.argv[1]))
data = given["data"]
xs = np.array(data["xs"], "float32")
ys = {
    "size": np.array(data["ys"]["size"], "float32"),
    "kind": np.array(data["ys"]["kind"], "int32"),
    "alive": np.array(data["ys"]["alive"], "float32"),
}

features = keras.Input((5,))
hidden = keras.layers.Dense(8, activation="tanh", name="hidden")(features)
outputs = {
    "size": keras.layers.Dense(1, name="size")(hidden),
    "kind": keras.layers.Dense(4, activation="softmax", name="kind")(hidden),
    "alive": keras.layers.Dense(1, activation="sigmoid", name="alive")(hidden),
}
model = keras.Model(features, outputs)
for name in ("hidden", "size", "kind", "alive"):
    model.get_layer(name).set_weights([np.array(each, "float32") for each in given["layers"][name]])

predicted = {name: np.array(each) for name, each in model.predict(xs, verbose=0).items()}
metrics = keras.metrics


def judged(metric, output, targets=None):
    metric.update_state(ys[output] if targets is None else targets, predicted[output])
    return float(np.mean(np.array(metric.result())))


one_hot = np.eye(4, dtype="float32")[ys["kind"]]
entropy = judged(metrics.SparseCategoricalCrossentropy(), "kind")
losses = {
    "size": judged(metrics.MeanSquaredError(), "size"),
    "kind": entropy,
    "alive": judged(metrics.BinaryCrossentropy(), "alive"),
}
expected = {
    "test/size/meanSquaredError": losses["size"],
    "test/size/meanAbsoluteError": judged(metrics.MeanAbsoluteError(), "size"),
    "test/size/rootMeanSquaredError": judged(metrics.RootMeanSquaredError(), "size"),
    "test/kind/accuracy": judged(metrics.SparseCategoricalAccuracy(), "kind"),
    "test/kind/top-2-accuracy": judged(metrics.SparseTopKCategoricalAccuracy(k=2), "kind"),
    "test/kind/perplexity": math.exp(entropy),
    "test/kind/f1": judged(metrics.F1Score(average="macro"), "kind", one_hot),
    "test/alive/accuracy": judged(metrics.BinaryAccuracy(), "alive"),
    "test/alive/precision": judged(metrics.Precision(), "alive"),
    "test/alive/recall": judged(metrics.Recall(), "alive"),
    "test/alive/f1": judged(metrics.F1Score(threshold=0.5, average="macro"), "alive"),
    "test/alive/auc": judged(metrics.AUC(num_thresholds=10000), "alive"),
}


def evaluated(sample_weight):
    """The total and the loss of each output, as model.evaluate has them."""
    model.compile(
        loss={"size": "mse", "kind": "sparse_categorical_crossentropy", "alive": "binary_crossentropy"},
        loss_weights=given["lossWeights"],
    )
    # In one batch: how batches are put together is judged by the metrics above.
    found = model.evaluate(xs, ys, sample_weight=sample_weight, batch_size=len(xs), return_dict=True, verbose=0)
    return {"test/loss": found["loss"], **{f"test/{name}/loss": found[f"{name}_loss"] for name in ys}}


sample_weight = {name: np.array(data["weights"], "float32") for name in ys}
worst = 0.0
for ours, theirs in (
    (given["plain"], {**expected, **evaluated(None)}),
    (given["weighted"], {**expected, **evaluated(sample_weight)}),
):
    if sorted(ours) != sorted(theirs):
        sys.exit(f"other metrics: {sorted(ours)} and {sorted(theirs)}")
    for name, value in theirs.items():
        gap = abs(ours[name] - value) / max(1, abs(value))
        tolerance = AUC_TOLERANCE if name.endswith("auc") else TOLERANCE
        print(f"{name}: {ours[name]:.6f} {value:.6f}")
        if not gap < tolerance:
            sys.exit(f"{name} is {ours[name]}, Keras has {value}")
        worst = max(worst, 0 if name.endswith("auc") else gap)
print(f"{len(given['plain'])} losses and metrics of 3 outputs as in Keras {keras.__version__}, largest difference {worst:.1e}")
