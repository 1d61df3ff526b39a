"""Which dicts an instruction looks into: before it runs, it is known which of their keys they have
(`npexport.tracer.interpreter.partial_dicts`).

An instruction that asks for one key asks for that one alone. A loop over a dict takes the keys one
by one: each turn runs where the dict has the key.
"""

from __future__ import annotations

import gc
import types
from typing import Any, NamedTuple

from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.operators import SCALARS
from npexport.tracer.interpreter.partial_dicts import is_open, lacks_keys, settle, settle_keys
from npexport.tracer.interpreter.symbolic_union import NeedsCaseSplit, called, is_bound, keeps, only_moves
from npexport.tracer.interpreter.world import World

_NOT_LOOKING = frozenset({"IS_OP", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE", "STORE_ATTR", "DELETE_ATTR", "BUILD_MAP", "FOR_ITER"})
"""Instructions that do not look into containers among their operands."""
_ADDING = frozenset({"MAP_ADD", "DICT_UPDATE", "DICT_MERGE"})
_TRUTHS = frozenset({"TO_BOOL", "UNARY_NOT", "POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE"})
_BY_KEY = {"BINARY_SUBSCR": (-2, -1), "STORE_SUBSCR": (-2, -1), "DELETE_SUBSCR": (-2, -1), "CONTAINS_OP": (-1, -2)}
"""By instruction that asks for one key: where on the stack the container is, and the key."""
_OF_KEYS = frozenset({"get", "setdefault", "pop", "__contains__", "__getitem__", "__setitem__", "__delitem__"})
_DELETING = frozenset({"pop", "popitem", "clear", "__delitem__", "delitem"})
_PARTS = {"keys": 0, "values": 1, "items": None}
_BETWEEN = frozenset({"LOAD_FAST_AND_CLEAR", "SWAP", "BUILD_LIST", "BUILD_MAP", "BUILD_SET", "COPY"})
"""What stands between an iterator and the loop of a comprehension."""
_COMPREHENSIONS = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>"})


class GoneOver(NamedTuple):
    """The iterator of a loop over a dict that may lack keys; it is replaced on the stack.

    ``truths``: by key, whether the dict had it where the loop began; ``part``: the keys (0), the
    values (1) or the items (``None``) are taken.
    """

    owner: dict[Any, Any]
    keys: tuple[Any, ...]
    truths: tuple[Any, ...]
    part: int | None
    position: int = 0


def looks_into(vm: Machine, frame: Frame, name: str, number: int, arg: Any) -> bool:
    """Settle which keys the dicts have that an instruction looks into. Whether it has run
    meanwhile.
    """
    stack = frame.stack
    if name == "FOR_ITER" and type(stack[-1]) is GoneOver:
        vm.world.go_over(vm, frame, arg)
        return True
    if name in _NOT_LOOKING or _begins(vm, frame, name, arg):
        return name not in _NOT_LOOKING
    if name == "DELETE_SUBSCR" or (name.startswith("CALL") and getattr(called(stack, name, arg)[1], "__name__", None) in _DELETING):
        _require_not_gone_over(stack)
    try:
        owner, key = _asked_for(stack, name, arg)
        if owner is not None:
            settle_keys(vm.world, owner, [key])
        elif not (name in _TRUTHS and type(stack[-1]) is dict and not all(map(is_open, stack[-1].values()))):
            settle(vm.world, _looked_into(stack, name, number, arg))
    except NeedsCaseSplit as asked:
        vm.world.ask(vm, frame, asked.union)
        return True
    return False


def _looked_into(stack: list[Any], name: str, number: int, arg: Any) -> list[Any]:
    """The operands that an instruction may look into, if they are dicts; what it adds to is among
    them: where a key stands tells whether it was there.
    """
    if name in _ADDING:
        return [stack[-number - arg], *stack[len(stack) - number :]]
    if name in ("LOAD_ATTR", "LOAD_METHOD"):
        return [stack[-1]] if type(stack[-1]) is not dict and isinstance(stack[-1], dict) else []
    if not name.startswith("CALL"):
        return stack[len(stack) - number :]
    given, fn = called(stack, name, arg)
    looks = name == "CALL_FUNCTION_EX" or keeps(fn) or not only_moves(fn)
    return stack[-given - 2 :] if looks and getattr(fn, "__name__", None) != "append" else []


def _asked_for(stack: list[Any], name: str, arg: Any) -> tuple[Any, Any]:
    """The dict, and the key, that an instruction asks for; ``None`` for any other instruction."""
    if name in _BY_KEY:
        owner, key = [stack[place] for place in _BY_KEY[name]]
    elif name == "MAP_ADD":
        owner, key = stack[-2 - arg], stack[-2]
    elif name == "CALL" and arg:
        _, fn = called(stack, name, arg)
        owner, key = (fn.__self__, stack[-arg]) if _is_of_key(fn) else (None, None)
    else:
        return None, None
    return (owner, key) if type(owner) is dict and type(key) in SCALARS else (None, None)


def _is_of_key(fn: Any) -> bool:
    """Whether a method asks for the key that is its first argument."""
    return type(fn) is types.BuiltinMethodType and fn.__name__ in _OF_KEYS


def settle_for_call(world: World, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Settle which keys the dicts have that a call of C looks into. Raises `NeedsCaseSplit`."""
    if _is_of_key(fn) and args and type(fn.__self__) is dict and type(args[0]) in SCALARS:
        settle_keys(world, fn.__self__, [args[0]])
    else:
        settle(world, (fn, *args, *kwargs.values()))


# Loops over dicts


def _begins(vm: Machine, frame: Frame, name: str, arg: Any) -> bool:
    """Put the iterator of a loop over a dict that may lack keys in its place on the stack."""
    stack = frame.stack
    if name == "GET_ITER" and type(stack[-1]) is GoneOver:
        return True
    if name == "GET_ITER" and type(stack[-1]) is dict and lacks_keys(stack[-1]) and _is_of_loop(frame, frame.pc):
        stack[-1] = _iterator(vm, stack[-1], 0)
        return True
    if name != "CALL" or arg > 1 or frame.info.decoded.instructions[frame.pc].name != "GET_ITER":
        return False
    _, fn = called(stack, name, arg)
    if arg == 1:
        return _begins_with_list(vm, frame, fn)
    if type(fn) is not types.BuiltinMethodType or fn.__name__ not in _PARTS or type(fn.__self__) is not dict:
        return False
    if not lacks_keys(fn.__self__) or not _is_of_loop(frame, frame.pc + 1, 2):
        return False
    stack[-2:] = [_iterator(vm, fn.__self__, _PARTS[fn.__name__])]
    return True


def _begins_with_list(vm: Machine, frame: Frame, fn: Any) -> bool:
    """The same for a list of the keys, which are those that the dict has then."""
    stack = frame.stack
    owner = stack[-1]
    if not any(fn is each for each in (list, tuple, sorted)) or type(owner) is not dict or not lacks_keys(owner):
        return False
    if not _is_of_loop(frame, frame.pc + 1, 3) or len(set(map(type, owner))) > 1:
        return False
    order = sorted(owner) if fn is sorted else list(owner)
    stack[-3:] = [_iterator(vm, {key: owner[key] for key in order}, 0)]
    return True


def _is_of_loop(frame: Frame, place: int, depth: int = 1) -> bool:
    """Whether a loop or a comprehension takes the iterator that an instruction before ``place``
    makes of ``depth`` operands.
    """
    instructions = frame.info.decoded.instructions
    while instructions[place].name in _BETWEEN:
        place += 1
    if instructions[place].name == "CALL":
        below = frame.stack[-depth - 1] if len(frame.stack) > depth else None
        return isinstance(below, types.FunctionType) and below.__code__.co_name in _COMPREHENSIONS
    return bool(instructions[place].name == "FOR_ITER")


def _iterator(vm: Machine, owner: dict[Any, Any], part: int | None) -> GoneOver:
    held = [vm.world.known(value) for value in owner.values()]
    return GoneOver(owner, tuple(owner), tuple(map(is_bound, held)), part)


def _require_not_gone_over(operands: list[Any]) -> None:
    """Raises ``Unsupported`` (E103) where something is taken out of a dict in a loop over it."""
    for operand in operands:
        owner = getattr(operand, "__self__", operand)
        if type(owner) is dict and any(type(one) is GoneOver for one in gc.get_referrers(owner)):
            raise changed()


def changed() -> Unsupported:
    return Unsupported(
        "E103",
        "a branch depends on data, and decides which keys a dict has that changes its length in a loop over it",
        hint="Go over a list of the keys: for key in list(found): ...",
    )
