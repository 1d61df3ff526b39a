"""Runs the call of a module: with the module that is at its path, which may be another than the
original.

What another module returns replaces the results. State of the original that modules at other
places find, too, stays as it was. Anything else of the original that is used elsewhere, such as the
buffers that it alone writes to, still comes from the original. Sizes and Python values that the
program relies on must be returned unchanged.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npexport.ir.call_signatures import ModuleCallSignature
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta
from npexport.ir.module_calls import Call
from npexport.ir.pytree import flatten_like, same_key
from npexport.runtime.modules.module_tree import InterpreterModule, placed_at, run
from npexport.runtime.nn.module import Module
from npexport.symshapes.errors import UserError
from npexport.symshapes.plain import with_article
from npexport.symshapes.rewrite import evaluate


class Site:
    """Runs a call of a module with the module that is at its path."""

    def __init__(self, call: Call, module: InterpreterModule, signature: ModuleCallSignature | None, why_not: str) -> None:
        self.call, self.module, self.signature, self.why_not = call, module, signature, why_not
        self.stands: Any = module  # what stands at the path, as long as nothing else is put there
        self.kept: dict[Node, Node] = {}  # outputs that are state, and the inputs that hold it before the call
        self.anchor: tuple[Module, str] = module, ""  # the called module around it, or the whole; and the path from there

    def __call__(self, *values: Any) -> tuple[Any, ...]:
        found = placed_at(*self.anchor)
        if found is self.stands:
            return run(vars(self.module)["_graph"], list(values))
        return self._swapped(found, values)

    def _swapped(self, found: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        call, end, signature = self.call, self.call.end, self.signature
        if end is None or signature is None:
            hint = f'Export with preserve_module_call_signature=("{call.path}",), so that what stands there can be called.'
            raise UserError("E241", f"another module was put at `{call.path}`, whose signature was not preserved", hint=hint)
        if self.why_not:
            raise UserError(
                "E241", f"another module was put at `{call.path}`, which cannot be: {self.why_not}", hint="Put the original back."
            )
        known = dict(zip(call.inputs, values, strict=True))
        leaves = [known[value] if type(value) is Node else value for value in end.args[1]]
        args, kwargs = signature.in_spec.unflatten(leaves)
        results, misfits = flatten_like(signature.out_spec, found(*args, **kwargs), "result")
        if misfits:
            texts = "; ".join(f"{misfit.path} is {misfit.actual}, not {misfit.expected}" for misfit in misfits)
            text = f"what stands at `{call.path}` returns another structure than the original: {texts}"
            raise UserError("E241", text, hint="Return what the original returns.")
        return self._outputs(known, results, signature.out_spec.paths("result"))

    def _outputs(self, known: dict[Node, Any], results: list[Any], paths: list[str]) -> tuple[Any, ...]:
        """The results, and from the original graph whatever else of it is used; ``known``: the
        inputs.
        """
        path, leaves = self.call.path, self.call.end.args[2]  # type: ignore[union-attr]
        own = set(arrays_of(self.call.end))
        known |= {value: _own(known[held], value, path) for value, held in self.kept.items() if value not in known}
        if any(type(value) is Node and value not in own and value not in known for value in (*self.call.outputs, *leaves)):
            outputs = run(vars(self.module)["_graph"], [known[value] for value in self.call.inputs])
            known = dict(zip(self.call.outputs, outputs, strict=True)) | known
        found: dict[Node, Any] = {}
        for value, result, place in zip(leaves, results, paths, strict=True):
            if type(value) is Node and value in own:
                found[value] = _own(result, value, path)
                continue
            expected = known[value] if type(value) is Node else value
            if not same_key(expected, result):
                text = f"what stands at `{path}` returns other sizes or Python values than the original"
                hint = "Return what the original returns: the program relies on it."
                raise UserError("E241", f"{text}: {place} is {result!r}, not {expected!r}", hint=hint)
        self._require_alike(found, known)
        return tuple([found[value] if value in found else known[value] for value in self.call.outputs])

    def _require_alike(self, found: dict[Node, Any], known: dict[Node, Any]) -> None:
        """Raises ``UserError`` (E241) for arrays of other shapes or dtypes than the original's: the
        program has settled what it does with these.
        """
        sizes, path, originals = _sizes_of(known), self.call.path, None
        for value, array in found.items():
            meta = value.meta["val"]
            expected = [_size(size, sizes) for size in meta.shape]
            if None in expected and value in self.call.outputs:
                originals = originals or run(vars(self.module)["_graph"], [known[each] for each in self.call.inputs])
                expected = [*np.shape(originals[list(self.call.outputs).index(value)])]
            if array.dtype != meta.dtype or [*array.shape] != expected:
                text = f"what stands at `{path}` returns {array.dtype}{[*array.shape]} where the original returned {meta.dtype}{expected}"
                raise UserError("E241", text, hint="Return arrays of the original's shapes and dtypes: the program relies on them.")


def _sizes_of(known: dict[Node, Any]) -> dict[str, int]:
    """The dynamic sizes that inputs show by themselves, by symbol."""
    found: dict[str, int] = {}
    for node, value in known.items():
        meta = node.meta["val"]
        shown = zip(meta.shape, np.shape(value), strict=True) if isinstance(meta, TensorMeta) else [(meta, value)]
        found |= {str(size.expression): number for size, number in shown if hasattr(size, "expression")}
    return found


def _size(size: Any, sizes: dict[str, int]) -> int | None:
    """A size as a number, if these sizes tell it."""
    if not hasattr(size, "expression"):
        return int(size)
    expression = size.expression
    return int(evaluate(expression, sizes)) if expression.symbols <= sizes.keys() else None


def _own(result: Any, value: Node, path: str) -> Any:
    """A copy of a result, which the program may write to. Raises ``UserError`` (E241) for anything
    but an array or a scalar.
    """
    if not isinstance(result, (np.ndarray, np.generic, int, float, bool, complex)):
        text = f"what stands at `{path}` returns {with_article(type(result).__name__)} where the original returned {value.meta['val']}"
        raise UserError("E241", text, hint="Return an array.")
    return np.array(result, order="K") if not value.meta["val"].scalar else np.asarray(result)[()]


def arrays_of(end: Any) -> list[Node]:
    """The values that a call returns, if they are arrays or scalars of NumPy."""
    return [value for value in end.args[2] if type(value) is Node and isinstance(value.meta["val"], TensorMeta)]
