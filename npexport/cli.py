"""The command line: ``npexport export|explain|fix|show|run``; also ``python -m npexport``.

Exit codes: 0 done, 1 the program was refused or did not fit, 2 the command line was wrong.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from npexport import __version__
from npexport.symshapes.codes import CODES
from npexport.symshapes.errors import ExportError, Location, UserError

Call = tuple[tuple[Any, ...], dict[str, Any]]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    options = _parser().parse_args(argv)
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except ExportError as error:
        print(error, file=sys.stderr)
        return 2 if error.code == "E205" else 1
    except BrokenPipeError:  # whoever reads has seen enough, as `head` has; what is buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"npexport: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="npexport", description="Strict export for NumPy programs.")
    parser.add_argument("--version", action="version", version=f"npexport {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    export = commands.add_parser("export", help="export a program, print it and save it")
    _target_options(export)
    export.add_argument("-o", "--output", metavar="FILE", help="save the program to this .np2 file")
    export.add_argument("-q", "--quiet", action="store_true", help="do not print the program")
    export.set_defaults(run=_export)

    explain = commands.add_parser("explain", help="list every problem of a program, or print the page of an error code")
    _target_options(explain, "file.py:name, package.module:name, or an error code such as E103")
    explain.add_argument("--format", choices=("text", "json"), default="text")
    explain.set_defaults(run=_explain)

    fix = commands.add_parser("fix", help="print dynamic_shapes as code, with the fixes applied that the program needs")
    _target_options(fix)
    fix.set_defaults(run=_fix)

    show = commands.add_parser("show", help="print a saved program")
    show.add_argument("file")
    show.set_defaults(run=_show)

    run = commands.add_parser("run", help="run a saved program")
    run.add_argument("file")
    _input_options(run)
    run.add_argument("-o", "--output", metavar="FILE", help="save the outputs to this .npz file")
    run.set_defaults(run=_run)
    return parser


def _target_options(parser: argparse.ArgumentParser, text: str = "file.py:name or package.module:name") -> None:
    parser.add_argument("target", help=text)
    _input_options(parser)


def _input_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--inputs", metavar="FILE", help="an .npz file with the inputs by parameter name (or arr_0, arr_1, ... by position)"
    )
    parser.add_argument(
        "--input",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="one input: x=f32[8,64] (zeros), x=f32[batch=8,64] (a dynamic size and its example), n=3, mode='fast'; may be repeated",
    )


# Commands


def _export(options: argparse.Namespace) -> int:
    from npexport import export, save

    target, module = find_target(options.target)
    args, kwargs = example_inputs(target, module, options)
    program = export(target, args, kwargs, dynamic_shapes=dynamic_shapes(module, options))
    if not options.quiet:
        print(program)
    if options.output:
        save(program, options.output)
    return 0


def _explain(options: argparse.Namespace) -> int:
    from npexport import explain
    from npexport.tracer.diagnostics.catalogue import page

    if options.target.upper() in CODES or any(row.slug == options.target for row in CODES.values()):
        print(page(options.target).text)
        return 0
    if re.fullmatch(r"E\d+", options.target.upper()):
        raise _usage(f"there is no error code {options.target}", f"The codes are {', '.join(CODES)}.")
    target, module = find_target(options.target)
    args, kwargs = example_inputs(target, module, options)
    found = explain(target, args, kwargs, dynamic_shapes=dynamic_shapes(module, options))
    print(json.dumps(_as_json(found), indent=2) if options.format == "json" else found)
    return 0 if found.ok else 1


def _fix(options: argparse.Namespace) -> int:
    """The module's ``dynamic_shapes``, or the most general ones where it has none, made true of the program."""
    from npexport import ConstraintViolation, export, infer
    from npexport.symshapes.refine import as_code
    from npexport.symshapes.spec import as_tree, named_arguments, normalize

    target, module = find_target(options.target)
    args, kwargs = example_inputs(target, module, options)
    spec = dynamic_shapes(module, options)
    if spec is None:
        arguments = named_arguments(target, args, kwargs)
        spec = as_tree(arguments, normalize(infer(), arguments))
    try:
        program = export(target, args, kwargs, dynamic_shapes=spec)
    except ConstraintViolation as violation:
        print(violation, file=sys.stderr)
        spec = violation.apply(spec)
        program = export(target, args, kwargs, dynamic_shapes=spec)
    print(as_code(spec))
    for guard in program.guards:
        print(f"# checked at every call: {guard}")
    return 0


def _show(options: argparse.Namespace) -> int:
    from npexport import load

    print(load(options.file))
    return 0


def _run(options: argparse.Namespace) -> int:
    from npexport import load
    from npexport.ir.pytree import tree_leaves_with_paths

    program = load(options.file)
    parameters = program.call_spec.parameters
    args, kwargs = _given(options, [p.name for p in parameters] if parameters is not None else [])
    if not args and not kwargs:
        example = program.example_inputs
        if example is None:
            raise _usage("give inputs with --inputs or --input")
        args, kwargs = example
    outputs = dict(tree_leaves_with_paths(program.module()(*args, **kwargs), "out"))
    if options.output:
        arrays: dict[str, Any] = dict(zip(array_names(outputs), map(np.asarray, outputs.values()), strict=True))
        np.savez(options.output, **arrays)
    else:
        for path, value in outputs.items():
            print(f"{path} =\n{value}")
    return 0


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


# Targets and inputs


