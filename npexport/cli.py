"""The command line: ``npexport export|explain|fix|show|run|diff|verify|info|bench``, and
``completion`` for shells; also ``python -m npexport``.

Exit codes: 0 done, 1 the program was refused, did not fit, or differs, 2 the command line was
wrong.
"""

from __future__ import annotations

import argparse
import copy
import difflib
import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from npexport import __version__, json_forms
from npexport.colours import shown
from npexport.completion import SHELLS, commands_of
from npexport.symshapes.codes import CODES
from npexport.symshapes.errors import ExportError
from npexport.targets import dynamic_shapes, example_inputs, find_module, find_target, inputs_of, other_state, same, usage, user_code


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    options, unknown = _parser().parse_known_args(argv)
    if unknown:
        options.own.error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        for place in getattr(options, "imports", ()):
            find_module(place)
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except ExportError as error:
        _tell(options, error)
        return 2 if error.code == "E205" else 1
    except BrokenPipeError:  # whoever reads has seen enough, as `head` has; what is buffered goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _tell(options, error)
        return 2


def _tell(options: argparse.Namespace, error: ExportError | OSError) -> None:
    """What went wrong, for people; where JSON is asked for, for programs too."""
    if getattr(options, "format", "text") == "json":
        print(json.dumps({"error": json_forms.problem(error)}, indent=2), flush=True)
    print(shown(error, sys.stderr) if isinstance(error, ExportError) else f"npexport: {error}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="npexport", description="Strict export for NumPy programs.")
    parser.add_argument("--version", action="version", version=f"npexport {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        added = commands.add_parser(run.__name__.lstrip("_"), help=text)
        added.set_defaults(run=run, own=added)
        return added

    export = command(_export, "export a program, print it and save it")
    _target_options(export)
    written = export.add_mutually_exclusive_group()
    forms = ".np2 the archive, .py a module of plain NumPy, .html a report, .dot a drawing for Graphviz"
    written.add_argument("--to", metavar="FILE", help=f"write the program to this file in the form of its ending: {forms}")
    written.add_argument("-o", "--output", metavar="FILE", help="the same; any other name is one of an archive")
    export.add_argument("-q", "--quiet", action="store_true", help="do not print the program")

    explain = command(_explain, "list every problem of a program, or print the page of an error code")
    _target_options(explain, "file.py:name, package.module:name, or an error code such as E103")
    explain.add_argument("--html", metavar="FILE", help="also write what was found as one HTML file")

    fix = command(_fix, "print dynamic_shapes as code, with the fixes applied that the program needs")
    _target_options(fix)
    fix.add_argument("--write", action="store_true", help="write them into the target's file, and print what changes")

    show = command(_show, "print a saved program")
    _archive_options(show, "file")
    for part in _PARTS:
        show.add_argument(f"--{part}", dest="parts", action="append_const", const=part, help=f"only the {part}; may be combined")

    run = command(_run, "run a saved program")
    _archive_options(run, "file")
    _input_options(run)
    run.add_argument("-o", "--output", metavar="FILE", help="save the outputs to this .npz file")
    run.add_argument("--compare", metavar="TARGET", help="also call file.py:name or package.module:name, and say where the results differ")

    diff = command(_diff, "say what differs between two saved programs")
    _archive_options(diff, "first", "second")

    verify = command(_verify, "check a saved program: its digest, and every law of programs")
    info = command(_info, "say what a saved program takes, gives and holds")
    for each in (verify, info):
        _archive_options(each, "file")

    bench = command(_bench, "time a saved program against the original")
    _archive_options(bench, "file")
    bench.add_argument("target", help="file.py:name or package.module:name")
    _input_options(bench)

    for each in commands.choices.values():
        each.add_argument("--format", choices=("text", "json"), default="text", help="print text, or JSON of a documented form")

    completion = command(_completion, "print what a shell needs to complete this command line")
    completion.add_argument("shell", choices=tuple(SHELLS), help=_COMPLETION)
    return parser


def _archive_options(parser: argparse.ArgumentParser, *names: str) -> None:
    for name in names:
        parser.add_argument(name, help=_ARCHIVE)
    parser.add_argument(
        "--import",
        dest="imports",
        metavar="MODULE",
        action="append",
        default=[],
        help="run this file.py or package.module first: it declares operators or classes of the program; may be repeated",
    )


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
        help="one input: x=f32[8,64] (zeros), x=f32[batch=8,64] (a dynamic size and its example), x=data.npy, n=3, "
        "mode='fast'; may be repeated",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="arrays of --input, or of the example where none is given, hold random numbers of this seed"
    )


_COMPLETION = 'in ~/.bashrc: eval "$(npexport completion bash)"; in ~/.zshrc the same with zsh; fish: npexport completion fish | source'
_ARCHIVE = "a saved program, an .np2 file"
_CALLS, _BUDGET = (5, 1000), 1.0
"""How often `bench` calls at least and at most, and how many seconds it spends on each side."""

# Commands


def _completion(options: argparse.Namespace) -> int:
    print(SHELLS[options.shell](commands_of(_parser())), end="")
    return 0


def _export(options: argparse.Namespace) -> int:
    from npexport import export

    path = options.to or options.output
    write = _writer(path, any_name=options.to is None)
    require_writable(path)
    target, module = find_target(options.target)
    args, kwargs = example_inputs(target, module, options)
    with user_code():
        program = export(target, args, kwargs, dynamic_shapes=dynamic_shapes(module, options))
    if not options.quiet:
        print(json.dumps(_summary(program), indent=2) if options.format == "json" else shown(program, sys.stdout))
    if path:
        write(program, path)
    return 0


def _save(program: Any, path: str) -> None:
    from npexport import save

    save(program, path)


_WRITERS: dict[str, Callable[[Any, str], object]] = {
    ".np2": _save,
    ".py": lambda program, path: program.to_python(path),
    ".html": lambda program, path: program.to_html(path),
    ".dot": lambda program, path: Path(path).write_text(program.to_dot(), encoding="utf-8"),
}
"""What writes a program, by the ending of the file's name."""


def _writer(path: str | None, *, any_name: bool) -> Callable[[Any, str], object]:
    """What writes a program to a file of this name. With ``any_name`` what has no ending of the
    table is an archive.

    Raises ``UserError`` (E205) for one that this version does not write.
    """
    suffix = Path(path or "").suffix
    if suffix == ".onnx" or (suffix not in _WRITERS and not any_name):
        what = f"{suffix} files" if suffix else "files without an ending"
        raise usage(f"this version writes no {what}", f"Name a file that ends in {', '.join(_WRITERS)}.")
    return _WRITERS.get(suffix, _save)


def _explain(options: argparse.Namespace) -> int:
    from npexport import explain
    from npexport.tracer.diagnostics.catalogue import page

    if options.target.upper() in CODES or any(row.slug == options.target for row in CODES.values()):
        found = page(options.target)
        print(json.dumps(json_forms.code(found), indent=2) if options.format == "json" else found.text)
        return 0
    if re.fullmatch(r"E\d+", options.target.upper()):
        raise usage(f"there is no error code {options.target}", f"The codes are {', '.join(CODES)}.")
    require_writable(options.html)
    target, module = find_target(options.target)
    args, kwargs = example_inputs(target, module, options)
    explanation = explain(target, args, kwargs, dynamic_shapes=dynamic_shapes(module, options))
    if options.html:
        explanation.to_html(options.html)
    print(json.dumps(json_forms.explanation(explanation), indent=2) if options.format == "json" else shown(explanation, sys.stdout))
    return 0 if explanation.ok else 1


def _fix(options: argparse.Namespace) -> int:
    """The module's ``dynamic_shapes``, or the most general ones where it has none, made true of the
    program.
    """
    from npexport import AdditionalInputs, ConstraintViolation, ShapesCollection, export, infer
    from npexport.symshapes.refine import as_code
    from npexport.symshapes.spec import as_tree, named_arguments, normalize

    target, module = find_target(options.target)
    args, kwargs = example_inputs(target, module, options)
    spec = own = dynamic_shapes(module, options)
    if spec is None:
        arguments = named_arguments(target, args, kwargs)
        spec = as_tree(arguments, normalize(infer(), arguments))
    elif isinstance(spec, (ShapesCollection, AdditionalInputs)):  # objects, which no code says
        spec = spec.dynamic_shapes(target, args, kwargs)
    with user_code():
        try:
            program = export(target, args, kwargs, dynamic_shapes=spec)
        except ConstraintViolation as violation:
            print(shown(violation, sys.stderr), file=sys.stderr)
            spec, own = violation.apply(spec), None
            program = export(target, args, kwargs, dynamic_shapes=spec)
    stands = own is spec and own is getattr(module, "dynamic_shapes", None)
    changes = ("" if stands else _write_specification(module, as_code(spec))) if options.write else None
    if options.format == "json":
        print(json.dumps({"dynamic_shapes": as_code(spec), "guards": [guard.text for guard in program.guards]}, indent=2))
        return 0
    print(as_code(spec) if changes is None else shown(changes, sys.stdout, changes=True) or "the file says so already")
    for guard in program.guards:
        print(f"# checked at every call: {guard}")
    return 0


def _write_specification(module: Any, code: str) -> str:
    """Write the specification into the module's file; the difference."""
    from npexport import Dim
    from npexport.ir.atomic import replace_file
    from npexport.rewriting import with_specification

    path = Path(module.__file__ or "")
    if path.suffix != ".py" or getattr(module, "Dim", Dim) is not Dim:
        raise usage(
            f"the specification of {module.__name__} cannot be written into its file", "Run it without --write, and paste the code."
        )
    require_writable(str(path))
    source = path.read_bytes()
    changed = with_specification(source, code)
    if changed != source:
        replace_file(path, changed)
    before, after = (text.decode().splitlines() for text in (source, changed))
    return "\n".join(difflib.unified_diff(before, after, str(path), str(path), lineterm=""))


def _cost(program: Any, *, data: bool = False) -> Any:
    from npexport.ir import cost

    return cost.as_dict(program.graph) if data else cost.as_text(program.graph)


_PARTS: dict[str, Callable[[Any], str]] = {
    "graph": lambda program: str(program.graph_module),
    "signature": lambda program: str(program.graph_signature),
    "guards": lambda program: "\n".join([f"{size}: {bounds}" for size, bounds in program.ranges.items()] + [*map(str, program.guards)]),
    "code": lambda program: str(program.module().code),
    "cost": _cost,
}
"""What `npexport show` prints of a program, by the name of the option."""
_DATA: dict[str, Callable[[Any], Any]] = {**_PARTS, "cost": lambda program: _cost(program, data=True)}
"""What it gives as JSON."""


def _show(options: argparse.Namespace) -> int:
    from npexport import load_np2

    programs = load_np2(options.file).exported_programs
    if options.format == "json":
        found = {name: {part: _DATA[part](program) for part in options.parts or _PARTS} for name, program in programs.items()}
        print(json.dumps({"programs": found} if len(found) > 1 else next(iter(found.values())), indent=2))
        return 0
    for name, program in programs.items():
        text = "\n".join(_PARTS[part](program) or f"no {part}" for part in options.parts) if options.parts else program
        print(shown(f"{name}:\n{text}" if len(programs) > 1 else text, sys.stdout))
    return 0


def _diff(options: argparse.Namespace) -> int:
    from npexport import diff, load

    found = diff(load(options.first), load(options.second))
    print(json.dumps({"equal": not found, **vars(found)}, indent=2) if options.format == "json" else shown(found, sys.stdout, changes=True))
    return 1 if found else 0


def _verify(options: argparse.Namespace) -> int:
    """Loading verifies: what does not raise is sound."""
    from npexport import load_np2

    contents = load_np2(options.file)
    if options.format == "json":
        print(json.dumps({"ok": True, "programs": list(contents.exported_programs)}, indent=2))
    else:
        print(f"{options.file}: sound ({', '.join(contents.exported_programs)})")
    return 0


def _info(options: argparse.Namespace) -> int:
    from npexport import load_np2

    contents = load_np2(options.file)
    rows = {name: _summary(program) for name, program in contents.exported_programs.items()}
    if options.format == "json":
        print(json.dumps({"programs": rows, "extra_files": list(contents.extra_files)}, indent=2))
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


def _summary(program: Any) -> dict[str, Any]:
    from npexport.ir.printing import value_text
    from npexport.ir.signature import ConstantArgument, InputKind, OutputKind

    values = {node.name: value_text(node.meta["val"]) for node in program.graph.nodes if "val" in node.meta}
    signature = program.graph_signature

    def shown(specs: Any, kind: Any) -> dict[str, str]:
        args = [spec.arg for spec in specs if spec.kind is kind]
        return {arg.name: repr(arg.value) if isinstance(arg, ConstantArgument) else values.get(arg.name, "") for arg in args}

    return {
        "inputs": shown(signature.input_specs, InputKind.USER_INPUT),
        "outputs": shown(signature.output_specs, OutputKind.USER_OUTPUT),
        "ranges": {str(size): str(bounds) for size, bounds in program.ranges.items()},
        "guards": len(program.guards),
        "nodes": sum(len(graph) for graph in program.graph.all_graphs()),
        "parameters": sum(array.size for array in program.parameters()),
        "bytes": sum(getattr(array, "nbytes", 0) for array in (*program.state_dict.values(), *program.constants.values())),
        "dialect": program.dialect,
        "operators": dict(sorted(program.opset_version.items())),
    }


def _run(options: argparse.Namespace) -> int:
    from npexport import load

    require_writable(options.output)
    compared = None if options.compare is None else find_target(options.compare)[0]  # it may declare operators of the program
    program = load(options.file)
    outputs, wrong = _results(program, inputs_of(options, program), compared, options.compare)
    if options.output:
        arrays: dict[str, Any] = dict(zip(array_names(outputs), map(np.asarray, outputs.values()), strict=True))
        np.savez(options.output, **arrays)
    elif options.format == "text":
        for path, value in outputs.items():
            print(f"{path} =\n{value}")
    if options.format == "json" and not options.output:
        rows = {path: {"type": _type_text(value), "value": _plain(np.asarray(value).tolist())} for path, value in outputs.items()}
        print(json.dumps({"outputs": rows} | ({} if options.compare is None else {"differs": wrong}), indent=2))
    if options.compare is not None and not wrong and options.format == "text":
        print(f"{options.compare} gives the same, to the last bit")
    return 1 if wrong else 0


def _type_text(value: Any) -> str:
    from npexport.ir.meta import dtype_name

    return f"{dtype_name(value.dtype)}{list(value.shape)}" if isinstance(value, (np.ndarray, np.generic)) else type(value).__name__


def _plain(value: Any) -> Any:
    """Lists of what JSON has: other numbers, those that are not finite included, as text."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int)) or (isinstance(value, float) and np.isfinite(value)):
        return value
    return str(value)


def _bench(options: argparse.Namespace) -> int:
    from npexport import load

    target, _ = find_target(options.target)  # it may declare operators of the program
    program = load(options.file)
    call = inputs_of(options, program)
    _, wrong = _results(program, call, target, options.target)
    with user_code():
        seconds = {name: _seconds(function, call) for name, function in (("program", program.module()), ("original", target))}
    ratio = seconds["program"] / seconds["original"]
    if options.format == "json":
        print(json.dumps({**seconds, "ratio": ratio, "differs": wrong}, indent=2))
    else:
        print("".join(f"{name:9} {each * 1e6:12.1f} us a call\n" for name, each in seconds.items()) + f"ratio     {ratio:12.2f}")
    return 1 if wrong else 0


def _seconds(function: Callable[..., Any], call: Any) -> float:
    """The shortest of several calls, each with inputs of its own."""
    times: list[float] = []
    while len(times) < _CALLS[0] or (len(times) < _CALLS[1] and sum(times) < _BUDGET):
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
