"""Keras takes the weights of exported models by name, and must predict what TensorFlow.js predicts."""

import base64
import json
import os
import re
import sys
import tempfile

os.environ["KERAS_BACKEND"] = "torch"

# The folder of this file comes first on the path, and a check in it has the name of the package.
sys.path.pop(0)
import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import layers  # noqa: E402
from safetensors.numpy import load  # noqa: E402

TOLERANCE = 1e-5

MODELS = {
    "mlp": lambda: keras.Sequential(
        [keras.Input((3,)), layers.Dense(4, activation="relu"), layers.Dense(2)]
    ),
    "cnn": lambda: keras.Sequential(
        [
            keras.Input((8, 8, 1)),
            layers.Conv2D(3, 3, activation="relu", name="conv"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(2, activation="softmax"),
        ]
    ),
    "rnn": lambda: keras.Sequential(
        [
            keras.Input((5, 2)),
            layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
            layers.GRU(3, reset_after=False),
            layers.Dense(2),
        ]
    ),
}

with open(sys.argv[1], encoding="utf-8") as file:
    cases = json.load(file)

worst = 0.0


def judge(name, model, case):
    global worst
    predicted = model.predict(np.array(case["inputs"], dtype="float32"), verbose=0)
    worst = max(worst, float(np.abs(predicted - np.array(case["outputs"])).max()))
    assert worst < TOLERANCE, f"{name}: predictions differ by {worst}"


for name, case in cases.items():
    keras.backend.clear_session()
    model = MODELS[name]()
    weights = load(base64.b64decode(case["file"]))
    for variable in model.weights:
        variable.assign(weights.pop(variable.path.removeprefix(f"{model.name}/")))
    assert not weights, f"{name}: Keras has no weights named {list(weights)}"
    judge(name, model, case)

# The program that docs/using-models.md shows, as it is there.
page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "using-models.md")
with open(page, encoding="utf-8") as file:
    program = re.search(r"```python\n(.*?)```", file.read(), re.DOTALL).group(1)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir("my-model")
    with open("my-model/model.safetensors", "wb") as file:
        file.write(base64.b64decode(cases["mlp"]["file"]))
    keras.backend.clear_session()
    names = {}
    exec(program, names)  # noqa: S102
    judge("docs/using-models.md", names["model"], cases["mlp"])
    os.chdir("/")

print(f"{len(cases)} exported models and the program of the docs predict the same in Keras, within {worst:.1e}")
