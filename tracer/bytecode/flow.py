"""Edges between canonical instructions: the successors of an instruction are a tuple of indices, of
which one past the last instruction is the end of the function. Edges to exception handlers are left
out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from npexport.tracer.bytecode.canonical import Instruction

JUMPS = frozenset({"JUMP", "JUMP_BACKWARD"})
BRANCHES = frozenset(
    "POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE FOR_ITER FOR_COPY SEND ENTER_GENERATOR "
    "TAIL_CALL NESTED_CALL".split()
)
TARGETS = JUMPS | BRANCHES
"""Instructions whose argument is the index of another."""
RAISES = frozenset({"RAISE_VARARGS", "RERAISE", "RAISE_LEFT"})
ENDS = RAISES | {"RETURN_VALUE"}
"""Instructions without a successor."""
SUSPENDS = frozenset({"YIELD_VALUE", "SEND", "GET_ANEXT"})
"""Instructions that suspend the frame, or right behind which it is suspended: what ``GET_ANEXT``
makes has to be awaited.
"""


def successors(instructions: Sequence[Instruction]) -> tuple[tuple[int, ...], ...]:
    """For each instruction, those that may run next."""
    found: list[tuple[int, ...]] = []
    for index, (name, arg, _) in enumerate(instructions):
        if name == "RETURN_VALUE":
            found.append((len(instructions),))
        elif name in RAISES:
            found.append(())
        elif name in JUMPS:
            found.append((arg,))
        else:
            found.append((index + 1, arg) if name in BRANCHES else (index + 1,))
    return (*found, ())


def predecessors(following: Sequence[Iterable[int]]) -> list[list[int]]:
    """The edges, backwards."""
    before: list[list[int]] = [[] for _ in following]
    for index, others in enumerate(following):
        for other in others:
            before[other].append(index)
    return before


def closure(pending: Iterable[int], following: Sequence[Sequence[int]], stops: Collection[int] = ()) -> dict[int, None]:
    """All that is reached by edges, in order of discovery; paths end at those of ``stops``."""
    found, todo = dict[int, None](), list(pending)
    while todo:
        index = todo.pop()
        if index not in found:
            found[index] = None
            todo += following[index][::-1] if index not in stops else ()
    return found
