"""What each opcode of CPython 3.11 to 3.14 becomes.

One row an opcode: the only place that knows versions.

A row is a canonical name (same argument), or a function of the `Site` that gives the canonical
instructions. ``IGNORED`` opcodes have no meaning of their own; ``REFUSED`` ones never occur in code
that the compiler makes for functions.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

from npexport.tracer.bytecode.host import COMMON_CONSTANTS, EXIT_IS_LOOKED_UP_FIRST, FROM_3_12, FROM_3_13, FROM_3_14

Pairs = list[tuple[str, Any]]


class Target(NamedTuple):
    """A jump's target while decoding: a code unit, and how many opcodes to move on from there."""

    unit: int
    skip: int = 0


class Site(NamedTuple):
    """One opcode in its place: argument, jump target, and the opcodes before and after."""

    code: CodeType
    arg: int
    target: int | None
    before: tuple[str, int] | None
    after: tuple[str, int] | None

    def name(self, shift: int = 0) -> str:
        name: str = self.code.co_names[self.arg >> shift]
        return name


Row = str | Callable[[Site], Pairs]

IGNORED = {
    "EXTENDED_ARG", "NOP", "RESUME", "PRECALL", "COPY_FREE_VARS", "RETURN_GENERATOR", "KW_NAMES", "END_FOR",
    "SET_FUNCTION_ATTRIBUTE", "NOT_TAKEN",
}  # fmt: skip
"""Opcodes without a meaning of their own: cells are made together with a frame, generators when
their function is called; neighbouring rows read three of them.
"""

REFUSED = {
    "CACHE", "INTERPRETER_EXIT", "ENTER_EXECUTOR", "EXIT_INIT_CHECK", "RESERVED", "JUMP_NO_INTERRUPT", "LOAD_ZERO_SUPER_ATTR",
    "LOAD_ZERO_SUPER_METHOD", "LOAD_SUPER_METHOD", "POP_BLOCK", "SETUP_CLEANUP", "SETUP_FINALLY", "SETUP_WITH", "STORE_FAST_MAYBE_NULL",
    "JUMP_IF_FALSE", "JUMP_IF_TRUE", "ANNOTATIONS_PLACEHOLDER",
}  # fmt: skip
"""Opcodes internal to the evaluation loop, the compiler and the optimiser, and those that only
annotate other instructions.
"""
if FROM_3_12:
    REFUSED |= {"LOAD_METHOD", "JUMP"} | {name for name in dis.opmap if name.startswith("INSTRUMENTED_")}
if FROM_3_13:
    REFUSED |= {"LOAD_CLOSURE"}  # a pseudo-opcode there, as the two above


def _one(canonical: str, arg: Callable[[Site], Any]) -> Callable[[Site], Pairs]:
    return lambda site: [(canonical, arg(site))]


def _named(name: str, canonical: str = "", shift: int = 0) -> dict[str, Row]:
    return {name: _one(canonical or name, lambda site: site.name(shift))}


def _jump(name: str, canonical: str, skip: int = 0) -> dict[str, Row]:
    return {name: _one(canonical, lambda site: Target(site.target, skip))}  # type: ignore[arg-type]


def _jump_or_pop(jump: str) -> Callable[[Site], Pairs]:
    """As later compilers write it."""
    return lambda site: [("COPY", 1), (jump, Target(site.target)), ("POP_TOP", None)]  # type: ignore[arg-type]


def _constant(site: Site) -> Any:
    return site.code.co_consts[site.arg]


def _load_global(site: Site) -> Pairs:
    load = ("LOAD_GLOBAL", site.name(1))
    if not site.arg & 1 or (site.after is not None and site.after[0] == "CALL_FUNCTION_EX"):
        return [load]
    return [load, ("PUSH_NULL", None)] if FROM_3_13 else [("PUSH_NULL", None), load]


def _load_attr(site: Site) -> Pairs:
    if not FROM_3_12:
        return [("LOAD_ATTR", site.name())]
    return [("LOAD_METHOD" if site.arg & 1 else "LOAD_ATTR", site.name(1))]


def _call(site: Site) -> Pairs:
    if site.before is None:
        return [("CALL", site.arg)]
    name, arg = site.before
    if name == "KW_NAMES":
        return [("CALL_KW", (site.arg, site.code.co_consts[arg]))]
    return [("CALL", site.arg)]


def _call_kw(site: Site) -> Pairs:
    """3.13 loads the names as a constant just before, which `decoder._folded` drops."""
    assert site.before is not None and site.before[0] == "LOAD_CONST"
    return [("CALL_KW", (site.arg, site.code.co_consts[site.before[1]]))]


def _call_spread(site: Site) -> Pairs:
    """3.14 pushes a marker just before if there are no keywords, which `decoder._folded` drops, or
    the global that is loaded with it.
    """
    if not FROM_3_14:
        return [("CALL_FUNCTION_EX", bool(site.arg & 1))]
    name, arg = site.before or ("", 0)
    return [("CALL_FUNCTION_EX", not (name == "PUSH_NULL" or (name == "LOAD_GLOBAL" and arg & 1)))]


