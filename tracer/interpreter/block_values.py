"""What blocks do with values: instructions that move them, compute with builtin scalars, and
jump.
"""

from __future__ import annotations

from typing import Any

from npexport.tracer.interpreter.block_source import Block, Full, writes
from npexport.tracer.interpreter.operators import is_in_place, sign
from npexport.tracer.interpreter.program import HANDLERS


@writes("LOAD_CONST")
def _load_const(block: Block, value: Any) -> None:
    block.held.append(block.constant(value))


@writes("PUSH_NULL")
def _push_null(block: Block, arg: Any) -> None:
    block.held.append("NULL")


@writes("LOAD_DEREF")
def _load_deref(block: Block, slot: int) -> None:
    name = block.new("NULL")
    block.lines += ["try:", f"    {name} = fast[{slot}].cell_contents", "except ValueError:", "    pass"]
    block.leave(f"{name} is NULL")
    block.held.append(name)


@writes("LOAD_FAST")
def _load_fast(block: Block, slot: int) -> None:
    name = block.slots.get(slot)
    if name is None:
        name = block.new(f"fast[{slot}]")
        block.leave(f"{name} is NULL")
        block.slots[slot] = name
    block.held.append(name)


@writes("STORE_FAST")
def _store_fast(block: Block, slot: int) -> None:
    before = block.slots.get(slot)
    if before is not None and before not in block.scalars:
        raise Full  # it is freed at once
    (name,) = block.want(1)
    block.drop(1)
    block.lines.append(f"fast[{slot}] = {name}")
    block.slots[slot] = name


@writes("POP_TOP")
def _pop_top(block: Block, arg: Any) -> None:
    if not block.held:
        block.lines.append("stack.pop()")
    elif block.held[-1] in block.scalars:
        block.drop(1)
    else:
        raise Full  # it is freed at once


@writes("COPY")
def _copy(block: Block, depth: int) -> None:
    block.held.append(block.want(depth)[0])


@writes("SWAP")
def _swap(block: Block, depth: int) -> None:
    block.want(depth)
    block.held[-1], block.held[-depth] = block.held[-depth], block.held[-1]


def _scalars(block: Block) -> tuple[str, str]:
    """The operands of an operator that is about to be computed of two scalars."""
    left, right = block.want(2)
    block.scalar(left, right)
    block.blame()
    block.drop(2)
    return left, right


@writes("BINARY_OP")
def _binary_op(block: Block, row: int) -> None:
    left, right = _scalars(block)
    if is_in_place(row):
        name = block.new(left, scalar=True)
        block.lines.append(f"{name} {sign(row)}= {right}")
    else:
        name = block.new(f"{left} {sign(row)} {right}", scalar=True)
    block.held.append(name)


@writes("UNARY_OP")
def _unary_op(block: Block, symbol: str) -> None:
    (operand,) = block.want(1)
    kind = block.new(f"type({operand})")
    block.leave(f"{kind} is not int and {kind} is not float")
    block.blame()
    block.drop(1)
    block.held.append(block.new(f"{symbol}{operand}", scalar=True))


@writes("COMPARE_OP")
def _compare_op(block: Block, symbol: str) -> None:
    left, right = _scalars(block)
    block.held.append(block.new(f"{left} {symbol} {right}", truth=True))


@writes("LOAD_GLOBAL")
def _load_global(block: Block, name: str) -> None:
    block.blame()
    block.lines.append(f"{block.constant(HANDLERS['LOAD_GLOBAL'])}(vm, frame, {block.constant(name)})")
    block.held.append(block.new("stack.pop()"))


@writes("IS_OP")
def _is_op(block: Block, inverted: bool) -> None:
    left, right = block.want(2)
    unknown = [name for name in (left, right) if name not in block.scalars]
    if unknown:
        block.leave(" or ".join(f"type({name}) in NATIVE_TYPES" for name in unknown))
    block.drop(2)
    block.held.append(block.new(f"{left} is {'not ' if inverted else ''}{right}", truth=True))


