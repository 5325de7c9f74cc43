"""Judges kernels and gradients by PyTorch: the same operands must give the same results, gradients and shapes."""

import json
import math
import sys

import torch
import torch.nn.functional as F

TOLERANCE = 1e-4


def channels_first(x):
    return x.movedim(-1, 1)


def channels_last(x):
    return x.movedim(1, -1)


def pool(kind, x, window, stride, pad):
    run = {
        ("max", 4): F.max_pool2d,
        ("max", 5): F.max_pool3d,
        ("avg", 4): lambda *a: F.avg_pool2d(*a, count_include_pad=False),
        ("avg", 5): lambda *a: F.avg_pool3d(*a, count_include_pad=False),
    }[kind, x.dim()]
    return channels_last(run(channels_first(x), window, stride, pad))


def resize(x, kind, alignCorners, halfPixelCenters, size):
    if kind == "bilinear":
        y = F.interpolate(channels_first(x), size, mode="bilinear", align_corners=alignCorners)
    else:
        y = F.interpolate(channels_first(x), size, mode="nearest-exact" if halfPixelCenters else "nearest")
    return channels_last(y)


def sample(x, rows, columns):
    """Bilinear samples at places in pixels, zero outside."""
    height, width = x.shape[1:3]
    grid = torch.stack([2 * columns / (width - 1) - 1, 2 * rows / (height - 1) - 1], -1)
    return channels_last(F.grid_sample(channels_first(x), grid, "bilinear", "zeros", align_corners=True))


def crop(x, boxes, size):
    height, width = x.shape[1:3]
    down, right = torch.linspace(0, 1, size[0]).double(), torch.linspace(0, 1, size[1]).double()
    rows = (boxes[:, 0:1] * (1 - down) + boxes[:, 2:3] * down) * (height - 1)
    columns = (boxes[:, 1:2] * (1 - right) + boxes[:, 3:4] * right) * (width - 1)
    shape = (len(boxes), *size)
    return sample(x[[1, 0]], rows[:, :, None].expand(shape), columns[:, None, :].expand(shape))


def transform(x, matrix, size):
    a = torch.tensor(matrix).double().reshape(-1, 8, 1, 1)
    row, column = torch.meshgrid(torch.arange(size[0]).double(), torch.arange(size[1]).double(), indexing="ij")
    columns = a[:, 0] * column + a[:, 1] * row + a[:, 2]
    rows = a[:, 3] * column + a[:, 4] * row + a[:, 5]
    return sample(x, rows, columns)


def segment(x, rows, ids, mean):
    sums = torch.zeros(max(ids) + 1, x.shape[1], dtype=x.dtype).index_add(0, torch.tensor(ids), x[rows])
    counts = torch.bincount(torch.tensor(ids)).clamp(min=1).double()
    return sums / counts[:, None] if mean else sums


def slope(compute, x):
    """The gradient of the sum of squares, to be differentiated again."""
    v = x if x.requires_grad else x.detach().requires_grad_()
    return torch.autograd.grad(compute(v).square().sum(), v, create_graph=True)[0]


ACTIVATIONS = {
    "exp": torch.exp,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "elu": F.elu,
    "softmax": lambda x: F.softmax(x, -1),
}

OPERATIONS = {
    "matmul": torch.matmul,
    "max_pool": lambda x, window, stride, pad: pool("max", x, window, stride, pad),
    "avg_pool": lambda x, window, stride, pad: pool("avg", x, window, stride, pad),
    "resize": resize,
    "conv3d": lambda x, w, stride: channels_last(F.conv3d(channels_first(x), w.permute(4, 3, 0, 1, 2), stride=stride)),
    "sum": lambda x: x.sum(1),
    "mean": lambda x: x.mean(1),
    "prod": lambda x: x.prod(1),
    "crop": crop,
    "transform": transform,
    "segment_sum": lambda x, rows, ids: segment(x, rows, ids, False),
    "segment_mean": lambda x, rows, ids: segment(x, rows, ids, True),
    "slope": lambda x, of: slope(ACTIVATIONS[of], x),
    "slope_max_pool": lambda x: slope(lambda v: pool("max", v, 3, 2, 0), x),
    "slope_conv": lambda x, w: slope(lambda v: F.conv2d(channels_first(x), v.permute(3, 2, 0, 1)), w),
}


def judge(what, ours, theirs):
    """The largest difference, relative to the larger of 1 and the number; infinite where only one is a number."""
    if list(ours["shape"]) != list(theirs.shape):
        sys.exit(f"{what} has shape {ours['shape']}, PyTorch has {list(theirs.shape)}")
    worst = 0.0
    for mine, other in zip(map(float, ours["values"]), theirs.flatten().tolist()):
        same = math.isnan(mine) and math.isnan(other)
        gap = 0.0 if same or mine == other else abs(mine - other) / max(1, abs(other))
        if not gap < TOLERANCE:
            sys.exit(f"{what} has {mine}, PyTorch has {other}")
        worst = max(worst, gap)
    return worst


worst = 0.0
checks = json.load(open(sys.argv[1]))
for check in checks:
    what = f"{check['op']} {check['args']} on {check['backend']}"
    operands = [
        torch.tensor(each["values"], dtype=torch.float64).reshape(each["shape"]).requires_grad_()
        for each in check["operands"]
    ]
    result = OPERATIONS[check["op"]](*operands, **check["args"])
    dy = torch.cos(torch.arange(result.numel()).double() * 0.7).reshape(result.shape)
    gradients = torch.autograd.grad(result, operands, dy)
    worst = max(worst, judge(what, check["result"], result))
    for index, (ours, theirs) in enumerate(zip(check["gradients"], gradients)):
        worst = max(worst, judge(f"{what}, gradient {index},", ours, theirs))
print(f"{len(checks)} operations with their gradients as in PyTorch {torch.__version__}, largest difference {worst:.1e}")
