"""Judges our schedules by torch.optim.lr_scheduler, step by step."""

import json
import sys
import warnings

import torch
from torch.optim import lr_scheduler as schedulers

TOLERANCE = 1e-12


def chain(optimizer, _lr):
    parts = [
        schedulers.LinearLR(optimizer, start_factor=0.1, total_iters=50),
        schedulers.CosineAnnealingLR(optimizer, T_max=150),
    ]
    return schedulers.SequentialLR(optimizer, parts, milestones=[50])


JUDGES = {
    "step": lambda opt, lr: schedulers.StepLR(opt, 30, 0.3),
    "step by its defaults": lambda opt, lr: schedulers.StepLR(opt, 70),
    "exponential": lambda opt, lr: schedulers.ExponentialLR(opt, 0.97),
    "polynomial": lambda opt, lr: schedulers.PolynomialLR(opt, 150, 2),
    "linear": lambda opt, lr: schedulers.PolynomialLR(opt, 200),
    "cosine": lambda opt, lr: schedulers.CosineAnnealingLR(opt, 200, eta_min=0.05 * lr),
    "restarts": lambda opt, lr: schedulers.CosineAnnealingWarmRestarts(opt, 30, eta_min=0.1 * lr),
    "growing restarts": lambda opt, lr: schedulers.CosineAnnealingWarmRestarts(opt, 10, T_mult=2),
    "warmup": lambda opt, lr: schedulers.LinearLR(opt, start_factor=0.25, total_iters=80),
    "one-cycle": lambda opt, lr: schedulers.OneCycleLR(opt, max_lr=lr, total_steps=200, cycle_momentum=False),
    "one-cycle in lines": lambda opt, lr: schedulers.OneCycleLR(
        opt,
        max_lr=lr,
        total_steps=200,
        pct_start=0.4,
        anneal_strategy="linear",
        div_factor=10,
        final_div_factor=100,
        cycle_momentum=False,
    ),
    "plateau": lambda opt, lr: schedulers.ReduceLROnPlateau(opt, eps=0),
    "plateau with everything": lambda opt, lr: schedulers.ReduceLROnPlateau(
        opt,
        factor=0.5,
        patience=3,
        threshold=0.01,
        threshold_mode="abs",
        cooldown=4,
        min_lr=0.01 * lr,
        eps=0,
    ),
    "plateau upwards": lambda opt, lr: schedulers.ReduceLROnPlateau(opt, mode="max", patience=5, factor=0.7, eps=0),
    "chain": chain,
}


def rates_of(make, lr, metric):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=lr)
    scheduler = make(optimizer, lr)
    for value in metric:
        yield optimizer.param_groups[0]["lr"]
        optimizer.step()
        if isinstance(scheduler, schedulers.ReduceLROnPlateau):
            scheduler.step(value)
        elif getattr(scheduler, "total_steps", None) != scheduler.last_epoch + 1:
            scheduler.step()


def main():
    warnings.simplefilter("ignore")
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    if sorted(data["rates"]) != sorted(JUDGES):
        sys.exit(f"Schedules without a judge, or judges without one: {set(data['rates']) ^ set(JUDGES)}")
    worst = 0.0
    for name, ours in data["rates"].items():
        theirs = list(rates_of(JUDGES[name], data["lr"], data["metric"]))
        for step, (our, their) in enumerate(zip(ours, theirs, strict=True)):
            worst = max(worst, abs(our - their))
            if not abs(our - their) < TOLERANCE:
                sys.exit(f"{name}: {our} at step {step}, torch has {their}")
        if len(set(theirs)) < 2:
            sys.exit(f"{name}: the rate never changes, so that nothing is shown")
    print(f"{len(data['rates'])} schedules over {len(data['metric'])} steps agree to {worst:.1e}")


main()
