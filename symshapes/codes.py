"""The table of error codes: one row a code.

A code never changes its meaning; a page ``tracer/diagnostics/pages/<code>.md`` explains each.
"""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """One row: the stable code and slug, and the hint that is shown where the raiser gives no
    better one.
    """

    code: str
    slug: str
    hint: str


_ROWS = (
    # E1xx: constructs that strict mode cannot capture (Unsupported)
    Code(
        "E101",
        "unknown-c-function",
        "Replace the call by NumPy functions, call it outside the exported function and pass its result in, or make it one operator: "
        "g = npexport.opaque(function, fake), where fake gives np.empty of the result's shape and dtype.",
    ),
    Code("E102", "unsupported-instruction", "Rewrite the statement with simpler ones."),
    Code(
        "E103",
        "data-dependent-branch",
        "Use np.where(condition, a, b), which computes both sides, or npexport.cond, which computes the one that the data choose.",
    ),
    Code("E104", "data-dependent-value", "Keep the value as an array: the program cannot know it while it is being exported."),
    Code("E105", "input-output", "Read files and talk to other programs before exporting, and pass what was read in as an argument."),
    Code("E106", "clock", "Read the clock outside the exported function and pass the time in as an argument."),
    Code("E107", "hidden-randomness", "Pass a numpy.random.Generator as an argument, or make one in the program with a seed."),
    Code("E108", "environment", "Read the environment outside the exported function and pass the value in as an argument."),
    Code(
        "E109",
        "object-identity",
        "Compare objects with `is`, or give them a key of their own: ids and default hashes differ from run to run.",
    ),
    Code("E110", "concurrency", "Do the work in the calling thread: an exported program is a straight-line sequence of operators."),
    Code("E111", "introspection", "Pass the information in as an argument: an exported program has no Python frames."),
    Code("E112", "outside-write", "Return the new value from the function and store it where the function is called."),
    Code("E113", "outside-iterator", "Turn the iterator into a list before exporting, and pass the list in."),
    Code("E114", "printed-array", "Return the array as one more output, and print it or make the text where the program is called."),
    Code(
        "E115",
        "unsupported-output",
        "Return arrays, numbers, strings, None, and tuples, lists, dicts, sets or registered dataclasses of those; "
        "for an object of your own, return its attributes: vars(obj).",
    ),
    Code(
        "E116",
        "constant-array-write",
        "Keep the array as an attribute of the exported object, or pass it in as an argument and return the new value.",
    ),
    Code(
        "E117", "new-array-attribute", "Create the attribute with an array of the right shape in __init__, and assign to it in the program."
    ),
    Code("E118", "outside-object", "Take what is needed from the object outside the exported function and pass it in as an argument."),
    Code(
        "E119",
        "callback-from-c",
        "Call the function in a Python loop, or install npexport with its C extension (pip builds it where it finds a C compiler).",
    ),
    Code("E120", "overlapping-arrays", "Pass copies (x.copy()) where arrays share memory, or write to a copy of one of them."),
    Code("E121", "layout-dependent", "Make the layout explicit with np.ascontiguousarray, or copy before writing."),
    Code("E122", "object-array", "Use a numeric dtype: an exported program has no Python objects."),
    Code("E123", "array-memory", "Work on the array with NumPy functions: an exported program has no memory addresses."),
    Code("E124", "too-many-steps", "Check that the loop ends; if the program only takes long, raise the step limit."),
    Code("E125", "finalizer", "Release the resource with a context manager or a method: when a finalizer runs is not part of a program."),
    Code(
        "E126",
        "data-dependent-exception",
        "Take the operation out of the try statement, and make its arguments valid for all data with np.where or np.clip.",
    ),
    Code(
        "E127",
        "control-flow-mismatch",
        "Give both sides, or the carry and its next value, the same structure, shape and dtype with .astype(), np.float64() or np.asarray().",
    ),
    Code(
        "E128",
        "control-flow-effect",
        "Return what the function computes, and write it after cond, while_loop, scan or map has returned it.",
    ),
    Code(
        "E140",
        "operator-without-fake",
        "Register a fake: @op.register_fake decorates a function that returns np.empty(shape, dtype) for the operands.",
    ),
    Code(
        "E141",
        "wrong-fake",
        "Let the fake return np.empty(shape, dtype) with sizes of its operands, and npexport.new_size() where only the data know.",
    ),
    # E2xx: malformed calls (UserError)
    Code("E201", "bad-argument", "Give the argument the form that the message names; `help` of the function lists all of them."),
    Code(
        "E202",
        "unsupported-input",
        "Pass arrays, NumPy scalars, int, float, bool, str, None, and tuples, lists, dicts or registered dataclasses of those.",
    ),
    Code("E203", "not-callable", "Pass a function, a method, an object with __call__, or an nn.Module."),
    Code("E204", "not-available", "Leave the option at its default."),
    Code("E205", "bad-command-line", "`npexport COMMAND --help` lists what the command takes."),
    Code(
        "E206", "frame-hook", "Unset NPEXPORT_FRAME_HOOK, and install npexport where a C compiler is found, so that its extension is built."
    ),
    Code("E207", "no-python-frame", "Wrap the call in a Python function: def f(*args): return callable(*args)."),
    Code("E208", "program-raises", "Run the function on the example inputs: it raises this without npexport, too."),
    Code("E220", "bad-operator", "Declare the operator as the how-to page on custom operators shows."),
    Code("E240", "program-called", "Call what program.module() returns."),
    Code("E241", "state-mismatch", "Give the arrays the names, shapes and dtypes that the program was exported with."),
    Code(
        "E242",
        "not-saveable",
        "Replace the value by arrays, numbers, strings and containers of those; register dataclasses with register_dataclass.",
    ),
    Code("E243", "graph-edit", "Edit the graph so that operands stand before their uses; graph.lint() checks what you have."),
    Code("E244", "no-plain-python", "Save the program with npexport.save: its archive holds everything that an exported program can be."),
    Code(
        "E245",
        "not-in-namespace",
        "Omit `namespace` for functions that only NumPy has, or write the line with functions of the array-API standard.",
    ),
    Code("E250", "undeclared-mutation", "Write to a copy, or name the argument: custom_op(name, mutates_args=('x',))."),
    Code("E251", "aliasing-operator", "Return copies: x.copy()."),
    Code(
        "E252",
        "unsteady-operator",
        "Let the operator depend on its arguments alone: pass in the seed, the time, or whatever else it reads.",
    ),
    Code("E253", "absent-mutation", "Take the argument out of mutates_args."),
    Code("E254", "other-decomposition", "Let the decomposition compute what the operator's body does, with NumPy and other operators."),
    Code("E260", "coupled-rows", "Keep that axis in one chunk, or split along a dim of program.independent_dims()."),
    # E3xx: dynamic shapes (ConstraintViolation and spec errors)
    Code("E301", "constraint-violation", "Apply the suggested fixes."),
    Code(
        "E302",
        "bad-dynamic-shapes",
        'Give dynamic_shapes the structure of the inputs: {"x": {0: Dim("batch")}}; what is not named is static.',
    ),
    Code("E303", "example-outside-spec", "Change the specification so that it admits the example inputs, or the example inputs."),
    # E4xx: calls of exported programs (InputMismatch)
    Code(
        "E401",
        "input-mismatch",
        'Call the program with inputs like the examples. Sizes that vary are named when it is exported: dynamic_shapes={"x": {0: Dim("n")}}.',
    ),
    Code("E410", "contradicted-fake", "Correct the operator or its fake, so that both agree, and export the program again."),
    # E5xx: archives (LoadError)
    Code("E501", "damaged-archive", "Save the program again and copy the file whole."),
    Code("E502", "archive-too-new", "Load the file with the version of npexport that saved it, or a newer one."),
    Code("E503", "unknown-operator", "Import the package that declares the operator before loading."),
    Code("E504", "unknown-class", "Import the module that defines the class, and register it with register_dataclass, before loading."),
    Code("E505", "opset-mismatch", "Export the program again with this version, or load it with the version that saved it."),
    Code("E510", "operator-schema", "Load the file with the version of the library that it was saved with, or export the program again."),
    # E9xx: defects of npexport (InternalError)
    Code("E901", "internal-error", "This is a defect of npexport, not of your program; please report it with the program."),
    Code("E902", "invalid-graph", "Undo the last change of the graph; if nothing changed it, please report the defect with the program."),
)

CODES: dict[str, Code] = {row.code: row for row in _ROWS}
if len(CODES) != len(_ROWS):
    raise AssertionError("an error code is declared twice")
