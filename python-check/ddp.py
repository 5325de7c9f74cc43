"""Two processes with DistributedDataParallel over gloo, on the model, the weights and the batches of ddp.ts."""

import json
import os
import sys
import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

WORLD = 2


def train(rank: int, given: dict, folder: str) -> None:
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=WORLD)
    model = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1))
    kernel1, bias1, kernel2, bias2 = [torch.tensor(each) for each in given["start"]]
    with torch.no_grad():
        model[0].weight.copy_(kernel1.T)
        model[0].bias.copy_(bias1)
        model[2].weight.copy_(kernel2.T)
        model[2].bias.copy_(bias2)
    parallel = torch.nn.parallel.DistributedDataParallel(model)
    config = given["config"]
    # 1e-7 is the epsilon of Keras and tfjs.
    optimizer = torch.optim.Adam(parallel.parameters(), lr=config["lr"], eps=1e-7)
    xs, ys = torch.tensor(given["xs"]), torch.tensor(given["ys"])
    share = config["batchSize"] // WORLD
    losses = []
    for _ in range(config["epochs"]):
        for first in range(0, len(xs), config["batchSize"]):
            rows = slice(first + rank * share, first + (rank + 1) * share)
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(parallel(xs[rows]), ys[rows])
            loss.backward()
            optimizer.step()
            total = loss.detach().clone()
            dist.all_reduce(total)
            losses.append(total.item() / WORLD)
    if rank == 0:
        weights = [model[0].weight.T, model[0].bias, model[2].weight.T, model[2].bias]
        torch.save((losses, [each.detach() for each in weights]), os.path.join(folder, "trained"))
    dist.barrier()
    # Everything is done. Taking gloo and its threads down aborts the process now and then.
    os._exit(0)


def main() -> None:
    with open(sys.argv[1], encoding="utf8") as file:
        given = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(train, args=(given, folder), nprocs=WORLD)
        losses, weights = torch.load(os.path.join(folder, "trained"))
    apart = np.max(np.abs(np.array(losses) - np.array(given["losses"])))
    assert len(losses) == 30, len(losses)
    assert apart < 1e-5, f"losses are {apart} apart"
    for theirs, ours in zip(weights, given["weights"], strict=True):
        np.testing.assert_allclose(np.array(ours), theirs.numpy(), atol=1e-4)
    print(f"30 steps of two processes, losses at most {apart:.1e} apart from DistributedDataParallel over gloo")


if __name__ == "__main__":
    main()