def _enter(site: Site) -> Pairs:
    """3.14 looks up the exit and then the entry, and calls that: its last step does all of it, and
    leaves two items of the exit on the stack.
    """
    canonical = {0: "BEFORE_WITH", 2: "BEFORE_ASYNC_WITH"}.get(site.arg)
    return [(canonical, None), ("PUSH_NULL", None), ("SWAP", 2)] if canonical else []


_SUBSCRIPT = 26  # of the arguments of BINARY_OP, from 3.14 on


def _binary(site: Site) -> Pairs:
    return [("BINARY_SUBSCR", None) if site.arg == _SUBSCRIPT else ("BINARY_OP", site.arg)]


_INLINED = object()


def _common_constant(site: Site) -> Pairs:
    """3.14 asks whether ``all``, ``any`` or ``tuple`` of a generator expression is the builtin, and
    then inlines a loop: here it is called instead.
    """
    asked = site.after is not None and site.after[0] == "IS_OP"
    return [("LOAD_CONST", _INLINED if asked else COMMON_CONSTANTS[site.arg])]


def _compare(site: Site) -> Pairs:
    return [("COMPARE_OP", dis.cmp_op[site.arg >> (5 if FROM_3_13 else 4 if FROM_3_12 else 0)])]


def _two_locals(first: str, second: str) -> Callable[[Site], Pairs]:
    return lambda site: [(first, site.arg >> 4), (second, site.arg & 15)]


def _format_value(site: Site) -> Pairs:
    conversion, has_spec = site.arg & 3, site.arg & 4
    convert: Pairs = [("CONVERT_VALUE", conversion)] if conversion else []
    if not has_spec:
        return [*convert, ("FORMAT_SIMPLE", None)]
    if convert:
        convert = [("SWAP", 2), *convert, ("SWAP", 2)]
    return [*convert, ("FORMAT_WITH_SPEC", None)]


def _intrinsic_1(site: Site) -> Pairs:
    known: dict[int, Pairs] = {
        1: [("PRINT_EXPR", None), ("LOAD_CONST", None)],
        2: [("IMPORT_STAR", None), ("LOAD_CONST", None)],
        4: [("ASYNC_GEN_WRAP", None)],
        5: [("UNARY_OP", "+")],
        6: [("LIST_TO_TUPLE", None)],
    }
    return known.get(site.arg, [("HOST_INSTRUCTION", (1, "CALL_INTRINSIC_1", site.arg))])


def _intrinsic_2(site: Site) -> Pairs:
    return [("PREP_RERAISE_STAR", None) if site.arg == 1 else ("HOST_INSTRUCTION", (2, "CALL_INTRINSIC_2", site.arg))]


def _load_super_attr(site: Site) -> Pairs:
    return [("LOAD_SUPER_METHOD" if site.arg & 1 else "LOAD_SUPER_ATTR", (site.name(2), bool(site.arg & 2)))]


def _yield_value(site: Site) -> Pairs:
    """The RESUME after it tells what is suspended: 1 `yield`, 2 `yield from`, 3 `await`."""
    name, arg = site.after or ("", 0)
    return [("YIELD_VALUE", name == "RESUME" and arg & 3 >= 2)]


_UNCHANGED = (
    "POP_TOP", "COPY", "SWAP", "PUSH_NULL",
    "LOAD_FAST", "LOAD_FAST_AND_CLEAR", "STORE_FAST", "DELETE_FAST", "MAKE_CELL", "LOAD_DEREF", "STORE_DEREF", "DELETE_DEREF",
    "LOAD_FROM_DICT_OR_DEREF", "LOAD_LOCALS", "SETUP_ANNOTATIONS", "LOAD_BUILD_CLASS",
    "BINARY_SUBSCR", "STORE_SUBSCR", "DELETE_SUBSCR", "BUILD_SLICE", "UNARY_NOT", "TO_BOOL",
    "BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_STRING", "LIST_TO_TUPLE",
    "LIST_APPEND", "SET_ADD", "MAP_ADD", "LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE", "UNPACK_SEQUENCE",
    "CONVERT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "GET_ITER", "RETURN_VALUE", "ASYNC_GEN_WRAP", "END_SEND", "CLEANUP_THROW",
    "GET_YIELD_FROM_ITER", "GET_AITER", "GET_ANEXT", "END_ASYNC_FOR", "PUSH_EXC_INFO", "CHECK_EXC_MATCH", "CHECK_EG_MATCH", "POP_EXCEPT",
    "RERAISE", "RAISE_VARARGS", "PREP_RERAISE_STAR", "BEFORE_WITH", "BEFORE_ASYNC_WITH",
    "GET_LEN", "MATCH_SEQUENCE", "MATCH_MAPPING", "MATCH_KEYS", "MATCH_CLASS", "IMPORT_STAR", "PRINT_EXPR",
)  # fmt: skip

