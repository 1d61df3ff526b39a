"""What blocks do with objects and functions: attributes that the host reads and writes, calls, and
the ends of frames.
"""

from __future__ import annotations

from typing import Any

from npexport.tracer.interpreter.block_source import Block, Full, forgetting, writes
from npexport.tracer.interpreter.program import HANDLERS


@writes("LOAD_ATTR")
def _load_attr(block: Block, name: str) -> None:
    """An attribute of an object of the program's, which the host reads."""
    block.held.append(_attribute(block, name))


@writes("LOAD_METHOD")
def _load_method(block: Block, name: str) -> None:
    found = _attribute(block, name)
    below, top = block.new("NULL"), block.new(found)
    block.lines += [f"if type({found}) is MethodType:", f"    {below}, {top} = {found}.__func__, {found}.__self__", f"{found} = None"]
    block.held += [below, top]


def _attribute(block: Block, name: str) -> str:
    """The value of the attribute of the top of the stack, in its place."""
    (obj,) = block.want(1)
    key = _host_may(block, obj, name, "read")
    block.blame()
    block.drop(1)
    value = block.new(f"getattr({obj}, {key})")
    block.forget(obj)
    return value


def _host_may(block: Block, obj: str, name: str, known: str) -> str:
    """Stop unless the host itself may read or write an attribute; its name as a constant."""
    kind, key = block.new(f"vm.types.get(type({obj}))"), block.constant(name)
    block.leave(f"{kind} is None or {key} not in {kind}.{known} or vm.tracing and vm.world.overlay.writes")
    return key


@writes("STORE_ATTR")
def _store_attr(block: Block, name: str) -> None:
    value, obj = block.want(2)
    key = _host_may(block, obj, name, "written")
    block.blame()
    block.drop(2)
    block.lines.append(f"setattr({obj}, {key}, {value})")
    block.forget(value)
    block.forget(obj)


@writes("CALL")
def _call(block: Block, count: int) -> bool | None:
    """A function of the program's, or one of C, called with scalars."""
    if len(block.held) < (count or 2):
        raise Full
    args, below = block.held[len(block.held) - count :], block.held[: len(block.held) - count]
    if len(below) > 1 and block.ops[block.place][0] is HANDLERS["CALL"]:
        *rest, first, second = below
        fn, given = (first, args) if second == "NULL" else (second, args) if first == "NULL" else (first, [second, *args])
        block.enter(fn, given, rest)
    if not count:
        block.lines += block.leaving()
        return True
    first, second = ["stack[-2]", "stack[-1]", *below][-2:]  # the function and NULL, in either order
    if "NULL" not in (first, second):
        block.leave(f"{first} is not NULL")
    fn = block.new(first if second == "NULL" else second)
    block.leave(f"id({fn}) not in OF_SCALARS")
    block.scalar(*args)
    block.blame()
    block.lines += ["stack.pop()"] * max(2 - len(below), 0)
    block.drop(min(count + 2, len(block.held)))
    block.held.append(block.new(f"{fn}({', '.join(args)})"))
    return None


@writes("RETURN_VALUE")
def _return_value(block: Block, arg: Any) -> bool:
    block.give_back()
    return True


@writes("SEND")
def _send(block: Block, target: int) -> None:
    """The next item of an iterator that never calls Python."""
    iterator, value = block.want(2)
    block.leave(f"{value} is not None or type({iterator}) not in BUILTIN_ITERATORS")
    block.blame()
    block.drop(1)
    item, below = block.new(f"next({iterator}, NULL)"), block.held[:-1]
    block.lines += [f"if {item} is NULL:", *[f"    stack.append({name})" for name in (*below, "None")]]
    block.lines += [f"    frame.pc = {target}", "    return None"]
    block.held.append(item)


@writes("YIELD_VALUE")
def _yield_value(block: Block, delegates: bool) -> bool:
    if not block.held:
        raise Full
    handle = block.constant(block.ops[block.place][0])
    block.lines += [*block.put(), *forgetting(block.held), f"frame.pc = {block.place + 1}"]
    block.lines += [f"return {handle}(vm, frame, {block.constant(delegates)})"]
    return True