def _truth(block: Block) -> str:
    """The top of the stack, whose truth is asked for."""
    (name,) = block.want(1)
    if name not in block.truths:
        block.scalar(name)
    block.drop(1)
    return name


@writes("UNARY_NOT")
def _unary_not(block: Block, arg: Any) -> None:
    block.held.append(block.new(f"not {_truth(block)}", truth=True))


@writes("TO_BOOL")
def _to_bool(block: Block, arg: Any) -> None:
    block.held.append(block.new(f"not not {_truth(block)}", truth=True))


@writes("BINARY_SUBSCR")
def _binary_subscr(block: Block, arg: Any) -> None:
    container, key = block.want(2)
    kind = block.new(f"type({container})")
    block.leave(f"{kind} is not list and {kind} is not tuple or type({key}) is not int")
    block.blame()
    block.drop(2)
    block.held.append(block.new(f"{container}[{key}]"))


@writes("STORE_SUBSCR")
def _store_subscr(block: Block, arg: Any) -> None:
    value, container, key = block.want(3)
    block.leave(f"type({container}) is not list or type({key}) is not int")
    block.blame()
    block.drop(3)
    block.lines.append(f"{container}[{key}] = {value}")


@writes("BUILD_TUPLE")
def _build_tuple(block: Block, count: int) -> None:
    items = block.want(count) if count else []
    name = block.new(f"({', '.join(items)}{',' * (count == 1)})")
    del block.held[len(block.held) - count :]
    block.held.append(name)


@writes("UNPACK_SEQUENCE")
def _unpack_sequence(block: Block, count: int) -> None:
    (name,) = block.want(1)
    block.leave(f"type({name}) is not tuple or len({name}) != {count}")
    block.drop(1)
    block.held += [block.new(f"{name}[{index}]") for index in reversed(range(count))]


@writes("LIST_APPEND")
def _list_append(block: Block, depth: int) -> None:
    (value,) = block.want(1)
    if len(block.held) > 1:
        raise Full
    block.drop(1)
    block.lines.append(f"stack[{-depth}].append({value})")


@writes("FOR_ITER")
def _for_iter(block: Block, target: int) -> None:
    if block.held:
        raise Full
    iterator = block.new("stack[-1]")
    block.leave(f"type({iterator}) not in BUILTIN_ITERATORS")
    block.blame()
    item = block.new(f"next({iterator}, NULL)")
    block.lines += [f"if {item} is NULL:", "    stack.pop()", f"    frame.pc = {target}", "    return None"]
    block.held.append(item)


def _conditional(block: Block, condition: str, target: int) -> None:
    block.lines += [f"if {condition}:", *[f"    {line}" for line in (*block.put(), *block.go(target))]]


@writes("POP_JUMP_IF_TRUE")
def _pop_jump_if_true(block: Block, target: int) -> None:
    _conditional(block, _truth(block), target)


@writes("POP_JUMP_IF_FALSE")
def _pop_jump_if_false(block: Block, target: int) -> None:
    _conditional(block, f"not {_truth(block)}", target)


@writes("POP_JUMP_IF_NONE")
def _pop_jump_if_none(block: Block, target: int) -> None:
    (name,) = block.want(1)
    block.drop(1)
    _conditional(block, f"{name} is None", target)


@writes("POP_JUMP_IF_NOT_NONE")
def _pop_jump_if_not_none(block: Block, target: int) -> None:
    (name,) = block.want(1)
    block.drop(1)
    _conditional(block, f"{name} is not None", target)


@writes("JUMP")
def _jump(block: Block, target: int) -> bool:
    block.lines += [*block.put(), *block.go(target)]
    return True


@writes("JUMP_BACKWARD")
def _jump_backward(block: Block, target: int) -> bool:
    block.lines += [*block.put(), *block.back(block.place, target)]
    return True