_ROWS: dict[str, Row] = {
    **{name: name for name in _UNCHANGED},
    "LOAD_CONST": _one("LOAD_CONST", _constant),
    "RETURN_CONST": lambda site: [("LOAD_CONST", _constant(site)), ("RETURN_VALUE", None)],
    "LOAD_SMALL_INT": "LOAD_CONST",
    "LOAD_COMMON_CONSTANT": _common_constant,
    "LOAD_ASSERTION_ERROR": lambda site: [("LOAD_CONST", AssertionError)],
    # locals and cells
    "LOAD_FAST_CHECK": "LOAD_FAST",
    "LOAD_FAST_BORROW": "LOAD_FAST",
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": _two_locals("LOAD_FAST", "LOAD_FAST"),
    "LOAD_CLOSURE": "LOAD_CLOSURE",
    "LOAD_CLASSDEREF": lambda site: [("LOAD_LOCALS", None), ("LOAD_FROM_DICT_OR_DEREF", site.arg)],
    "LOAD_FAST_LOAD_FAST": _two_locals("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": _two_locals("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": _two_locals("STORE_FAST", "STORE_FAST"),
    # names and attributes
    "LOAD_GLOBAL": _load_global,
    **{
        key: row
        for name in (
            "STORE_GLOBAL",
            "DELETE_GLOBAL",
            "LOAD_NAME",
            "STORE_NAME",
            "DELETE_NAME",
            "LOAD_FROM_DICT_OR_GLOBALS",
            "STORE_ATTR",
            "DELETE_ATTR",
            "LOAD_METHOD",
            "IMPORT_NAME",
            "IMPORT_FROM",
        )
        for key, row in _named(name).items()
    },
    "LOAD_ATTR": _load_attr,
    "LOAD_SUPER_ATTR": _load_super_attr,
    # operators
    "BINARY_OP": _binary,
    "COMPARE_OP": _compare,
    "IS_OP": _one("IS_OP", lambda site: bool(site.arg)),
    "CONTAINS_OP": _one("CONTAINS_OP", lambda site: bool(site.arg)),
    "UNARY_NEGATIVE": _one("UNARY_OP", lambda site: "-"),
    "UNARY_POSITIVE": _one("UNARY_OP", lambda site: "+"),
    "UNARY_INVERT": _one("UNARY_OP", lambda site: "~"),
    "BINARY_SLICE": lambda site: [("BUILD_SLICE", 2), ("BINARY_SUBSCR", None)],
    "STORE_SLICE": lambda site: [("BUILD_SLICE", 2), ("STORE_SUBSCR", None)],
    "UNPACK_EX": _one("UNPACK_EX", lambda site: (site.arg & 0xFF, site.arg >> 8)),
    "FORMAT_VALUE": _format_value,
    "BUILD_INTERPOLATION": _one("HOST_INSTRUCTION", lambda site: (3 if site.arg & 1 else 2, "BUILD_INTERPOLATION", site.arg)),
    "BUILD_TEMPLATE": _one("HOST_INSTRUCTION", lambda site: (2, "BUILD_TEMPLATE", 0)),
    # calls
    "CALL": _call,
    "CALL_KW": _call_kw,
    "CALL_FUNCTION_EX": _call_spread,
    "MAKE_FUNCTION": _one("MAKE_FUNCTION", lambda site: site.arg),
    "CALL_INTRINSIC_1": _intrinsic_1,
    "CALL_INTRINSIC_2": _intrinsic_2,
    # control flow
    **_jump("JUMP_FORWARD", "JUMP"),
    **_jump("JUMP_BACKWARD", "JUMP_BACKWARD"),
    **_jump("JUMP_BACKWARD_NO_INTERRUPT", "JUMP"),
    **{
        key: row
        for test in ("IF_TRUE", "IF_FALSE", "IF_NONE", "IF_NOT_NONE")
        for direction in ("", "FORWARD_", "BACKWARD_")
        for key, row in _jump(f"POP_JUMP_{direction}{test}", f"POP_JUMP_{test}").items()
    },
    "JUMP_IF_TRUE_OR_POP": _jump_or_pop("POP_JUMP_IF_TRUE"),
    "JUMP_IF_FALSE_OR_POP": _jump_or_pop("POP_JUMP_IF_FALSE"),
    # an exhausted FOR_ITER pops the iterator by itself and goes on behind END_FOR (3.12) or
    # END_FOR, POP_TOP (3.13)
    **_jump("FOR_ITER", "FOR_ITER", 2 if FROM_3_13 else 1 if FROM_3_12 else 0),
    "POP_ITER": "POP_TOP",
    # a finished SEND leaves its value alone on the stack and goes on behind END_SEND (3.12)
    **_jump("SEND", "SEND", 1 if FROM_3_12 else 0),
    "YIELD_VALUE": _yield_value,
    # context managers
    "LOAD_SPECIAL": _enter,
    "WITH_EXCEPT_START": _one("WITH_EXCEPT_START", lambda site: 5 if EXIT_IS_LOOKED_UP_FIRST else 4),
    "GET_AWAITABLE": _one("GET_AWAITABLE", lambda site: site.arg),
}

DECODED: dict[str, Row] = {name: row for name, row in _ROWS.items() if name in dis.opmap and name not in REFUSED}
"""The rows of the running version: together with IGNORED and REFUSED they are exactly its
``dis.opmap`` (a test holds it)."""
