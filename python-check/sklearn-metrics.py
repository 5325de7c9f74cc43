"""Judges every metric by scikit-learn: with probabilities and with logits, weighted and not, over unequal batches.

Where the definitions differ:
- auc sorts the scores into bins. Scores that share a bin count as a tie, so it may be off by half of the share of pairs of a
  positive and a negative in the same bin: 4 / bins is its tolerance. With several classes or labels it is "micro".
- precision, recall and f1 of several classes are "macro" over the classes that occur or are predicted. That is what
  scikit-learn does for classes; for labels it also counts those that never occur, so they are named to it.
- accuracy of several labels is over each label: 1 - hamming_loss. accuracy_score wants all labels of a sample to be right.
- topKAccuracy counts a tie at the k-th place as a hit, as Keras does; scikit-learn prefers the higher class number.
- rootMeanSquaredError of several outputs is one root over all of them; scikit-learn takes the mean of a root for each.
- the loss with weights is divided by the number of samples, as in Keras; scikit-learn divides by the sum of the weights.
"""

import json
import math
import sys

import numpy as np
import sklearn
from sklearn import metrics as judge

TOLERANCE = 1e-5
BINS = {"auc": 256, "fine-auc": 1024}


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def softmax(values):
    powers = np.exp(values - values.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


class Case:
    """The samples of a case, or the steps of its sequences, in rows."""

    def __init__(self, given):
        self.kind, self.loss, self.width = given["kind"], given["loss"], given["width"]
        self.scores = np.array(given["xs"], "float64").reshape(-1, self.width)
        self.is_sparse = self.loss.startswith("sparse")
        ys = np.array(given["ys"], "float64")
        self.targets = np.eye(self.width)[ys.astype(int).reshape(-1)] if self.is_sparse else ys.reshape(-1, self.width)
        self.truth = (self.targets > 0.5).astype(int)
        self.weights = np.array(given["weights"], "float64").reshape(-1)
        to_probability = softmax if self.kind == "classes" else sigmoid
        self.probabilities = None if self.kind == "numbers" else to_probability(self.scores)
        # What errors are computed from: scores that are no logits are compared as they are.
        self.has_scores = self.loss.lower().endswith("hinge")
        self.outputs = self.scores if self.has_scores or self.kind == "numbers" else self.probabilities
        # As scikit-learn takes them: class numbers, or a column for each label.
        if self.kind == "classes":
            self.true, self.said = self.truth.argmax(-1), self.scores.argmax(-1)
        elif self.kind != "numbers":
            said = (self.scores > 0).astype(int)
            self.true, self.said = (self.truth, said) if self.kind == "labels" else (self.truth[:, 0], said[:, 0])


def accuracy(case, weights):
    if case.kind == "labels":
        return 1 - judge.hamming_loss(case.true, case.said, sample_weight=weights)
    return judge.accuracy_score(case.true, case.said, sample_weight=weights)


def by_class(score):
    def judged(case, weights):
        if case.kind == "binary":
            return score(case.true, case.said, sample_weight=weights, zero_division=0)
        counted = slice(None) if weights is None else weights > 0
        true, said = case.true[counted], case.said[counted]
        if case.kind == "labels":
            seen = [label for label in range(case.width) if (true[:, label] | said[:, label]).any()]
        else:
            seen = np.union1d(true, said)
        return score(case.true, case.said, labels=seen, average="macro", sample_weight=weights, zero_division=0)

    return judged


def top(k):
    def judged(case, weights):
        # A hair more for the right class decides ties as we do. All classes are among the k likeliest where there are no more.
        scores = case.scores + 1e-9 * case.truth
        if k >= case.width:
            return 1.0
        if case.width == 2:
            return judge.accuracy_score(case.true, scores.argmax(-1), sample_weight=weights)
        return judge.top_k_accuracy_score(case.true, scores, k=k, labels=range(case.width), sample_weight=weights)

    return judged


def perplexity(case, weights):
    return math.exp(log_loss(case, weights))


def log_loss(case, weights):
    if case.kind == "classes":
        return judge.log_loss(case.true, case.probabilities, labels=range(case.width), sample_weight=weights)
    columns = zip(case.truth.T, case.probabilities.T)
    return np.mean([judge.log_loss(true, p, labels=[0, 1], sample_weight=weights) for true, p in columns])


def brier(case, weights):
    columns = zip(case.truth.T, case.probabilities.T)
    return np.sum([judge.brier_score_loss(true, p, labels=[0, 1], sample_weight=weights) for true, p in columns])


def error(score):
    return lambda case, weights: score(case.targets, case.outputs, sample_weight=weights)


def area(case, weights, scores):
    """The area over all classes or labels together, by whatever scores."""
    each = None if weights is None else np.repeat(weights, case.width)
    return judge.roc_auc_score(case.truth.reshape(-1), scores.reshape(-1), sample_weight=each)


def area_gap(case, weights, bins, ours):
    """How far the area is from the exact one beyond what bins explain, and how far it is."""
    scores = case.scores if case.has_scores else case.probabilities
    distance = abs(ours - area(case, weights, scores))
    return max(0, distance - 4 / bins), distance


JUDGES = {
    "accuracy": accuracy,
    "top-1-accuracy": top(1),
    "top-2-accuracy": top(2),
    "top-5-accuracy": top(5),
    "precision": by_class(judge.precision_score),
    "recall": by_class(judge.recall_score),
    "f1": by_class(judge.f1_score),
    "perplexity": perplexity,
    "brier": brier,
    "meanSquaredError": error(judge.mean_squared_error),
    "meanAbsoluteError": error(judge.mean_absolute_error),
    "rootMeanSquaredError": lambda case, weights: math.sqrt(error(judge.mean_squared_error)(case, weights)),
}


def hinge(case, weights):
    columns = zip(case.targets.T, case.scores.T)
    return np.mean([judge.hinge_loss(true, score, labels=[-1, 1], sample_weight=weights) for true, score in columns])


def squared_hinge(case, weights):
    margins = np.maximum(0, 1 - case.targets * case.scores)
    return np.average((margins**2).mean(-1), weights=weights)


def categorical_hinge(case, weights):
    """As in Keras: the best wrong class counts from 0 on. In scikit-learn's hinge_loss it counts below 0, too."""
    right = (case.targets * case.scores).sum(-1)
    wrong = ((1 - case.targets) * case.scores).max(-1)
    return np.average(np.maximum(0, 1 + wrong - right), weights=weights)


def loss(case, weights):
    of = {
        "hinge": hinge,
        "squaredHinge": squared_hinge,
        "categoricalHinge": categorical_hinge,
        "meanSquaredError": JUDGES["meanSquaredError"],
        "meanAbsoluteError": JUDGES["meanAbsoluteError"],
    }
    mean = of.get(case.loss, log_loss)(case, weights)
    return mean if weights is None else mean * weights.mean()


def judged(given):
    """The largest gap of a case, how many numbers it has, and how far its areas are from the exact ones."""
    case = Case(given)
    shape = "" if given.get("steps") is None else f" in {given['steps']} steps"
    shape += ", targets [n, 1]" if given.get("column") else ""
    title = f"{case.kind} of {case.width}{shape}, {case.loss}, {given['scores']} scores"
    worst, count, areas = 0.0, 0, 0.0
    for backend, (run, numbers) in zip(given["backends"], given["results"].items(), strict=True):
        weights = case.weights if run == "weighted" else None
        for name, ours in numbers.items():
            plain = name.removeprefix("val/").removeprefix("weighted-")
            used = weights if name.startswith("val/weighted-") or plain == "loss" else None
            if plain in BINS:
                gap, from_exact = area_gap(case, used, BINS[plain], ours)
                theirs = f"an area that is {from_exact:.1e} away"
                areas = max(areas, from_exact)
            else:
                theirs = (loss if plain == "loss" else JUDGES[plain])(case, used)
                gap = abs(ours - theirs) / max(1, abs(theirs))
            if not gap < TOLERANCE:
                yield f"{title}, {backend}, {run}: {name} is {ours}, scikit-learn has {theirs}"
            worst, count = max(worst, gap), count + 1
    print(f"{title}: {count} numbers, largest difference {worst:.1e}, of areas {areas:.1e}")
    totals.append((worst, count, areas))


totals = []
with open(sys.argv[1], encoding="utf-8") as file:
    wrong = [each for given in json.load(file) for each in judged(given)]
if wrong:
    sys.exit("\n".join(wrong))
print(
    f"{sum(count for _, count, _ in totals)} metrics and losses of {len(totals)} models as in scikit-learn {sklearn.__version__}, "
    f"largest difference {max(worst for worst, _, _ in totals):.1e}; areas of bins are up to "
    f"{max(areas for _, _, areas in totals):.1e} from the exact ones"
)
