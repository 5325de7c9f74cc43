"""Judges our safetensors files by Python's package, and lets us read its own: the same bytes, the same refusals."""

import base64
import json
import os
import shutil
import subprocess
import sys

import numpy as np

# The folder of this file comes first on the path, and its name is that of the package.
sys.path.pop(0)
from safetensors import SafetensorError, deserialize, safe_open  # noqa: E402
from safetensors.numpy import load_file, save_file  # noqa: E402

NUMPY = {
    "BOOL": np.bool_,
    "U8": np.uint8,
    "I8": np.int8,
    "U16": np.uint16,
    "I16": np.int16,
    "F16": np.float16,
    "U32": np.uint32,
    "I32": np.int32,
    "F32": np.float32,
    "C64": np.complex64,
    "U64": np.uint64,
    "I64": np.int64,
    "F64": np.float64,
}

# How the messages of the reference reader begin, and what we call the same.
REFUSALS = {
    "header too small": "HEADER_TOO_SMALL",
    "header too large": "HEADER_TOO_LARGE",
    "invalid header length": "INVALID_HEADER_LENGTH",
    "invalid UTF-8 in header": "INVALID_HEADER",
    "invalid JSON in header": "INVALID_HEADER_DESERIALIZATION",
    "invalid offset for tensor": "INVALID_OFFSET",
    "invalid shape, data type, or offset for tensor": "TENSOR_INVALID_INFO",
    "overflow computing buffer size": "VALIDATION_OVERFLOW",
    "incomplete metadata, file not fully covered": "METADATA_INCOMPLETE_BUFFER",
    "The slice is slicing for subbytes dtypes": "MISALIGNED_SLICE",
}


def read(data):
    """What Python finds in a file: its tensors, or our name for its refusal."""
    try:
        tensors = deserialize(data)
    except SafetensorError as error:
        message = str(error).removeprefix("Error while deserializing: ")
        for start, code in REFUSALS.items():
            if message.startswith(start):
                return code, None
        sys.exit(f"Python refuses a file with words that are new to us: {message}")
    found = [(name, tensor["dtype"], list(tensor["shape"]), bytes(tensor["data"]).hex()) for name, tensor in tensors]
    return None, sorted(found)


def plain(content):
    return sorted((each["name"], each["dtype"], each["shape"], each["hex"]) for each in content["tensors"])


def judge_ours(data):
    with open(data["path"], "rb") as file:
        raw = file.read()
    refusal, found = read(raw)
    if refusal or found != plain(data):
        sys.exit(f"Python reads our file as {refusal or found}")
    with safe_open(data["path"], "np") as file:
        if file.metadata() != data["metadata"]:
            sys.exit(f"Python reads our metadata as {file.metadata()}")


def judge_writers(data):
    """What numpy has, written by us, by Python, and read by both."""
    ours = [each for each in data["tensors"] if each["dtype"] in NUMPY]
    arrays = {}
    for each in ours:
        flat = np.frombuffer(bytes.fromhex(each["hex"]), NUMPY[each["dtype"]])
        arrays[each["name"]] = flat.reshape(each["shape"])
    theirs = os.path.join(data["folder"], "theirs.safetensors")
    save_file(arrays, theirs, data["metadata"])
    result = subprocess.run([*data["reader"], theirs], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"we cannot read a file of Python's: {result.stderr}")
    content = json.loads(result.stdout)
    if plain(content) != plain({"tensors": ours}) or content["metadata"] != data["metadata"]:
        sys.exit("we read a file of Python's as something else")
    for name, array in load_file(theirs).items():
        if array.tobytes() != arrays[name].tobytes() or array.shape != arrays[name].shape:
            sys.exit(f"{name} comes back from Python changed")
    with open(theirs, "rb") as file:
        if file.read().hex() != content["again"]:
            sys.exit("what we read from a file of Python's, we write as other bytes")
    return len(arrays)


def judge_refusals(data):
    for each in data["malformed"]:
        refusal, _ = read(base64.b64decode(each["base64"]))
        if each.get("error") != each["code"] or refusal != each["code"]:
            sys.exit(f"{each['what']}: {each.get('error')} by us, {refusal} by Python, expected {each['code']}")
    for each in data["duplicates"]:
        if each.get("error") != "INVALID_HEADER_DESERIALIZATION":
            sys.exit(f"{each['what']}: {each.get('error')}")


def judge_mutations(data):
    """Files changed at random. What we take, Python takes, and finds the same in it. What it takes and we do not
    must be a header that says something twice."""
    taken = 0
    stricter = 0
    for each in data["mutated"]:
        raw = base64.b64decode(each["base64"])
        refusal, found = read(raw)
        if "content" in each:
            taken += 1
            if refusal or found != plain(each["content"]):
                sys.exit(f"we read {raw} as {plain(each['content'])}, Python as {refusal or found}")
        elif refusal is None:
            stricter += 1
            if each["error"] != "INVALID_HEADER_DESERIALIZATION":
                sys.exit(f"we refuse {raw} with {each['error']}, and Python takes it")
        elif refusal != each["error"]:
            sys.exit(f"we refuse {raw} with {each['error']}, Python with {refusal}")
    return taken, stricter


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    try:
        judge_ours(data)
        arrays = judge_writers(data)
        judge_refusals(data)
        taken, stricter = judge_mutations(data)
        print(
            f"{len(data['tensors'])} tensors of all dtypes are read as they were written, {arrays} also the other way and to the same bytes; "
            f"{len(data['malformed'])} bad files are refused by the same name; {len(data['mutated'])} files changed at "
            f"random: {taken} mean the same to both, {stricter} only Python takes"
        )
    finally:
        shutil.rmtree(data["folder"], ignore_errors=True)


main()
