"""The command line: ``npexport export|explain|fix|show|run|diff|verify|info|bench``, and
``completion`` for shells; also ``python -m npexport``.

Exit codes: 0 done, 1 the program was refused, did not fit, or differs, 2 the command line was
wrong.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import difflib
import itertools
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn, cast

from npexport import __version__, json_forms, saved
from npexport.colours import shown
from npexport.completion import SHELLS, commands_of
from npexport.readers import Patient
from npexport.symshapes.codes import CODES
from npexport.symshapes.errors import ExportError, UserError
from npexport.targets import dynamic_shapes, example_inputs, find_module, find_target, require_writable, run_again, usage, user_code


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    out, told = Patient(sys.stdout), Patient(sys.stderr)
    with contextlib.redirect_stdout(cast(IO[str], out)), contextlib.redirect_stderr(cast(IO[str], told)):
        try:
            try:
                return _run(sys.argv[1:] if argv is None else list(argv))
            finally:
                out.flush()
        except OSError as error:  # of what was still to be written
            print(f"npexport: {error}", file=sys.stderr)
            return 2


def _run(argv: list[str]) -> int:
    options = _options(argv)
    try:
        with json_forms.alone() if getattr(options, "format", "text") == "json" else contextlib.nullcontext():
            for place in getattr(options, "imports", ()):
                find_module(place)
            return int(options.run(options))
    except ExportError as error:
        _tell(options, error)
        return 2 if error.code == "E205" else 1
    except OSError as error:
        _tell(options, error)
        return 2


class _Misused(Exception):
    """A command line that does not parse: which parser says so, and why."""

    def __init__(self, parser: argparse.ArgumentParser, message: str) -> None:
        super().__init__(message)
        self.parser = parser


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Misused(self, message)


def _options(given: list[str]) -> argparse.Namespace:
    """The options of a command line. Ends the process where it does not parse."""
    try:
        options, unknown = _parser().parse_known_args(given)
        if unknown:
            options.own.error(f"unrecognized arguments: {' '.join(unknown)}")
        return options
    except _Misused as misused:
        if "--format=json" in given or ("--format", "json") in itertools.pairwise(given):
            json_forms.put({"error": json_forms.problem(usage(str(misused), f"See {misused.parser.prog} --help."))})
        misused.parser.print_usage(sys.stderr)
        misused.parser.exit(2, f"{misused.parser.prog}: error: {misused}\n")


def _tell(options: argparse.Namespace, error: ExportError | OSError) -> None:
    """What went wrong, for people; where JSON is asked for, for programs too."""
    if getattr(options, "format", "text") == "json":
        json_forms.put({"error": json_forms.problem(error)})
    print(shown(error, sys.stderr) if isinstance(error, ExportError) else f"npexport: {error}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="npexport", description="Strict export for NumPy programs.")
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

    show = command(saved.show, "print a saved program")
    _archive_options(show, "file", one=True)
    for part in saved.PARTS:
        show.add_argument(f"--{part}", dest="parts", action="append_const", const=part, help=f"only the {part}; may be combined")

    run = command(saved.run, "run a saved program")
    _archive_options(run, "file", one=True)
    _input_options(run)
    run.add_argument("-o", "--output", metavar="FILE", help="save the outputs to this .npz file")
    run.add_argument("--compare", metavar="TARGET", help="also call file.py:name or package.module:name, and say where the results differ")

    diff = command(saved.diff, "say what differs between two saved programs")
    _archive_options(diff, "first", "second", one=True)

    verify = command(saved.verify, "check a saved program: its digest, and every law of programs")
    info = command(saved.info, "say what a saved program takes, gives and holds")
    for each in (verify, info):
        _archive_options(each, "file")

    bench = command(saved.bench, "time a saved program against the original")
    _archive_options(bench, "file", one=True)
    bench.add_argument("target", help="file.py:name or package.module:name")
    _input_options(bench)

    for each in commands.choices.values():
        each.add_argument("--format", choices=("text", "json"), default="text", help="print text, or JSON of a documented form")

    completion = command(_completion, "print what a shell needs to complete this command line")
    completion.add_argument("shell", choices=tuple(SHELLS), help=_COMPLETION)
    return parser


def _archive_options(parser: argparse.ArgumentParser, *names: str, one: bool = False) -> None:
    for name in names:
        parser.add_argument(name, help=_ARCHIVE)
    if one:
        parser.add_argument("--program", metavar="NAME", help="this program of a package of several")
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
    parser.epilog = (
        "The target's file may define example_inputs and dynamic_shapes beside it, values or functions that return them, "
        "for where --inputs and --input give none."
    )
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
        "mode='fast', rng=default_rng(0); may be repeated",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="arrays of --input, or of the example where none is given, hold random numbers of this seed"
    )


_COMPLETION = 'in ~/.bashrc: eval "$(npexport completion bash)"; in ~/.zshrc the same with zsh; fish: npexport completion fish | source'
_ARCHIVE = "a saved program, an .np2 file"

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
    if path:
        write(program, path)  # whatever becomes of the reader of what is printed
    if not options.quiet:
        json_forms.put(json_forms.summary(program)) if options.format == "json" else print(shown(program, sys.stdout))
    return 0


def _save(program: Any, path: str) -> None:
    from npexport import save

    save(program, path)


def _replace(path: str, text: str) -> None:
    from npexport.ir.atomic import replace_file

    replace_file(path, text.encode())


_WRITERS: dict[str, Callable[[Any, str], object]] = {
    ".np2": _save,
    ".py": lambda program, path: program.to_python(path),
    ".html": lambda program, path: program.to_html(path),
    ".dot": lambda program, path: _replace(path, program.to_dot()),
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
        json_forms.put(json_forms.code(found)) if options.format == "json" else print(found.text)
        return 0
    if re.fullmatch(r"E\d+", options.target.upper()):
        raise usage(f"there is no error code {options.target}", f"The codes are {', '.join(CODES)}.")
    require_writable(options.html)
    target, module = find_target(options.target)
    args, kwargs = example_inputs(target, module, options)
    explanation = explain(target, args, kwargs, dynamic_shapes=dynamic_shapes(module, options))
    if options.html:
        explanation.to_html(options.html)
    json_forms.put(json_forms.explanation(explanation)) if options.format == "json" else print(shown(explanation, sys.stdout))
    return 0 if explanation.ok else 1


def _fix(options: argparse.Namespace) -> int:
    """The module's ``dynamic_shapes``, or the most general ones where it has none, made true of the
    program.
    """
    from npexport import AdditionalInputs, ConstraintViolation, ShapesCollection, export, infer
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
    code = _code_of(module, spec)
    changes = ("" if stands else _write_specification(module, code)) if options.write else None
    if options.format == "json":
        json_forms.put({"dynamic_shapes": code, "guards": [guard.text for guard in program.guards]})
        return 0
    print(code if changes is None else shown(changes, sys.stdout, changes=True) or "the file says so already")
    for guard in program.guards:
        print(f"# checked at every call: {guard}")
    return 0


def _code_of(module: Any, spec: Any) -> str:
    """A specification as code for this module, whose other names keep their meanings."""
    from npexport import Dim
    from npexport.symshapes.refine import as_code

    return as_code(spec, {*dir(builtins), *(name for name, value in vars(module).items() if not isinstance(value, Dim))})


def _write_specification(module: Any, code: str) -> str:
    """Write the specification into the module's file; the difference. Where the file cannot say it
    plainly, the error does.
    """
    from npexport.ir.atomic import replace_file

    path = Path(module.__file__ or "")
    source = path.read_bytes()
    try:
        require_writable(str(path))
        changed = _with_specification(module, source, code)
    except UserError as error:
        lines = "\n".join(f"  {line}" for line in code.splitlines())
        raise usage(error.message, f"{error.hint} The file is as it was. What it has to say:\n{lines}") from error
    if changed != source:
        replace_file(path, changed)
    before, after = (text.decode().splitlines() for text in (source, changed))
    return "\n".join(difflib.unified_diff(before, after, str(path), str(path), lineterm=""))


def _with_specification(module: Any, source: bytes, code: str) -> bytes:
    """The source of a module that says this specification, as it is found when the source runs."""
    from npexport import Dim
    from npexport.rewriting import with_specification

    if not str(module.__file__).endswith(".py"):
        raise usage(f"{module.__file__} is not a .py file", "Paste the code where it belongs.")
    if getattr(module, "Dim", Dim) is not Dim:
        raise usage("the file has a 'Dim' that is not npexport's", "Give it another name.")
    changed = with_specification(source, code)
    try:
        again = run_again(module, changed)
    except UserError as error:
        raise usage(f"with the new specification {error.message}", "Write it where the file runs with it.") from error
    if _code_of(module, again.dynamic_shapes) != code:
        raise usage("the file changes 'dynamic_shapes' after the assignment", "Say all of it in the assignment.")
    return changed
