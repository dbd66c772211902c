"""Whether pictures were turned without a loss: their coefficients are those that jpegtran gives."""

import shutil
import subprocess
import tempfile

from .measure import Failed

# Of as many as the row has.
LOOKED_AT = 12


def compare(folder, out):
    """Of pictures with orientation 6 and of what was made of them.

    Written anew by jpegtran, without metadata and with tables for their own coefficients, two files are the
    same if and only if their coefficients, their quantization and their sampling are.
    """
    if shutil.which("jpegtran") is None:
        return
    made = sorted(path for path in out.rglob("*.jpg") if ".minilab" not in path.parts)
    for path in made[:: max(1, len(made) // LOOKED_AT)]:
        wanted = written("-rotate", "90", path=folder / path.name)
        if written(path=path) != wanted:
            raise Failed(f"{path.name} has other coefficients than jpegtran gives it")


def written(*turn, path):
    with tempfile.TemporaryFile() as file:
        command = ["jpegtran", "-copy", "none", "-optimize", *turn, path]
        subprocess.run(command, stdout=file, check=True)
        file.seek(0)
        return file.read()
