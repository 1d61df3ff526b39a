"""Weights by name: what programs and their modules load from mappings and from files.

Files are data: ``.npz`` without pickle, and ``.safetensors``, whose JSON header describes each
array (https:

github.com/huggingface/safetensors).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from npexport.ir.graph import Node
from npexport.ir.layout_copies import alike
from npexport.ir.meta import TensorMeta, dtype_name
from npexport.ir.owned import snapshot
from npexport.ir.protocols import Program
from npexport.ir.signature import InputKind, InputSpec
from npexport.ir.state_lists import holds
from npexport.symshapes.errors import LoadError, UserError
from npexport.symshapes.parameters import MAPPING, PATH, FilePath, Kind, require

Array = np.ndarray[Any, Any]
_DTYPES = {
    **{"BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "F16": "<f2"},
    **{"U32": "<u4", "I32": "<i4", "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8", "C64": "<c8"},
}
_MAX_HEADER = 100_000_000


def checked(node: Node, spec: InputSpec, value: Any) -> Any:
    """The array, if it is what the graph was made for. Raises ``UserError``."""
    meta = node.meta["val"]
    if isinstance(meta, TensorMeta) and not holds(meta, value):
        got = f"{dtype_name(np.asarray(value).dtype)}{list(np.shape(value))}"
        raise UserError("E241", f"{spec.target}: the program was exported with {meta}, the state holds {got}")
    return value


def require_names(known: Iterable[str], given: Iterable[str], strict: bool) -> None:
    """Raise ``UserError`` (E241) where, if ``strict``, names are missing or unknown."""
    missing, unknown = sorted(set(known) - set(given)), sorted(set(given) - set(known))
    if strict and (missing or unknown):
        raise UserError("E241", f"the state dict does not fit: missing {missing}, unknown {unknown}")


STATE = Kind(lambda value: MAPPING.fits(value) or PATH.fits(value), "a dict of arrays, nor the path of a file of them")


def replace_state(program: Program, state: Mapping[str, Any] | FilePath, strict: bool) -> None:
    """Let a program hold copies of these arrays; where one does not fit, all stay as they are."""
    require("state_dict", state, STATE)
    given = state if isinstance(state, Mapping) else read_weights(state)
    held = program.state_dict
    rows = [
        (node, spec, [name for name in (spec.target or "", *spec.names) if name in held])
        for node, spec in zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True)
        if spec.kind is InputKind.PARAMETER or (spec.kind is InputKind.BUFFER and spec.persistent)
    ]
    require_names([name for _, _, names in rows for name in names], given, strict)
    found: dict[str, Array] = {}
    for node, spec, names in rows:
        for name in [name for name in names if name in given]:  # the last is taken, as of a module
            array = alike(held[name])
            array[...] = checked(node, spec, given[name])
            found |= dict.fromkeys(names, snapshot(array))
    held.update(found)


def read_weights(path: FilePath) -> dict[str, Array]:
    """The arrays of a file by name.

    Raises ``LoadError`` (E501) for a damaged file, ``UserError`` (E201) for one of another kind.
    """
    path = os.fsdecode(path)
    suffix = Path(path).suffix
    if suffix == ".safetensors":
        return _safetensors(Path(path))
    if suffix != ".npz":
        text = f"weights are read from .npz and .safetensors files, not from {path!r}"
        raise UserError("E201", text, hint="Pass a dict of arrays.")
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except OSError:
        raise
    except Exception as error:
        raise LoadError("E501", f"{path} holds no arrays: {error}") from None


def _safetensors(path: Path) -> dict[str, Array]:
    size = path.stat().st_size
    data = np.memmap(path, np.uint8, "r") if size else np.zeros(0, np.uint8)
    length = int.from_bytes(data[:8].tobytes(), "little")
    if size < 8 or length > min(size - 8, _MAX_HEADER):
        raise LoadError("E501", f"{path} is cut off, or no safetensors file")
    try:
        import json

        header = json.loads(data[8 : 8 + length].tobytes())
        return {name: _array(name, row, data[8 + length :]) for name, row in header.items() if name != "__metadata__"}
    except LoadError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise LoadError("E501", f"{path} is no safetensors file: {type(error).__name__}: {error}") from None


def _array(name: str, row: dict[str, Any], data: Array) -> Array:
    begin, end = row["data_offsets"]
    shape = tuple([int(size) for size in row["shape"]])
    if row["dtype"] not in _DTYPES:
        hint = "Save the array in a dtype that NumPy has, such as F32, and load it again."
        raise LoadError("E501", f"{name!r} is {row['dtype']}, which NumPy has not", hint=hint)
    dtype = np.dtype(_DTYPES[row["dtype"]])
    if not 0 <= begin <= end <= len(data) or min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize != end - begin:
        raise ValueError(f"{name!r} does not lie where the header says")
    return np.frombuffer(data[begin:end].tobytes(), dtype).reshape(shape)
