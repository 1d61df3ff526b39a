"""What the uses of a copy say: whether what was copied can stand in its place."""

from __future__ import annotations

from typing import Any

from npexport.ir.aliasing import makes_new_memory
from npexport.ir.graph import CALL, Node
from npexport.runtime.lists.list_calls import reads_item
from npexport.runtime.memory.inherited_memory import block_of, is_item


def gives_elements(vector: Node) -> bool:
    """Whether a vector is nothing but looked up, element by element, in loops on data too."""
    if vector.meta["val"].ndim != 1 or not vector.users:
        return False
    for user in vector.users:
        block = block_of(user)
        if block is not None and block.loops:
            given = [place for place, value in enumerate((*user.args[2], *user.args[3])) if value is vector]
            if min(given) < len(user.args[2]):
                return False
            inner = [module.graph.placeholders[place] for module in user.args[:2] for place in given]
            if not all(not each.users or gives_elements(each) for each in inner):
                return False
        elif not reads_item(user):
            return False
    return True


def is_alone(base: Any) -> bool:
    """Whether a value is a new array, or one that a branch or a loop gives, which one call uses."""
    if type(base) is not Node or base.op != CALL or len(base.users) != 1 or base.target.home:  # type: ignore[union-attr]
        return False
    if not is_item(base):
        return makes_new_memory(base)
    block, place = base.args
    return block_of(block) is not None and sum(user.args[1] == place for user in block.users) == 1
