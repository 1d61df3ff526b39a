"""Operands that may turn out, at run time, to be memory that nothing else needs: the result of
``x.T.ravel()``, which is a view or a copy, arrays of unknown order, and those of unknown size that
must not have one element alone.

The laws are those of `runtime.planning.placement`; what these require of layouts and of the owner
of memory is checked on the arrays.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from npexport.ir.graph import CALL, Node
from npexport.ir.ops import views
from npexport.runtime.emission.kept_memory import PAYS
from npexport.runtime.memory.layouts import is_array, is_elementwise_ufunc, rounds_in_place
from npexport.runtime.memory.liveness import Liveness
from npexport.runtime.planning.placement import World, is_large, same_type


class Fresh(NamedTuple):
    """An operand that takes the result, if at run time it is none of the arrays ``apart`` from
    outside, owns its memory, and is in C order, or in Fortran order as ``others`` are: NumPy takes
    C order if any operand of the result's shape has it. ``several``: and if it has more than one
    element.
    """

    operand: Node
    apart: list[Node]
    others: list[Node]
    several: bool = False

    def text(self, names: Mapping[Node, str], bind: Callable[[Any], str]) -> str:
        """The source of an expression for the operand, or ``None``."""
        own, others = names[self.operand], [names[node] for node in self.others]
        terms = [f"{own}.flags.owndata", *[f"{own} is not {names[node]}" for node in self.apart]]
        terms += [f"{own}.size > 1"] if self.several else []
        alike = f"{bind(are_ordered_alike)}({', '.join([own, *others])})"
        return f"{own} if {' and '.join(terms)} and ({own}.flags.carray or {alike}) else None"


def are_ordered_alike(array: np.ndarray[Any, Any], *others: np.ndarray[Any, Any]) -> bool:
    """Whether an array is in Fortran order without gaps, and the axes of others are in the same
    order, but for those that they repeat.

    >>> x, y = np.zeros((4, 3)).T, np.zeros((8, 6)).T
    >>> are_ordered_alike(x, y[::2, ::-2]), are_ordered_alike(x, y[:1, ::2]), are_ordered_alike(x, np.zeros((3, 4)))
    (True, True, False)
    """
    if not array.flags.farray or 1 in array.shape:
        return False
    for other in others:
        steps = [abs(stride) for stride, size in zip(other.strides, other.shape, strict=True) if size > 1 and stride]
        if any(inner >= outer for inner, outer in itertools.pairwise(steps)):
            return False
    return True


def fresh_operand(lives: Liveness, world: World, node: Node) -> Fresh | None:
    """The operand into which a call may compute if it owns its memory, where the check is worth its
    cost.
    """
    several = rounds_in_place(node) and is_large(node, PAYS)
    if not is_elementwise_ufunc(node) or not is_array(node.meta["val"]) or not (several or _is_known_large(node)):
        return None
    for operand in dict.fromkeys(node.all_input_nodes):
        if operand.op == CALL and same_type(node, operand) and not _is_certain_view(operand) and _ends(lives, world, node, operand):
            apart = [root for root in lives.storages[operand] if root.op != CALL]
            arrays = [other for other in node.all_input_nodes if other is not operand and is_array(other.meta["val"])]
            return Fresh(operand, apart, [other for other in arrays if other.meta["val"].ndim > 1], several)
    return None


def _is_known_large(node: Node) -> bool:
    return all(type(size) is int for size in node.meta["val"].shape) and is_large(node, PAYS)


def _is_certain_view(node: Node) -> bool:
    op: Any = node.target
    return op.view.strides in (views.of_slices, views.of_permutation)


def _ends(lives: Liveness, world: World, node: Node, operand: Node) -> bool:
    """Whether nothing needs the memory of an operand after a call, provided that the operand owns
    it.
    """
    here, storages = lives.place[node], lives.storages
    made = [root for root in (operand, *storages[operand]) if root.op == CALL]
    if any(lives.storage_end.get(root, 0) > here or root in world.memory or root in world.inner for root in made):
        return False
    if any(not storages[root].isdisjoint(storages[other]) for root in made for other in node.all_input_nodes if other is not operand):
        return False
    return not any(held in lives.held.get(node, ()) for held in made)
