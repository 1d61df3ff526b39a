"""Results in the memory order that a call asks for, or that NumPy chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.ir import ops
from npexport.tracer.arrays.core import coercion
from npexport.tracer.arrays.core.coercion import is_certain
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, operands_of
from npexport.tracer.arrays.memory.layout_guards import not_contiguous
from npexport.tracer.arrays.memory.layout_inference import any_order, asked, depends_of, in_order, with_layout


def laid_out(result: Any, order: Any, *operands: Any) -> Any:
    """``result`` in this memory order: "A" is that of ``operands``, "K" changes nothing."""
    order = (order or "K").upper()
    if type(result) is not ArrayProxy or result.link is not None or order == "K" or len(result.meta.shape) < 2:
        return result
    if order == "A":
        arrays = [value for value in operands if type(value) is ArrayProxy]
        layout = any_order(arrays, len(result.meta.shape))
        if _follows(result):
            return with_layout(recorder(), result, layout)
        _require_layouts(arrays)
        order = "C" if layout.order is None else "F"
    return coercion.arranged(result, order)


def _follows(result: ArrayProxy) -> bool:
    """Whether the call that made an array chooses the order "A" each time it runs."""
    node = result.storage.node
    return node is None or node.kwargs.get("order") == "A"


def _require_layouts(arrays: list[ArrayProxy]) -> None:
    """Makes the layouts of the inputs that decide those of the arrays conditions."""
    for placeholder in sorted(depends_of(arrays), key=lambda each: each.path):
        recorder().layouts.require(placeholder)


def asked_order(x: ArrayProxy, order: Any) -> dict[str, str]:
    """``order=`` of a copy of ``x``, unless a copy has it by itself."""
    wanted = (order or "K").upper()
    if wanted == "K" or len(x.meta.shape) < 2:
        return {}
    alike = wanted != "A" and x.link is None and is_certain(x.storage.layout, in_order(wanted, len(x.meta.shape)))
    return {} if alike else {"order": wanted}


def with_numpys_layout(result: Any, function: Callable[..., Any], *args: Any, follows: bool = False, **kwargs: Any) -> Any:
    """``result``, new arrays, with the layouts that NumPy gives them in this call of a function.

    ``follows``: what makes them chooses the layout by that of the operands, as the function does.
    For all other results the operands must have the layouts of the example.
    """
    operands: list[ArrayProxy] = []
    operands_of((*args, *kwargs.values()), operands)
    several = isinstance(result, tuple)
    results = result if several else (result,)
    metas = tuple([item.meta if type(item) is ArrayProxy else None for item in results])
    if any(meta is not None and len(meta.shape) > 1 for meta in metas):
        if not follows:
            _require_layouts([operand for operand in operands if len(operand.meta.shape) > 1])
        layouts = asked(function, operands, args, kwargs, metas if several else metas[0])
        for item, layout in zip(results, layouts if several else (layouts,), strict=True):
            if type(item) is ArrayProxy and item.link is None:
                with_layout(recorder(), item, layout)
    return result


def in_asked_order(result: Any, order: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``result``, new arrays that lie as their operands do, in the order that the call names."""
    order = order.upper()
    if order == "K":
        return with_numpys_layout(result, function, *args, follows=True, **kwargs)
    several = isinstance(result, tuple)
    results = result if several else (result,)
    orders = [order] * len(results)
    if order == "A" and any(type(item) is ArrayProxy and len(item.meta.shape) > 1 for item in results):
        operands: list[ArrayProxy] = []
        operands_of((*args, *kwargs.values()), operands)
        _require_layouts(operands)
        layouts = asked(
            function, operands, args, {**kwargs, "order": order}, tuple([item.meta for item in results]) if several else result.meta
        )
        orders = ["C" if layout.order is None else "F" for layout in (layouts if several else (layouts,))]
    made = tuple([laid_out(item, each) for item, each in zip(results, orders, strict=True)])
    return made if several else made[0]


def in_memory_order(x: ArrayProxy, order: Any) -> Any:
    """``x`` contiguous in this order: itself if it is, otherwise a copy.

    Orders other than "C" and "F" request nothing.
    """
    if order not in ("C", "F") or not x.ndim:
        return x
    answer = not_contiguous(x, order)
    if not answer.holds and not answer.open:
        return x
    result = recorder().call(ops.np.as_contiguous, x, order)
    recorder().layouts.note_twin(result, x)
    return result
