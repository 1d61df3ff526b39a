"""The decoder: every opcode of the running CPython is accounted for, and what it gives is canonical."""

import ast
import dis
import inspect
import sys
import types

import pytest

from npexport.tracer.bytecode import decode
from npexport.tracer.bytecode.opcodes import DECODED, IGNORED, REFUSED
from npexport.tracer.interpreter import (
    handlers,  # noqa: F401 (importing it declares the instructions)
    interpret,
)
from npexport.tracer.interpreter.program import FACTS, GENERATOR_HANDLERS, HANDLERS, handler


def code_objects(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from code_objects(constant)


def names(source):
    """The canonical instructions of the first function in the source."""
    code = compile(source, "<test>", "exec")
    function = next((c for c in code.co_consts if isinstance(c, types.CodeType)), code)
    return [instruction.name for instruction in decode(function).instructions]


def test_every_opcode_is_accounted_for():
    known = set(DECODED) | IGNORED | REFUSED
    assert set(dis.opmap) - known == set()
    assert {name for name in DECODED if name not in dis.opmap} == set()


def test_no_opcode_is_accounted_for_twice():
    assert set(DECODED) & (IGNORED | REFUSED) == set()
    assert IGNORED & REFUSED == set()


def test_opcodes_that_keep_their_name_are_canonical_instructions():
    assert {row for row in DECODED.values() if type(row) is str} - set(HANDLERS) == set()


def test_facts_of_every_canonical_instruction_are_declared():

    assert set(HANDLERS) == set(FACTS)
    assert set(GENERATOR_HANDLERS) <= set(FACTS)


def test_an_instruction_is_added_by_one_declaration(monkeypatch):
    @handler("HALVE", "replace the top by its half", examines=1, effect=(1, 1))
    def halve(vm, frame, arg):
        frame.stack[-1] /= 2

    monkeypatch.setitem(DECODED, "UNARY_NEGATIVE", lambda site: [("HALVE", None)])
    try:
        assert interpret(lambda x: [-x, -(-x)], 6) == [3.0, 1.5]
    finally:
        del HANDLERS["HALVE"], FACTS["HALVE"]


@pytest.mark.parametrize(
    "module", [argparse := __import__("argparse"), ast, inspect, __import__("asyncio.tasks").tasks, __import__("typing")]
)
def test_the_standard_library_decodes(module):
    count = 0
    for code in code_objects(compile(inspect.getsource(module), module.__file__, "exec")):
        decoded = decode(code)
        size = len(decoded.instructions)
        for (name, arg, offset), catcher in zip(decoded.instructions, decoded.handlers, strict=True):
            assert name in HANDLERS
            assert 0 <= offset < len(code.co_code)
            if "JUMP" in name or name in ("FOR_ITER", "SEND"):
                assert 0 <= arg < size, (code, name, arg)
            assert catcher is None or (0 <= catcher.target < size and catcher.depth >= 0)
        count += 1
    assert count > 40


def test_offsets_are_those_of_dis():
    def function(x, *, y=1):
        return [x + i for i in range(y)] if x else {**{"a": f"{x!r:>{y}}"}}

    offsets = {instruction.offset for instruction in dis.get_instructions(function)}
    assert {instruction.offset for instruction in decode(function.__code__).instructions} <= offsets


def test_decoded_once_and_forgotten_with_the_code():
    from npexport.tracer.interpreter import program

    code = compile("a = 1", "<forgotten>", "exec")
    assert program.code_info(code) is program.code_info(code)
    key = id(code)
    assert key in program._INFOS
    del code
    assert key not in program._INFOS


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("def f(a, b): return a, b", ["LOAD_FAST", "LOAD_FAST", "BUILD_TUPLE", "RETURN_VALUE"]),
        ("def f(): return 1", ["LOAD_CONST", "RETURN_VALUE"]),
        ("def f(a): return a[1:2]", ["LOAD_FAST", "LOAD_CONST", "LOAD_CONST", "BUILD_SLICE", "BINARY_SUBSCR", "RETURN_VALUE"]),
        ("def f(a): return not a", ["LOAD_FAST", "UNARY_NOT", "RETURN_VALUE"]),
        ("def f(a): return f'{a!r:>3}'", ["LOAD_FAST", "CONVERT_VALUE", "LOAD_CONST", "FORMAT_WITH_SPEC", "RETURN_VALUE"]),
        ("def f(a): return a.b(1)", ["LOAD_FAST", "LOAD_METHOD", "LOAD_CONST", "CALL", "RETURN_VALUE"]),
        ("def f(a): return +a", ["LOAD_FAST", "UNARY_OP", "RETURN_VALUE"]),
    ],
)
def test_the_same_on_every_version(source, wanted):
    if "CONVERT_VALUE" in wanted and sys.version_info < (3, 13):  # FORMAT_VALUE converts below its spec
        wanted = ["LOAD_FAST", "LOAD_CONST", "SWAP", "CONVERT_VALUE", "SWAP", "FORMAT_WITH_SPEC", "RETURN_VALUE"]
    if "BUILD_SLICE" in wanted and sys.version_info >= (3, 14):  # a slice of constants is a constant
        wanted = ["LOAD_FAST", "LOAD_CONST", "BINARY_SUBSCR", "RETURN_VALUE"]
    assert names(source) == wanted


