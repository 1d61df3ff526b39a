"""The commands of saved programs: ``npexport show|run|diff|verify|info|bench``."""

from __future__ import annotations

import argparse
import copy
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from npexport import json_forms
from npexport.colours import shown
from npexport.targets import find_target, inputs_of, other_state, require_writable, same, usage, user_code

CALLS, BUDGET = (5, 1000), 1.0
"""How often `bench` calls at least and at most, and how many seconds it spends on each side."""


def _cost(program: Any, *, data: bool = False) -> Any:
    from npexport.ir import cost

    return cost.as_dict(program.graph) if data else cost.as_text(program.graph)


PARTS: dict[str, Callable[[Any], str]] = {
    "graph": lambda program: str(program.graph_module),
    "signature": lambda program: str(program.graph_signature),
    "guards": lambda program: "\n".join([f"{size}: {bounds}" for size, bounds in program.ranges.items()] + [*map(str, program.guards)]),
    "code": lambda program: str(program.module().code),
    "cost": _cost,
}
"""What `npexport show` prints of a program, by the name of the option."""
_DATA: dict[str, Callable[[Any], Any]] = {**PARTS, "cost": lambda program: _cost(program, data=True)}
"""What it gives as JSON."""


def _programs(path: str) -> dict[str, Any]:
    from npexport import load_np2

    return load_np2(path).exported_programs


def _named(programs: dict[str, Any], name: str | None, path: str) -> dict[str, Any]:
    """The programs of a file, or the one that ``--program`` names.

    Raises ``UserError`` (E205) for a name that is not among them.
    """
    if name is not None and name not in programs:
        raise usage(f"{path} holds no program {name!r}", f"It holds: {', '.join(programs)}.")
    return programs if name is None else {name: programs[name]}


def _one_of(options: argparse.Namespace) -> Any:
    """The program of a file that holds one, or that ``--program`` names."""
    programs = _named(_programs(options.file), options.program, options.file)
    if len(programs) > 1:
        raise usage(f"{options.file} holds several programs", f"Name one of them: --program {' or '.join(programs)}.")
    return next(iter(programs.values()))


def show(options: argparse.Namespace) -> int:
    programs = _named(_programs(options.file), options.program, options.file)
    if options.format == "json":
        found = {name: {part: _DATA[part](program) for part in options.parts or PARTS} for name, program in programs.items()}
        json_forms.put({"programs": found} if len(found) > 1 else next(iter(found.values())))
        return 0
    for name, program in programs.items():
        text = "\n".join(PARTS[part](program) or f"no {part}" for part in options.parts) if options.parts else program
        print(shown(f"{name}:\n{text}" if len(programs) > 1 else text, sys.stdout))
    return 0


def diff(options: argparse.Namespace) -> int:
    """Two programs, whatever their names are; of packages those of the same name."""
    from npexport import diff

    files = [(_programs(path), path) for path in (options.first, options.second)]
    first, second = (programs if len(programs) == 1 else _named(programs, options.program, path) for programs, path in files)
    if len(first) == len(second) == 1:
        found = diff(*first.values(), *second.values())
        json_forms.put(_rows(found)) if options.format == "json" else print(shown(found, sys.stdout, changes=True))
        return 1 if found else 0
    both = {name: diff(first[name], second[name]) for name in first if name in second}
    alone = [(options.first, sorted(first.keys() - second.keys())), (options.second, sorted(second.keys() - first.keys()))]
    differ = any(both.values()) or any(names for _, names in alone)
    if options.format == "json":
        rows = {"programs": {name: _rows(found) for name, found in both.items()}, "only": [names for _, names in alone]}
        json_forms.put({"equal": not differ, **rows})
        return 1 if differ else 0
    for name, found in both.items():
        print(f"{name}:\n{shown(found, sys.stdout, changes=True)}")
    for path, names in alone:
        print("".join(f"{name}: only in {path}\n" for name in names), end="")
    return 1 if differ else 0


def _rows(found: Any) -> dict[str, Any]:
    return {"equal": not found, **vars(found)}


def verify(options: argparse.Namespace) -> int:
    """Loading verifies: what does not raise is sound."""
    from npexport import load_np2

    contents = load_np2(options.file)
    if options.format == "json":
        json_forms.put({"ok": True, "programs": list(contents.exported_programs)})
    else:
        print(f"{options.file}: sound ({', '.join(contents.exported_programs)})")
    return 0


def info(options: argparse.Namespace) -> int:
    from npexport import load_np2

    contents = load_np2(options.file)
    rows = {name: json_forms.summary(program) for name, program in contents.exported_programs.items()}
    if options.format == "json":
        json_forms.put({"programs": rows, "extra_files": list(contents.extra_files)})
        return 0
    for name, row in rows.items():
        print(f"{name}:")
        for key, value in row.items():
            key = "opset versions" if key == "operators" else key
            text = ", ".join(f"{k} {v}" for k, v in value.items()) or "none" if isinstance(value, dict) else value
            print(f"  {key}: {text}")
    for file in contents.extra_files:
        print(f"extra file: {file}")
    return 0


