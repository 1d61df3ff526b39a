"""What the command line is given: the callable that a text names, its example call and its dynamic
sizes.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import importlib
import importlib.util
import inspect
import io
import itertools
import os
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from npexport.ir.arguments import map_leaves
from npexport.symshapes.errors import ExportError, Location, UserError
from npexport.symshapes.plain import with_article
from npexport.tracer.driver.user_exceptions import program_raises

Call = tuple[tuple[Any, ...], dict[str, Any]]


def find_target(text: str) -> tuple[Callable[..., Any], Any]:
    """The callable that ``file.py:name`` or ``package.module:name`` names, and its module.

    Raises ``UserError`` (E205).

    A class is called without arguments: its instance is what gets exported.
    """
    place, colon, name = text.rpartition(":")
    if not colon or not place or not name:
        raise usage(
            f"{text!r} is neither file.py:name nor package.module:name", "Write the target as model.py:function or package.module:Class."
        )
    module = find_module(place)
    target: Any = module
    for part in name.split("."):
        if not hasattr(target, part):
            raise usage(f"{place} has no {name!r}", _known_names(module))
        target = getattr(target, part)
    if inspect.isclass(target):
        _require_no_arguments(target, name)
        with user_code():
            target = target()
    if not callable(target):
        raise usage(
            f"{name} is {with_article(type(target).__name__)}, which cannot be called",
            "Name a function, a class, or an object that can be called.",
        )
    return target, module


def _known_names(module: Any) -> str:
    names = sorted(name for name, value in vars(module).items() if callable(value) and not name.startswith("_"))
    return f"It has: {', '.join(names)}." if names else "It defines nothing to call: name a file, such as model.py:function."


def _require_no_arguments(cls: type, name: str) -> None:
    try:
        inspect.signature(cls).bind()
    except TypeError as error:
        raise usage(
            f"{name} cannot be made without arguments: {error}", f"Add `model = {name}(...)` to the file, and name model."
        ) from error
    except ValueError:  # a class of C that does not tell its parameters
        return


def find_module(place: str) -> Any:
    """The module of a file or of a dotted name, whose code has run. Raises ``UserError``."""
    if not place.endswith(".py"):
        sys.path.insert(0, "")
        try:
            with user_code():
                return importlib.import_module(place)
        except UserError as error:
            missing = error.__cause__
            if isinstance(missing, ModuleNotFoundError) and missing.name and f"{place}.".startswith(f"{missing.name}."):
                raise usage(
                    f"there is no module {place!r}: {missing}", "Name a file (model.py:function), or a module on the path."
                ) from error
            raise
        finally:
            sys.path.remove("")
    path = Path(place).resolve()
    if not path.is_file():
        raise usage(f"there is no file {place!r}", f"Paths are relative to {os.getcwd()}.")
    path.open("rb").close()  # what the system refuses is not a fault of the program
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(path.parent))
    try:
        with user_code():
            spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(path.parent))
    return module


def run_again(module: Any, source: bytes) -> Any:
    """The module that another source of its file makes: what it prints is dropped, and what imports
    the module finds the old one. Raises ``UserError`` (E208).
    """
    path = module.__spec__.origin
    again = importlib.util.module_from_spec(module.__spec__)
    sys.path.insert(0, os.path.dirname(path))
    try:
        with user_code(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(source, path, "exec"), vars(again))
    finally:
        sys.path.remove(os.path.dirname(path))
    return again


@contextlib.contextmanager
def user_code() -> Iterator[None]:
    """What the user's own code raises becomes one error with the user's line (E208); errors of
    npexport pass.
    """
    try:
        yield
    except ExportError:
        raise
    except SyntaxError as error:
        raise _does_not_parse(error) from error
    except SystemExit as error:
        hint = 'Put what only the script does below: if __name__ == "__main__":'
        stack = program_raises(error).user_stack
        raise UserError("E208", f"the program ends the process: SystemExit({error.code!r})", hint=hint, user_stack=stack) from error
    except Exception as error:
        raise program_raises(error) from error


def _does_not_parse(error: SyntaxError) -> UserError:
    place = None
    if error.filename is not None and error.lineno is not None:
        place = Location(
            file=error.filename,
            line=error.lineno,
            column=None if error.offset is None else error.offset - 1,
            end_line=error.end_lineno,
            end_column=None if error.end_offset is None else error.end_offset - 1,
            function="<module>",
            source=(error.text or "").rstrip("\n"),
        )
    return UserError("E208", f"the file is not valid Python: {error.msg}", hint="Correct the line.", location=place)


def example_inputs(target: Callable[..., Any], module: Any, options: argparse.Namespace) -> Call:
    """The example call: from the options, else from ``example_inputs()`` of the module.

    Raises ``UserError`` (E205).
    """
    from npexport.tracer.effects.call_parameters import parameters_of

    parameters = parameters_of(target)
    args, kwargs = given_inputs(options, parameters)
    if args or kwargs:
        return args, kwargs
    maker = getattr(module, "example_inputs", None)
    if maker is None:
        if not parameters:
            return (), {}
        example = f"--input '{parameters[0].name}=f32[8,64]'"
        raise usage("there are no example inputs", f"Give --inputs FILE or {example}, or define example_inputs() beside the target.")
    with user_code():
        found = maker() if callable(maker) else maker
    if isinstance(found, dict):
        return (), found
    if isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], tuple) and isinstance(found[1], dict):
        return found
    return found if isinstance(found, tuple) else (found,), {}


def dynamic_shapes(module: Any, options: argparse.Namespace) -> Any:
    """The sizes that ``--input`` names, ``{"x": {0: Dim("batch")}}``; where it names none,
    ``dynamic_shapes`` of the module, or what that returns.
    """
    from npexport import Dim

    spec = {}
    for text in options.input:
        name, _, value = text.partition("=")
        axes = {axis: Dim(dim) for axis, (dim, _) in enumerate(_sizes(value)) if dim}
        if axes:
            spec[name.strip()] = axes
    found = spec or getattr(module, "dynamic_shapes", None)
    with user_code():
        return found() if callable(found) else found


def given_inputs(options: argparse.Namespace, parameters: Sequence[inspect.Parameter] | None) -> Call:
    """The call that ``--inputs`` and ``--input`` give; ``parameters`` of the callable, ``None``
    where they are not known.

    Raises ``UserError`` (E205) for files that cannot be read and for inputs that no parameter takes
    or that are given twice.
    """
    values: dict[str, Any] = {}
    if options.inputs:
        values.update(_arrays_of(options.inputs))
    named: dict[str, Any] = {}
    for text in options.input:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            raise usage(f"--input {text!r} is not NAME=VALUE", "Write --input x=f32[8,64] or --input n=3.")
        if name in named:
            raise usage(f"--input {name} is given twice", "Give each input once.")
        named[name] = _filled(parse_value(value), options.seed, len(named)) if _ARRAY.fullmatch(value) else parse_value(value)
    if options.seed is not None and not any(isinstance(value, np.ndarray) for value in named.values()):
        raise usage("--seed fills arrays of --input, and there is none", "Write --input x=f32[8,64] --seed 0.")
    values.update(named)
    args: list[Any] = []
    while f"arr_{len(args)}" in values:
        args.append(values.pop(f"arr_{len(args)}"))
    if parameters is not None:
        _require_parameters(values, parameters)
    names = [] if parameters is None else [parameter.name for parameter in parameters if parameter.kind in _POSITIONAL]
    while len(args) < len(names) and names[len(args)] in values:
        args.append(values.pop(names[len(args)]))
    return tuple(args), values


def inputs_of(options: argparse.Namespace, program: Any) -> Call:
    """The inputs of the command line, or those of the example, which may be filled anew."""
    if options.seed is None or options.input or options.inputs:
        args, kwargs = given_inputs(options, program.call_spec.parameters)
        if args or kwargs:
            return args, kwargs
    if program.example_inputs is None:
        raise usage("the program was saved without example inputs", "Give inputs with --inputs FILE or --input NAME=VALUE.")
    places = itertools.count()
    found: Call = map_leaves(
        program.example_inputs, lambda leaf: _filled(leaf, options.seed, next(places)) if isinstance(leaf, np.ndarray) else leaf
    )
    return found


def other_state(program: Any, target: Any) -> list[str]:
    """The names under which a module holds other arrays than the program that is compared with
    it.
    """
    from npexport.runtime.nn.module import Module

    held = target.state_dict() if isinstance(target, Module) else {}
    return [name for name, array in program.state_dict.items() if name in held and not same(array, held[name])]


def same(first: Any, second: Any) -> bool:
    """Whether two results have the same dtype, shape and bits."""
    from npexport.ir.meta import content

    arrays = np.asarray(first), np.asarray(second)
    return arrays[0].dtype == arrays[1].dtype and arrays[0].shape == arrays[1].shape and content(arrays[0]) == content(arrays[1])


def _filled(zeros: Any, seed: int | None, place: int) -> Any:
    """Numbers of a normal distribution; whole ones are from 0 to 9, texts and dates stay empty."""
    if seed is None or zeros.dtype.kind not in "biufc":
        return zeros
    if seed < 0:
        raise usage("--seed is a number from 0 on", "Write --seed 0.")
    generator = np.random.default_rng([seed, place])
    if zeros.dtype.kind in "biu":
        return generator.integers(0, 2 if zeros.dtype.kind == "b" else 10, zeros.shape).astype(zeros.dtype)
    real, imaginary = generator.standard_normal((2, *zeros.shape))
    return (real + 1j * imaginary if zeros.dtype.kind == "c" else real).astype(zeros.dtype)


_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _require_parameters(values: dict[str, Any], parameters: Sequence[inspect.Parameter]) -> None:
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return
    names = [parameter.name for parameter in parameters if parameter.kind not in _VARIADIC]
    for name in values:
        if name not in names:
            close = difflib.get_close_matches(name, names, 1)
            known = f"The parameters are: {', '.join(names)}." if names else "The callable has no parameters."
            raise usage(f"there is no parameter {name!r}", f"Did you mean {close[0]}? {known}" if close else known)


def _arrays_of(path: str) -> dict[str, Any]:
    hint = "Write the file with np.savez(path, x=..., y=...); give one array as --input x=data.npy."
    try:
        data = np.load(path, allow_pickle=False)
        if isinstance(data, np.ndarray):
            raise usage(f"{path} holds one array, and not the inputs by name", f"Give it as --input x={path}.")
        with data:
            return {name: data[name] for name in data.files}
    except (zipfile.BadZipFile, ValueError, EOFError, AttributeError, TypeError) as error:
        why = "" if "pickle" in str(error) else f": {error}"  # of any other file, too, NumPy says so
        raise usage(f"{path} is not an .npz file of plain arrays{why}", hint) from error


def _array_of(path: str) -> Any:
    try:
        with open(path, "rb") as file:
            return np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise usage(f"{path} is not an .npy file of a plain array: {error}", "Write the file with np.save(path, x).") from error


def parse_value(text: str) -> Any:
    """``f32[8, 64]`` or ``f32[batch=8, 64]`` is an array of zeros, ``data.npy`` the array of that
    file, ``default_rng(0)`` or ``MT19937(0)`` a random generator; anything else a Python literal.

    Raises ``UserError`` (E205).

    >>> parse_value("f32[2]")
    array([0., 0.], dtype=float32)
    >>> parse_value("3")
    3
    """
    from npexport.ir.meta import parse_dtype

    if text.endswith(".npy"):
        return _array_of(text)
    drawn = _GENERATOR.fullmatch(text)
    if drawn is not None:
        made = getattr(np.random, drawn[1])(int(drawn[2]))
        return made if drawn[1] == "default_rng" else np.random.Generator(made)
    found = _ARRAY.fullmatch(text)
    try:
        if found is None:
            return ast.literal_eval(text)
        return np.zeros([size for _, size in _sizes(text)], parse_dtype(found[1]))
    except MemoryError as error:
        raise usage(f"an array {text} does not fit into memory", "Give a smaller example: sizes named batch=8 stay dynamic.") from error
    except (ValueError, SyntaxError, TypeError) as error:
        hint = "Write an array as f32[8,64] (zeros), a generator as default_rng(0), a text as \"'fast'\", a number as 3."
        raise usage(f"{text!r} is neither a Python literal nor an array such as f32[8,64]", hint) from error


_ARRAY = re.compile(r"\s*([a-z]\w*)\s*\[((?:\s*(?:[A-Za-z_]\w*\s*=\s*)?\d+\s*(?:,|(?=\])))*\s*)\]\s*")


_GENERATOR = re.compile(r"\s*(?:(?:np|numpy)\.random\.)?(default_rng|MT19937|PCG64|PCG64DXSM|Philox|SFC64)\(\s*(\d+)\s*\)\s*")


def _sizes(text: str) -> list[tuple[str, int]]:
    """The name (or ``""``) and the example of every size of ``f32[batch=8, 64]``; nothing of other
    texts.
    """
    found = _ARRAY.fullmatch(text)
    sizes = [part.rpartition("=") for part in found[2].split(",") if part.strip()] if found else []
    return [(name.strip(), int(size)) for name, _, size in sizes]


def require_writable(path: str | None) -> None:
    """Raises ``UserError`` (E205) where nothing can be saved at ``path``, before any work is done
    for it.
    """
    if path is None:
        return
    folder = os.path.dirname(path) or os.curdir
    if os.path.isdir(path):
        raise usage(f"{path} is a folder", "Name a file.")
    if not os.path.isdir(folder):
        raise usage(f"there is no folder {folder!r}", "Create the folder first.")
    if not os.access(folder, os.W_OK):
        raise usage(f"the folder {folder!r} cannot be written to", "Name a file in another folder.")


def usage(message: str, hint: str) -> UserError:
    """The error of a command line that is wrong."""
    return UserError("E205", message, hint=hint)
