"""Judges early stopping by the callbacks of Lightning and Keras, and the README's table of where it differs."""

import json
import math
import os
import sys
import warnings
from types import SimpleNamespace

os.environ["KERAS_BACKEND"] = "torch"

import keras  # noqa: E402
import torch  # noqa: E402
from pytorch_lightning.callbacks import EarlyStopping  # noqa: E402
from pytorch_lightning.trainer.states import TrainerFn  # noqa: E402


def lightning(options, values):
    """The check at which Lightning's callback stops its trainer, and the best it knows before."""
    callback = EarlyStopping(
        "metric",
        min_delta=options["minDelta"],
        patience=options.get("patience", 10),
        mode=options.get("mode", "min"),
        check_finite=options.get("checkFinite", True),
        stopping_threshold=options.get("stoppingThreshold"),
        divergence_threshold=options.get("divergenceThreshold"),
        check_on_train_epoch_end=False,
    )
    trainer = SimpleNamespace(
        state=SimpleNamespace(fn=TrainerFn.FITTING),
        strategy=SimpleNamespace(reduce_boolean_decision=lambda decision, all: decision),
        sanity_checking=False,
        fast_dev_run=False,
        should_stop=False,
    )
    for epoch, value in enumerate(values):
        best = float(callback.best_score) if epoch > 0 else None
        trainer.current_epoch = epoch
        trainer.callback_metrics = {"metric": torch.tensor(value)}
        callback.on_validation_end(trainer, None)
        if trainer.should_stop:
            return epoch, best
    return None, float(callback.best_score)


def in_keras(options, values):
    """The same of Keras."""
    callback = keras.callbacks.EarlyStopping(
        "metric",
        min_delta=options["minDelta"],
        patience=options.get("patience", 10),
        mode=options.get("mode", "min"),
        baseline=options.get("baseline"),
    )
    model = SimpleNamespace(stop_training=False)
    callback.set_model(model)
    callback.on_train_begin()
    for epoch, value in enumerate(values):
        best = callback.best
        callback.on_epoch_end(epoch, {"metric": value})
        if model.stop_training:
            return epoch, best
    return None, callback.best


def decision(case):
    stopped, best = case["ours"]["stopped"], case["ours"]["best"]
    return stopped, None if best is None else float(best)


def values_of(case):
    return [float(value) for value in case["values"]]


def improves_at_its_end(case):
    """Whether the value at which we stopped is the best so far: where a baseline is missed, Keras goes on then."""
    stopped, best = decision(case)
    if stopped is None or "baseline" not in case["options"]:
        return False
    if best is None:
        return True
    gain = values_of(case)[stopped] - best
    return (gain if case["options"]["mode"] == "max" else -gain) > case["options"]["minDelta"]


def compare(name, cases, judge):
    stops = 0
    for case in cases:
        theirs, ours = judge(case["options"], values_of(case)), decision(case)
        if improves_at_its_end(case):
            if theirs[0] is not None and theirs[0] <= ours[0]:
                sys.exit(f"{name} stops, although it is known to go on: {case}")
            continue
        stops += ours[0] is not None
        if theirs != ours:
            sys.exit(f"{name} has {theirs}, we have {ours}: {case}")
    if not len(cases) / 4 < stops < len(cases):
        sys.exit(f"{stops} of {len(cases)} sequences are stopped, which shows too little")


def check_differences(cases):
    def both(name, judge):
        return decision(cases[name])[0], judge(cases[name]["options"], values_of(cases[name]))

    expected = {
        ("a threshold is reached", lightning): (1, 2),
        ("an infinity comes first", lightning): (None, 0),
        ("a NaN", in_keras): (1, None),
        ("a NaN comes first", in_keras): (None, 3),
        ("better, and not than the baseline", in_keras): (1, None),
    }
    for (name, judge), stops in expected.items():
        ours, (theirs, _) = both(name, judge)
        if (ours, theirs) != stops:
            sys.exit(f"{name}: stopped at {ours} here and {theirs} in {judge.__name__}, the README says {stops}")
    if not math.isnan(in_keras(cases["a NaN comes first"]["options"], [math.nan, 1.0])[1]):
        sys.exit("Keras no longer takes a first NaN for the best")


def check_defaults():
    def expect(what, is_so):
        if not is_so:
            sys.exit(f"The README is wrong about this: {what}")

    of_keras, of_lightning = keras.callbacks.EarlyStopping(), EarlyStopping("metric")
    expect("Keras: min_delta 0, patience 0", (of_keras.min_delta, of_keras.patience) == (0, 0))
    expect("Lightning: min_delta 0, patience 3", (of_lightning.min_delta, of_lightning.patience) == (0, 3))
    for judge in (lightning, in_keras):
        by_patience = [judge({"minDelta": 0, "patience": p}, [3.0, 2.0, 2.0, 1.0])[0] for p in (0, 1)]
        expect(f"{judge.__name__}: patience 0 and 1 mean the same", by_patience == [2, 2])
    resumed = EarlyStopping("metric", patience=9)
    resumed.load_state_dict(EarlyStopping("metric", patience=2).state_dict())
    expect("Lightning: the patience is that of the checkpoint", resumed.patience == 2)
    again = keras.callbacks.EarlyStopping("metric", mode="min")
    again.set_model(SimpleNamespace(stop_training=False))
    again.on_train_begin()
    again.on_epoch_end(0, {"metric": 1.0})
    again.on_train_begin()
    expect("Keras: the best is lost on resume", again.best is None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        again.on_epoch_end(0, {"other": 1.0})
    expect("Keras: a missing metric is warned of", "not available" in str(caught[0].message))
    try:
        keras.callbacks.EarlyStopping("f1").on_epoch_end(0, {"f1": 1.0})
        expect("Keras: the mode of an unknown metric is an error", False)
    except ValueError:
        pass


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    compare("Lightning", data["likeLightning"], lightning)
    compare("Keras", data["likeKeras"], in_keras)
    check_differences(data["differences"])
    check_defaults()
    count = len(data["likeLightning"]) + len(data["likeKeras"])
    print(f"{count} sequences end as in Lightning and Keras, and they differ where the README says so")


main()
