"""Fitted decision trees of scikit-learn: what C does for each row, NumPy does for all rows."""

from __future__ import annotations

from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.effects.fence import Fence, target_of
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills import trees
from npexport.tracer.models.registry import models, receiver

_DECIDING = frozenset({"left_child", "right_child", "feature", "threshold", "missing_go_to_left"})
_OTHERS = frozenset({"impurity", "n_node_samples", "weighted_n_node_samples"})
"""The fields of a node that decide where a row goes, and those that do not."""


@models("sklearn.tree._tree", "Tree.apply", "Tree.predict")
def walk(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    tree, given = receiver(fn, args)
    rows = next(iter((*given, *kwargs.values())), None)
    if type(tree) is not Fence or type(rows) is not ArrayProxy:
        raise Unsupported("E101", f"`{fn.__qualname__}` is captured for dense arrays alone")
    fields = frozenset(target_of(tree).__getstate__()["nodes"].dtype.names)
    if not _DECIDING <= fields <= _DECIDING | _OTHERS:
        raise Unsupported("E101", f"trees of this version of scikit-learn have other nodes: {', '.join(sorted(fields))}")
    return Invoke(getattr(trees, fn.__name__), (tree, rows), {})
