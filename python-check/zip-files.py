"""Judges our zips by Python's zipfile: checksums, names and bytes."""

import base64
import io
import json
import sys
import zipfile

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)

with zipfile.ZipFile(io.BytesIO(base64.b64decode(given["zip"]))) as zipped:
    damaged = zipped.testzip()
    if damaged is not None:
        sys.exit(f"{damaged} has another checksum")
    found = [[name, base64.b64encode(zipped.read(name)).decode()] for name in zipped.namelist()]

if found != given["files"]:
    sys.exit("other names or bytes than were put in")
print(f"{len(found)} files, names and bytes equal")
