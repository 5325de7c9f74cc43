"""Judges our optimizers by torch.optim in double precision, step by step; lion by the formula of its paper."""

import json
import sys

import numpy as np
import torch

TOLERANCE = 2e-5

# Our option, torch's name for it.
OPTIONS = {
    "lr": "lr",
    "momentum": "momentum",
    "nesterov": "nesterov",
    "weightDecay": "weight_decay",
    "rho": "rho",
    "epsilon": "eps",
    "centered": "centered",
    "initialAccumulator": "initial_accumulator_value",
}
CLASSES = {
    "sgd": torch.optim.SGD,
    "adam": torch.optim.Adam,
    "adamw": torch.optim.AdamW,
    "rmsprop": torch.optim.RMSprop,
    "adagrad": torch.optim.Adagrad,
    "adadelta": torch.optim.Adadelta,
}
# Where our default is another one, as documented; everything else has to be torch's.
DEFAULTS = {"sgd": {"lr": 0.01}, "adam": {"eps": 1e-7}, "adamw": {"eps": 1e-7}}


def torch_options(name, spec):
    options = {OPTIONS[key]: value for key, value in spec.items() if key in OPTIONS}
    if name == "rmsprop" and "rho" in options:
        options["alpha"] = options.pop("rho")
    if "beta1" in spec or "beta2" in spec:
        options["betas"] = (spec.get("beta1", 0.9), spec.get("beta2", 0.999))
    return options


def run_torch(spec, start, gradients):
    name = spec["name"]
    weights = {path: torch.tensor(values, dtype=torch.float64) for path, values in start.items()}
    groups, grouped = [], set()
    for group in spec.get("groups", []):
        mine = [path for path in weights if path.endswith(group["params"].removeprefix("**"))]
        grouped.update(mine)
        if not group.get("frozen"):
            groups.append({"params": [weights[path] for path in mine], **torch_options(name, group)})
    groups.append({"params": [weights[path] for path in weights if path not in grouped]})
    optimizer = CLASSES[name](groups, **{**DEFAULTS.get(name, {}), **torch_options(name, spec)})
    for each in gradients:
        for path, weight in weights.items():
            weight.grad = torch.tensor(each[path], dtype=torch.float64)
        optimizer.step()
        yield {path: weight.numpy().copy() for path, weight in weights.items()}


def run_lion(spec, start, gradients):
    lr, decay = spec.get("lr", 1e-4), spec.get("weightDecay", 0.0)
    beta1, beta2 = spec.get("beta1", 0.9), spec.get("beta2", 0.99)
    weights = {path: np.array(values) for path, values in start.items()}
    momenta = {path: np.zeros_like(values) for path, values in weights.items()}
    for each in gradients:
        for path in weights:
            gradient = np.array(each[path])
            update = np.sign(beta1 * momenta[path] + (1 - beta1) * gradient)
            momenta[path] = beta2 * momenta[path] + (1 - beta2) * gradient
            weights[path] = weights[path] - lr * (update + decay * weights[path])
        yield {path: values.copy() for path, values in weights.items()}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    worst = 0.0
    for case in data["cases"]:
        spec = case["spec"]
        judge = run_lion if spec["name"] == "lion" else run_torch
        expected = judge(spec, data["start"], data["gradients"])
        for step, (ours, theirs) in enumerate(zip(case["weights"], expected, strict=True)):
            for path, values in ours.items():
                error = float(np.max(np.abs(np.array(values) - theirs[path])))
                worst = max(worst, error)
                if not error < TOLERANCE:
                    sys.exit(f"{case['backend']}, {spec}: {path} is off by {error} at step {step}")
    print(f"{len(data['cases'])} runs of {len(data['gradients'])} steps agree to {worst:.1e}")


main()
