"""Judges our event files by TensorBoard's own readers, and our speed by its own writer."""

import json
import math
import os
import shutil
import struct
import sys
import time

from tensorboard.backend.event_processing import event_accumulator, plugin_event_accumulator
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.hparams import metadata as hparams
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util

EVERYTHING = {
    event_accumulator.SCALARS: 0,
    event_accumulator.HISTOGRAMS: 0,
    event_accumulator.TENSORS: 0,
}
# What we promise.
TOO_SLOW = 2


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def same(ours, theirs):
    return ours == theirs or (math.isnan(ours) and math.isnan(theirs))


def judge_scalars(reader, expected):
    points = 0
    for tag, curve in expected.items():
        found = [(event.step, event.value) for event in reader.Scalars(tag)]
        wanted = sorted((int(step), single(value)) for step, value in curve.items())
        # Only this process knows how fast it was and how much memory it had; two hooks ask at different moments.
        measured = tag.split("/")[0] in ("speed", "time", "memory", "gpu")
        if [step for step, _ in found] != [step for step, _ in wanted]:
            sys.exit(f"{tag}: steps {[step for step, _ in found]}, expected {[step for step, _ in wanted]}")
        for (step, theirs), (_, ours) in zip(found, wanted):
            if not measured and not same(ours, theirs):
                sys.exit(f"{tag}: {theirs} at step {step}, expected {ours}")
        points += len(found)
    return points


def judge_histograms(reader, expected):
    for ours in expected:
        found = [event for event in reader.Histograms(ours["name"]) if event.step == ours["step"]]
        if len(found) != 1:
            sys.exit(f"{len(found)} histograms at step {ours['step']}")
        theirs = found[0].histogram_value
        fields = ["min", "max", "num", "sum", "sum_squares", "bucket_limit", "bucket"]
        found = [getattr(theirs, field) for field in fields]
        wanted = [ours["min"], ours["max"], ours["num"], ours["sum"], ours["sumSquares"]]
        wanted += [ours["edges"][1:], ours["counts"]]
        if [list(x) if hasattr(x, "__iter__") else x for x in found] != wanted:
            sys.exit(f"histogram: {found}, expected {wanted}")


def judge_display(directory, data):
    """As the server of TensorBoard reads the files: every value is a tensor, with the plugin that shows it."""
    reader = plugin_event_accumulator.EventAccumulator(directory, EVERYTHING)
    reader.Reload()
    for plugin, tag in [
        ("scalars", "val/loss"),
        ("histograms", data["histograms"][0]["name"]),
        ("text", "run/config"),
        ("text", "run/end"),
        ("hparams", hparams.SESSION_START_INFO_TAG),
        ("hparams", hparams.SESSION_END_INFO_TAG),
    ]:
        if tag not in reader.PluginTagToContent(plugin):
            sys.exit(f"{tag} is not shown by {plugin}")
    steps = [event.step for event in reader.Tensors("batch/loss")]
    if steps != list(range(1, 81)):
        sys.exit(f"after a resume the steps of batch/loss are {steps}")
    buckets = tensor_util.make_ndarray(reader.Tensors(data["histograms"][0]["name"])[0].tensor_proto)
    if buckets.tolist() != [[-1.5, -0.25, 4], [-0.25, 1, 0], [1, 2.25, 8]]:
        sys.exit(f"buckets are shown as {buckets.tolist()}")
    config = tensor_util.make_ndarray(reader.Tensors("run/config")[0].tensor_proto)
    if json.loads(config[0])["batchSize"] != 2:
        sys.exit(f"the config is {config}")
    content = reader.PluginTagToContent("hparams")[hparams.SESSION_START_INFO_TAG]
    settings = hparams.parse_session_start_info_plugin_data(content).hparams
    if settings["epochs"].number_value != 2 or settings["loss"].string_value != "meanSquaredError":
        sys.exit(f"the hyper-parameters are {settings}")


def seconds_of_python(directory, count):
    start = time.perf_counter()
    writer = EventFileWriter(directory)
    for step in range(1, count + 1):
        value = summary_pb2.Summary.Value(tag="train/loss", simple_value=1 / step)
        summary = summary_pb2.Summary(value=[value])
        writer.add_event(event_pb2.Event(wall_time=time.time(), step=step, summary=summary))
    writer.close()
    return time.perf_counter() - start


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    try:
        reader = event_accumulator.EventAccumulator(data["dir"], EVERYTHING)
        reader.Reload()
        points = judge_scalars(reader, data["scalars"])
        judge_histograms(reader, data["histograms"])
        judge_display(data["dir"], data)

        speed = event_accumulator.EventAccumulator(os.path.join(data["folder"], "speed-0"), EVERYTHING)
        speed.Reload()
        written = len(speed.Scalars("train/loss"))
        if written != data["count"]:
            sys.exit(f"{written} of {data['count']} scalars were written")
        python = min(
            seconds_of_python(os.path.join(data["folder"], f"python-{round}"), data["count"]) for round in range(3)
        )
        ratio = data["seconds"] / python
        if ratio > TOO_SLOW:
            sys.exit(f"{data['count']} scalars take {ratio:.2f} times as long as with TensorBoard's own writer")
        print(
            f"{points} points and {len(data['histograms'])} histograms are read as they were written; "
            f"{data['count']} scalars in {data['seconds']:.2f} s, {ratio:.2f} times what TensorBoard's writer takes"
        )
    finally:
        shutil.rmtree(data["folder"], ignore_errors=True)


main()