def test_keywords_are_folded_into_the_call():
    code = compile("def f(g): return g(1, k=2)", "<test>", "exec").co_consts[0]
    (call,) = [i for i in decode(code).instructions if i.name.startswith("CALL")]
    assert (call.name, call.arg) == ("CALL_KW", (2, ("k",)))


def test_function_attributes_are_folded_into_make_function():
    code = compile("def f():\n  x = 1\n  def g(a=1, *, b: int = 2): return x", "<test>", "exec").co_consts[0]
    *_, make = [i for i in decode(code).instructions if i.name == "MAKE_FUNCTION"]
    assert make.arg == (1 | 2 | 8 | (16 if sys.version_info >= (3, 14) else 4))  # 3.14 makes annotations when they are asked for


def test_an_exhausted_loop_goes_on_behind_it():
    code = compile("def f(x):\n  for i in x: pass\n  return 5", "<test>", "exec").co_consts[0]
    instructions = decode(code).instructions
    (loop,) = [i for i in instructions if i.name == "FOR_ITER"]
    assert [i.name for i in instructions[loop.arg :]][:2] == ["LOAD_CONST", "RETURN_VALUE"]


@pytest.mark.parametrize("source", ["def f(x):\n  while x: x -= 1", "def f(x):\n  while True:\n    if x: continue\n    x = 1"])
def test_every_iteration_of_a_loop_passes_jump_backward(source):
    code = compile(source, "<test>", "exec").co_consts[0]
    back = [name for index, (name, arg, _) in enumerate(decode(code).instructions) if "JUMP" in name and arg <= index]
    assert back and set(back) == {"JUMP_BACKWARD"}


def test_locations():
    def function(x):
        return (
            x.attribute
            + 1
        )  # fmt: skip

    code = function.__code__
    decoded = decode(code)
    index = next(i for i, instruction in enumerate(decoded.instructions) if instruction.name == "LOAD_ATTR")
    location = decoded.location(code, index)
    assert location.file == __file__ and location.line == code.co_firstlineno + 2
    assert location.source.strip() == "x.attribute"
    assert location.source[location.column : location.end_column] == "x.attribute"
    assert location.function.endswith("function")
    assert decoded.location(code, index) is location


@pytest.mark.parametrize("opcode", sorted({"CACHE", "INTERPRETER_EXIT"} & dis.opmap.keys()))
def test_an_opcode_out_of_place_is_refused(opcode):
    from npexport.symshapes.errors import Unsupported

    code = (lambda: None).__code__
    broken = code.replace(co_code=bytes((dis.opmap[opcode], 0)) + code.co_code[2:])
    with pytest.raises(Unsupported) as caught:
        decode(broken)
    assert caught.value.code == "E102"