def find_target(text: str) -> tuple[Callable[..., Any], Any]:
    """The callable that ``file.py:name`` or ``package.module:name`` names, and its module. Raises ``UserError`` (E205).

    A class is called without arguments: its instance is what gets exported.
    """
    place, colon, name = text.rpartition(":")
    if not colon or not place or not name:
        raise _usage(f"{text!r} is neither file.py:name nor package.module:name")
    module = _module(place)
    target: Any = module
    for part in name.split("."):
        if not hasattr(target, part):
            raise _usage(f"{place} has no {name!r}", f"It has: {', '.join(sorted(n for n in vars(module) if not n.startswith('_')))}.")
        target = getattr(target, part)
    if inspect.isclass(target):
        try:
            target = target()
        except TypeError as error:
            raise _usage(f"{name} cannot be made without arguments: {error}", "Name an instance of the class instead.") from error
    if not callable(target):
        raise _usage(f"{name} is a {type(target).__name__}, which cannot be called")
    return target, module


def _module(place: str) -> Any:
    if not place.endswith(".py"):
        sys.path.insert(0, "")
        try:
            return importlib.import_module(place)
        except ModuleNotFoundError as error:
            raise _usage(f"there is no module {place!r}: {error}") from error
        finally:
            sys.path.remove("")
    path = Path(place).resolve()
    if not path.is_file():
        raise _usage(f"there is no file {place!r}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


def example_inputs(target: Callable[..., Any], module: Any, options: argparse.Namespace) -> Call:
    """The example call: from the options, else from ``example_inputs()`` of the module. Raises ``UserError`` (E205)."""
    try:
        names = list(inspect.signature(target).parameters)
    except (TypeError, ValueError):
        names = []
    args, kwargs = _given(options, names)
    if args or kwargs:
        return args, kwargs
    maker = getattr(module, "example_inputs", None)
    if maker is None:
        if not names:
            return (), {}
        raise _usage(
            "there are no example inputs", "Give --inputs FILE or --input NAME=VALUE, or define example_inputs() beside the target."
        )
    found = maker() if callable(maker) else maker
    if isinstance(found, dict):
        return (), found
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], tuple) and isinstance(found[1], dict):
        return found
    return found if isinstance(found, tuple) else (found,), {}


def dynamic_shapes(module: Any, options: argparse.Namespace) -> Any:
    """The sizes that ``--input`` names, ``{"x": {0: Dim("batch")}}``; where it names none, ``dynamic_shapes`` of the module."""
    from npexport import Dim

    spec = {}
    for text in options.input:
        name, _, value = text.partition("=")
        axes = {axis: Dim(dim) for axis, (dim, _) in enumerate(_sizes(value)) if dim}
        if axes:
            spec[name.strip()] = axes
    return spec or getattr(module, "dynamic_shapes", None)


def _given(options: argparse.Namespace, names: list[str]) -> Call:
    values: dict[str, Any] = {}
    if options.inputs:
        with np.load(options.inputs, allow_pickle=False) as data:
            values.update({name: data[name] for name in data.files})
    for text in options.input:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise _usage(f"--input {text!r} is not NAME=VALUE")
        values[name.strip()] = parse_value(value)
    args: list[Any] = []
    while f"arr_{len(args)}" in values:
        args.append(values.pop(f"arr_{len(args)}"))
    while len(args) < len(names) and names[len(args)] in values:
        args.append(values.pop(names[len(args)]))
    return tuple(args), values


def parse_value(text: str) -> Any:
    """``f32[8, 64]`` or ``f32[batch=8, 64]`` is an array of zeros; anything else a Python literal. Raises ``UserError`` (E205).

    >>> parse_value("f32[2]")
    array([0., 0.], dtype=float32)
    >>> parse_value("3")
    3
    """
    from npexport.ir.meta import parse_dtype

    found = _ARRAY.fullmatch(text)
    try:
        if found is None:
            return ast.literal_eval(text)
        return np.zeros([size for _, size in _sizes(text)], parse_dtype(found[1]))
    except (ValueError, SyntaxError, TypeError) as error:
        raise _usage(f"{text!r} is neither a Python literal nor an array such as f32[8,64]") from error


_ARRAY = re.compile(r"\s*([a-z]\w*)\s*\[((?:\s*(?:[A-Za-z_]\w*\s*=\s*)?\d+\s*(?:,|(?=\])))*\s*)\]\s*")


def _sizes(text: str) -> list[tuple[str, int]]:
    """The name (or ``""``) and the example of every size of ``f32[batch=8, 64]``; nothing of other texts."""
    found = _ARRAY.fullmatch(text)
    sizes = [part.rpartition("=") for part in found[2].split(",") if part.strip()] if found else []
    return [(name.strip(), int(size)) for name, _, size in sizes]


def _usage(message: str, hint: str | None = None) -> UserError:
    return UserError("E205", message, hint=hint)


def _as_json(found: Any) -> dict[str, Any]:
    return {
        "ok": found.ok,
        "problems": [
            {
                "code": problem.code,
                "slug": problem.slug,
                "message": problem.message,
                "hint": problem.hint,
                "location": _place(problem.location),
                "stack": [_place(location) for location in problem.user_stack],
            }
            for problem in found.problems
        ],
        "guards": [str(guard) for guard in found.guards],
    }


def _place(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    names = ("file", "line", "column", "end_line", "end_column", "function", "source")
    return {name: getattr(location, name) for name in names}
