"""Results in the memory order that a call asks for, or that NumPy chooses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from npexport.ir import ops
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, fresh, operands_of
from npexport.tracer.arrays.memory.layout_guards import not_contiguous
from npexport.tracer.arrays.memory.layout_inference import any_order, asked, in_order, with_layout
from npexport.tracer.arrays.memory.model import Layout, Storage


def laid_out(result: Any, order: Any, *operands: Any) -> Any:
    """``result`` in this memory order: "A" is that of ``operands``, "K" changes nothing."""
    order = (order or "K").upper()
    if type(result) is not ArrayProxy or result.link is not None or order == "K" or len(result.meta.shape) < 2:
        return result
    if order == "A":
        return with_layout(
            recorder(), result, any_order([value for value in operands if type(value) is ArrayProxy], len(result.meta.shape))
        )
    layout, storage = in_order(order, len(result.meta.shape)), result.storage
    if storage.array is None and not is_certain(storage.layout, layout):
        storage = Storage(storage.meta, recorder().node(ops.np.as_contiguous, (result.node(), order)), None, layout)
        return fresh(storage)
    return with_layout(recorder(), result, layout)


def is_certain(layout: Layout, wanted: Layout) -> bool:
    """Whether an array has an order for all layouts of the inputs."""
    return layout.known and not layout.depends and layout.order == wanted.order


def asked_order(x: ArrayProxy, order: Any) -> dict[str, str]:
    """``order=`` of a copy of ``x``, unless a copy has it by itself."""
    wanted = (order or "K").upper()
    if wanted == "K" or len(x.meta.shape) < 2:
        return {}
    alike = wanted != "A" and x.link is None and is_certain(x.storage.layout, in_order(wanted, len(x.meta.shape)))
    return {} if alike else {"order": wanted}


def with_numpys_layout(result: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``result``, new arrays, with the layouts that NumPy gives them in this call of a function."""
    operands: list[ArrayProxy] = []
    operands_of((*args, *kwargs.values()), operands)
    several = isinstance(result, tuple)
    results = result if several else (result,)
    metas = tuple([item.meta if type(item) is ArrayProxy else None for item in results])
    if any(meta is not None and len(meta.shape) > 1 for meta in metas):
        layouts = asked(function, operands, args, kwargs, metas if several else metas[0])
        for item, layout in zip(results, layouts if several else (layouts,), strict=True):
            if type(item) is ArrayProxy and item.link is None:
                with_layout(recorder(), item, layout)
    return result


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
