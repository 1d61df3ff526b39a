"""The canonical instructions: one row each, ``name: stack effect in words``.

The interpreter has one handler per row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

CANONICAL = {
    # constants and the value stack
    "LOAD_CONST": "push the constant",
    "POP_TOP": "drop the top",
    "COPY": "push the n-th from the top again",
    "SWAP": "exchange the top with the n-th",
    "PUSH_NULL": "push the marker of an absent self",
    # local variables (argument: slot), cells (argument: slot)
    "LOAD_FAST": "push a local; UnboundLocalError where it is unbound",
    "LOAD_FAST_AND_CLEAR": "push a local or the marker, and unbind it",
    "STORE_FAST": "bind a local",
    "DELETE_FAST": "unbind a local",
    "MAKE_CELL": "put the value of a slot into a new cell in the slot",
    "LOAD_CLOSURE": "push the cell itself",
    "LOAD_DEREF": "push what the cell holds",
    "STORE_DEREF": "write to the cell",
    "DELETE_DEREF": "empty the cell",
    "LOAD_FROM_DICT_OR_DEREF": "pop a mapping; push its item of the cell's name, else what the cell holds",
    # names (argument: name)
    "LOAD_GLOBAL": "push a global or builtin",
    "LOAD_GLOBAL_OF": "push a global of another module, or a builtin (argument: name, its globals and builtins)",
    "STORE_GLOBAL": "bind a global",
    "DELETE_GLOBAL": "unbind a global",
    "LOAD_NAME": "push a local, global or builtin of a namespace body",
    "STORE_NAME": "bind in the namespace",
    "DELETE_NAME": "unbind in the namespace",
    "LOAD_FROM_DICT_OR_GLOBALS": "pop a mapping; push its item of that name, else the global or builtin",
    "LOAD_LOCALS": "push the namespace",
    "SETUP_ANNOTATIONS": "make __annotations__ in the namespace",
    "LOAD_BUILD_CLASS": "push the function that makes classes",
    # attributes and items
    "LOAD_ATTR": "replace the top by its attribute",
    "LOAD_METHOD": "replace the top by [method, self] or [attribute, marker]",
    "LOAD_SUPER_ATTR": "pop super, class, self; push the attribute",
    "LOAD_SUPER_METHOD": "pop super, class, self; push [method, self] or [attribute, marker]",
    "STORE_ATTR": "pop object and value; set the attribute",
    "DELETE_ATTR": "pop the object; delete its attribute",
    "BINARY_SUBSCR": "container[key]",
    "STORE_SUBSCR": "pop key, container, value; container[key] = value",
    "DELETE_SUBSCR": "pop key, container; del container[key]",
    "BUILD_SLICE": "pop 2 or 3; push a slice",
    # operators
    "BINARY_OP": "pop two; push the result (argument: row of operators.BINARY)",
    "COMPARE_OP": "pop two; push the comparison (argument: < <= == != > >=)",
    "IS_OP": "pop two; push `is` (argument true: `is not`)",
    "CONTAINS_OP": "pop two; push `in` (argument true: `not in`)",
    "UNARY_OP": "replace the top (argument: - + ~)",
    "UNARY_NOT": "replace the top by its negated truth",
    "TO_BOOL": "replace the top by its truth",
    # containers
    "BUILD_TUPLE": "pop n; push a tuple",
    "BUILD_LIST": "pop n; push a list",
    "BUILD_SET": "pop n; push a set",
    "BUILD_MAP": "pop n pairs; push a dict",
    "BUILD_CONST_KEY_MAP": "pop keys and n values; push a dict",
    "BUILD_STRING": "pop n strings; push them joined",
    "LIST_TO_TUPLE": "replace a list by a tuple",
    "LIST_APPEND": "pop a value; append it to the n-th",
    "SET_ADD": "pop a value; add it to the n-th",
    "MAP_ADD": "pop key, value; set them in the n-th",
    "LIST_EXTEND": "pop an iterable; extend the n-th",
    "SET_UPDATE": "pop an iterable; update the n-th",
    "DICT_UPDATE": "pop a mapping; update the n-th",
    "DICT_MERGE": "pop a mapping; update the n-th, refusing duplicate keywords",
    "UNPACK_SEQUENCE": "pop an iterable; push its n items, first on top",
    "UNPACK_EX": "pop an iterable; push (before, rest, after)",
    # formatting
    "CONVERT_VALUE": "replace the top by str, repr or ascii of it",
    "FORMAT_SIMPLE": "replace the top by format(top)",
    "FORMAT_WITH_SPEC": "pop spec, value; push format(value, spec)",
    # control flow (argument: index of an instruction)
    "JUMP": "go on at the target",
    "JUMP_BACKWARD": "go on at the target, counting a step",
    "POP_JUMP_IF_TRUE": "pop; jump if true",
    "POP_JUMP_IF_FALSE": "pop; jump if false",
    "POP_JUMP_IF_NONE": "pop; jump if None",
    "POP_JUMP_IF_NOT_NONE": "pop; jump if not None",
    "GET_ITER": "replace the top by its iterator",
    "FOR_ITER": "push the next item; when exhausted, pop the iterator and jump",
    "FOR_COPY": "like FOR_ITER, once for each iteration of a loop; an iterator of known items becomes a counter",
    "ENTER_GENERATOR": "pop the generator whose code follows, and fill its slots; jump where the top is no such generator",
    # calls: the stack holds [callable, self or marker, arguments...] or [marker, callable,
    # arguments...]
    "CALL": "call with n positional arguments",
    "CALL_KW": "call with (n, names): the last len(names) of the n are keywords",
    "CALL_FUNCTION_EX": "call with a tuple and, if the argument says so, a dict",
    "MAKE_FUNCTION": "pop code and what the flags name (1 defaults, 2 kwdefaults, 4 annotations, 8 closure, 16 what makes annotations)",
    "PRINT_EXPR": "pop; show it as the interactive prompt does",
    "HOST_INSTRUCTION": "pop n; push the result of CPython's own instruction (argument: n, name, argument)",
    "RETURN_VALUE": "pop; leave the frame",
    # generators and coroutines
    "YIELD_VALUE": "pop; suspend the frame (argument: whether it delegates to the iterator below)",
    "ASYNC_GEN_WRAP": "mark the top as a value of an asynchronous generator",
    "SEND": "resume the iterator below the top; push what it yields; when it returns, put its value in both's place and jump",
    "END_SEND": "drop the second from the top",
    "CLEANUP_THROW": "turn a StopIteration that came out of throw() into its value, else raise again",
    "GET_YIELD_FROM_ITER": "replace the top by what `yield from` iterates",
    "GET_AWAITABLE": "replace the top by the iterator of an awaitable",
    "GET_AITER": "replace the top by its asynchronous iterator",
    "GET_ANEXT": "push the awaitable of the next item",
    "END_ASYNC_FOR": "drop a StopAsyncIteration and the iterator, else raise again",
    # exceptions
    "PUSH_EXC_INFO": "make the top the exception being handled",
    "CHECK_EXC_MATCH": "replace a class by whether the exception below is of it",
    "CHECK_EG_MATCH": "split an exception group",
    "POP_EXCEPT": "stop handling",
    "RERAISE": "raise the top again",
    "RAISE_VARARGS": "raise with 0, 1 or 2 operands",
    "PREP_RERAISE_STAR": "pop the caught exceptions and the original; push what except* raises again",
    "BEFORE_WITH": "push __exit__ and the result of __enter__",
    "BEFORE_ASYNC_WITH": "push __aexit__ and the awaitable of __aenter__",
    "WITH_EXCEPT_START": "call the n-th from the top with the exception",
    # pattern matching
    "GET_LEN": "push len(top)",
    "MATCH_SEQUENCE": "push whether the top is a sequence",
    "MATCH_MAPPING": "push whether the top is a mapping",
    "MATCH_KEYS": "push the values of the keys, or None",
    "MATCH_CLASS": "pop subject, class, names; push the attributes, or None",
    # imports
    "IMPORT_NAME": "pop level and names; push the module",
    "IMPORT_FROM": "push an attribute of the module",
    "IMPORT_STAR": "pop the module; bind its public names",
}


class Handler(NamedTuple):
    """An exception handler: its first instruction, the depth that the stack is cut to, and whether
    the raising instruction is pushed.
    """

    target: int
    depth: int
    push_instruction: bool


class Instruction(NamedTuple):
    """A canonical instruction: its name, its resolved argument and the byte offset of the
    instruction that it was decoded from.
    """

    name: str
    arg: Any
    offset: int