def run(options: argparse.Namespace) -> int:
    require_writable(options.output)
    compared = None if options.compare is None else find_target(options.compare)[0]  # it may declare operators of the program
    program = _one_of(options)
    outputs, wrong = _results(program, inputs_of(options, program), compared, options.compare)
    if options.output:
        arrays: dict[str, Any] = dict(zip(array_names(outputs), map(_array, outputs.values()), strict=True))
        _write_arrays(options.output, arrays)
    elif options.format == "text":
        for path, value in outputs.items():
            print(f"{path} =\n{value}")
    if options.format == "json":
        rows = {path: {"type": _type_text(value)} for path, value in outputs.items()}
        if not options.output:
            rows = {path: row | {"value": _plain(outputs[path])} for path, row in rows.items()}
        json_forms.put({"outputs": rows} | ({} if options.compare is None else {"differs": wrong}))
    if options.compare is not None and not wrong and options.format == "text":
        print(f"{options.compare} gives the same, to the last bit")
    return 1 if wrong else 0


def _write_arrays(path: str, arrays: Mapping[str, Any]) -> None:
    from npexport.ir.atomic import replace_file
    from npexport.runtime.plain.plain_files import npz

    plain = {name: array for name, array in arrays.items() if not array.dtype.hasobject and array.dtype.kind != "T"}
    for name in [name for name in arrays if name not in plain]:
        print(f"{name} is not a plain array, and is left out", file=sys.stderr)
    replace_file(path if path.endswith(".npz") else f"{path}.npz", npz(plain))


def _array(value: Any) -> Any:
    """An output as an array of a file: bytes as numbers, since texts of NumPy end before zeros."""
    return np.frombuffer(value, np.uint8) if type(value) is bytes else np.asarray(value)


def _type_text(value: Any) -> str:
    from npexport.ir.meta import dtype_name

    return f"{dtype_name(value.dtype)}{list(value.shape)}" if isinstance(value, (np.ndarray, np.generic)) else type(value).__name__


def _plain(value: Any) -> Any:
    """An output, or an item of one, as JSON has it: other numbers, those that are not finite
    included, as text.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int)) or (isinstance(value, float) and np.isfinite(value)):
        return value
    return str(value)


def bench(options: argparse.Namespace) -> int:
    target, _ = find_target(options.target)  # it may declare operators of the program
    program = _one_of(options)
    call = inputs_of(options, program)
    _, wrong = _results(program, call, target, options.target)
    with user_code():
        seconds = {name: _seconds(function, call) for name, function in (("program", program.module()), ("original", target))}
    ratio = seconds["program"] / seconds["original"]
    if options.format == "json":
        json_forms.put({**seconds, "ratio": ratio, "differs": wrong})
    else:
        print("".join(f"{name:9} {each * 1e6:12.1f} us a call\n" for name, each in seconds.items()) + f"ratio     {ratio:12.2f}")
    return 1 if wrong else 0


def _seconds(function: Callable[..., Any], call: Any) -> float:
    """The shortest of several calls, each with inputs of its own."""
    times: list[float] = []
    while len(times) < CALLS[0] or (len(times) < CALLS[1] and sum(times) < BUDGET):
        args, kwargs = copy.deepcopy(call)
        begun = time.perf_counter()
        function(*args, **kwargs)
        times.append(time.perf_counter() - begun)
    return max(min(times), 1e-9)


def _results(program: Any, call: Any, target: Any, name: str) -> tuple[dict[str, Any], list[str]]:
    """What a program gives, by path, and where a target of that name gives something else."""
    from npexport.ir.pytree import tree_leaves_with_paths

    def results(function: Callable[..., Any]) -> dict[str, Any]:
        args, kwargs = copy.deepcopy(call)
        with user_code():
            return dict(tree_leaves_with_paths(function(*args, **kwargs), "out"))

    outputs, others = results(program.module()), other_state(program, target)
    expected = outputs if target is None else results(target)
    wrong = [path for path in {**outputs, **expected} if not same(outputs.get(path), expected.get(path))]
    for path in wrong:
        print(f"{path}: {name} gives another result", file=sys.stderr)
    if wrong and others:
        hint = "let it draw them from a seed, or load the program's state_dict"
        print(f"{name} holds other arrays than the program: {', '.join(others)}; {hint}", file=sys.stderr)
    return outputs, wrong


def array_names(paths: Iterable[str]) -> list[str]:
    """Paths as names of arrays in a file, each another one.

    >>> array_names(["out['a']['b c']", "out['a']['b_c']", "out[0]"])
    ['out_a_b_c', 'out_a_b_c_1', 'out_0']
    """
    names: list[str] = []
    for path in paths:
        base = name = re.sub(r"\W+", "_", path).strip("_")
        number = 0
        while name in names:
            number += 1
            name = f"{base}_{number}"
        names.append(name)
    return names
