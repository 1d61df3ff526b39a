"""Runs modules that ``to_python`` wrote, in a process where npexport cannot be imported.

``python plain_run.py FOLDER`` calls ``forward`` of each ``FOLDER/NAME.py`` with the arguments of ``NAME.args``; what comes out is written,
flat, to ``NAME.result``.
"""

from __future__ import annotations

import importlib.util
import pickle
import sys
import warnings
from pathlib import Path


def flat(value):
    """The leaves of a value, each container before what it holds."""
    if isinstance(value, dict):
        return [("dict", *value), *(leaf for part in value.values() for leaf in flat(part))]
    if isinstance(value, (tuple, list)):
        return [(type(value).__name__, len(value)), *(leaf for part in value for leaf in flat(part))]
    return [value]


def called(function, args):
    """What a call gives and leaves in its arguments, or the kind and text of what it raises."""
    try:
        return flat((function(*args), args))
    except Exception as error:
        return ["raised", type(error).__name__, str(error)]


class Blocked:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "npexport":
            raise ImportError("npexport is not here")


def main(folder):
    warnings.simplefilter("ignore")
    sys.meta_path.insert(0, Blocked)
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    for file in sorted(folder.glob("*.py")):
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        written(called(module.forward, read(file.with_suffix(".args"))), file.with_suffix(".result"))


def written(value, path):
    path.write_bytes(pickle.dumps(value))


def read(path):
    return pickle.loads(path.read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
