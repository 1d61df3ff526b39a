"""Programs over Dask arrays (extra ``dask``): each block is one call, on Dask's own scheduler.

Blocks are cut along dims of `ExportedProgram.independent_dims` and nothing else, so that the blocks
of the results are the results of the blocks.
"""

from __future__ import annotations

import itertools
import threading
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from npexport.ir.argument_specs import ConstantArgument
from npexport.ir.independence import named_dims
from npexport.ir.meta import TensorMeta
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import flatten_like
from npexport.ir.rows import symbols_of, times
from npexport.ir.signature import MUTATIONS
from npexport.runtime.entry.chunks import Cut
from npexport.symshapes.errors import InputMismatch, UserError, briefly
from npexport.symshapes.parameters import instance, takes
from npexport.symshapes.rewrite import evaluate
from npexport.symshapes.wrapping import as_expr

__all__ = ["apply"]

Chunks = dict[str, tuple[int, ...]]
_modules: WeakKeyDictionary[ExportedProgram, tuple[Cut, Any]] = WeakKeyDictionary()
_lock = threading.Lock()


@briefly
@takes(ep=instance(ExportedProgram))
def apply(ep: ExportedProgram, /, *args: Any, **kwargs: Any) -> Any:
    """Run a program over Dask arrays, block by block, when the result is computed.

    Parameters
    ----------
    ep : ExportedProgram
        The program.
    *args, **kwargs
        As the exported function takes them; any array may be a Dask array. Where several arrays
        have rows of one dim, the blocks of the first are those of all.

    Returns
    -------
    object
        What the program returns, with a Dask array for every array.

    Raises
    ------
    UserError
        An array has several blocks along an axis whose rows are coupled, or that has no name: the
        message says which operator couples them, and its line (E260). Or the size of a block is not
        known (E201).
    InputMismatch
        The inputs do not fit the program.

    Examples
    --------
    >>> import dask.array as da  # doctest: +SKIP
    >>> import numpy as np, npexport, npexport.dask
    >>> rows = {0: npexport.Dim("rows")}
    >>> program = npexport.export(lambda x: x * 2, (np.ones(4),), dynamic_shapes=(rows,))
    >>> x = da.arange(10.0, chunks=4)  # doctest: +SKIP
    >>> npexport.dask.apply(program, x).sum().compute()  # doctest: +SKIP
    90.0
    """
    if any(spec.kind in MUTATIONS for spec in ep.graph_signature.output_specs):
        raise UserError(
            "E260", "the program writes to its state or inputs, which blocks do not share", hint="Return what it writes instead."
        )
    whole = Cut(ep, (), "a chunking")
    leaves = whole.bound(args, kwargs)
    if leaves is None:
        ep.module().check_inputs(*args, **kwargs)
        raise InputMismatch("E401", "the inputs do not have the structure of the program's")
    cut = Cut(ep, _chunked_dims(ep, whole, leaves), "a chunking")
    return _Call(ep, cut, leaves).result()


def _is_dask(value: Any) -> bool:
    import dask.array

    return isinstance(value, dask.array.Array)


def _chunked_dims(ep: ExportedProgram, cut: Cut, leaves: list[Any]) -> list[str]:
    """The dims along which arrays have several blocks."""
    names = {symbol: dim for dim, symbol in named_dims(ep).items()}
    found: dict[str, None] = {}
    for leaf, value in zip(cut.leaves, leaves, strict=True):
        if not _is_dask(value):
            continue
        if np.isnan(value.shape).any():
            hint = "Call its compute_chunk_sizes() first."
            raise UserError("E201", f"{leaf.path}: the sizes of its blocks are not known", hint=hint)
        meta = leaf.node.meta["val"]
        for axis, blocks in enumerate(value.numblocks):
            symbols = symbols_of(meta.shape[axis]) if axis < len(getattr(meta, "shape", ())) else frozenset()
            dims = [names[symbol] for symbol in symbols if symbol in names]
            if blocks > 1 and not dims:
                hint = f"Put it into one block: rechunk({{{axis}: -1}}), or export the program with a named Dim there."
                raise UserError("E260", f"{leaf.path} has {blocks} blocks along axis {axis}, whose size has no name", hint=hint)
            found.update(dict.fromkeys(dims if blocks > 1 else ()))
    return list(found)


class _Call:
    """One call over blocks."""

    def __init__(self, ep: ExportedProgram, cut: Cut, leaves: list[Any]) -> None:
        import dask

        self.cut = cut
        self.metas = [leaf.node.meta["val"] for leaf in cut.leaves]
        self.names = named_dims(ep)
        self.chunks = self._chunks(leaves)
        self.leaves = [self._in_blocks(i, leaf) for i, leaf in enumerate(leaves)]
        self.results = ep.graph.output_node.args[0]
        self.specs = ep.graph_signature.output_specs
        self.program = dask.delayed(ep, traverse=False)
        self.numbers = self._numbers()
        self._check(ep)

    def _chunks(self, leaves: list[Any]) -> Chunks:
        """How many rows each block has along each dim: as many as in the first array that has
        several blocks there.
        """
        self.cut.counts(leaves)
        found: Chunks = {}
        for dim, split in self.cut.splits.items():
            for i, (axis, each) in split.inputs.items():
                sizes = leaves[i].chunks[axis] if _is_dask(leaves[i]) and leaves[i].numblocks[axis] > 1 else ()
                if sizes and dim not in found:
                    if any(size % each for size in sizes):
                        raise UserError("E201", f"{self.cut.leaves[i].path}: blocks of {dim!r} hold parts of rows, each of {each} elements")
                    found[dim] = tuple(size // each for size in sizes)
        return found

    def _in_blocks(self, i: int, leaf: Any) -> Any:
        """An array in the blocks of the call; what has no rows as it is."""
        import dask.array

        wanted = {
            split.inputs[i][0]: tuple(size * split.inputs[i][1] for size in self.chunks[dim])
            for dim, split in self.cut.splits.items()
            if i in split.inputs
        }
        if _is_dask(leaf):
            return leaf.rechunk({axis: wanted.get(axis, -1) for axis in range(leaf.ndim)})
        if wanted:
            return dask.array.from_array(leaf, chunks=tuple(wanted.get(axis, -1) for axis in range(leaf.ndim)))
        return leaf

    def _numbers(self) -> dict[str, int]:
        """The sizes of the inputs by their symbols, those of cut dims aside."""
        found: dict[str, int] = {}
        for meta, leaf in zip(self.metas, self.leaves, strict=True):
            for size, number in zip(getattr(meta, "shape", ()), getattr(leaf, "shape", ()), strict=False):
                for name in symbols_of(size):
                    each = times(size, name)
                    if each is not None and each.is_const and each.const:
                        found[name] = number // each.const
        return found

    def _check(self, ep: ExportedProgram) -> None:
        """Check the inputs of the first block, by arrays of its shapes that hold no data."""
        standing = [self._stand_in(leaf) for leaf in self.leaves]
        args, kwargs = self.cut.call(standing)
        ep.module().check_inputs(*args, **kwargs)

    def _stand_in(self, leaf: Any) -> Any:
        if _is_dask(leaf):
            return np.empty(tuple(sizes[0] for sizes in leaf.chunks), leaf.dtype)
        return leaf

    def result(self) -> Any:
        import dask

        blocks: dict[tuple[int, ...], Any] = {}
        sent = [dask.delayed(leaf, traverse=False) if isinstance(leaf, np.ndarray) else leaf for leaf in self.leaves]
        for place in itertools.product(*(range(len(sizes)) for sizes in self.chunks.values())):
            numbers = dict(zip(self.chunks, place, strict=True))
            parts = [self._block(i, leaf, numbers) for i, leaf in enumerate(sent)]
            blocks[place] = dask.delayed(_run, nout=self.cut.out_spec.num_leaves)(self.program, parts)
        first = len(self.results) - self.cut.out_spec.num_leaves
        pairs = list(zip(self.results, self.specs, strict=True))[first:]
        return self.cut.out_spec.unflatten([self._output(i, value, spec, blocks) for i, (value, spec) in enumerate(pairs)])

    def _block(self, i: int, leaf: Any, numbers: dict[str, int]) -> Any:
        if not _is_dask(leaf):
            return leaf
        index = [0] * leaf.ndim
        for dim, split in self.cut.splits.items():
            if i in split.inputs:
                index[split.inputs[i][0]] = numbers[dim]
        return leaf.to_delayed()[tuple(index)]

    def _output(self, i: int, value: Any, spec: Any, blocks: dict[tuple[int, ...], Any]) -> Any:
        if isinstance(spec.arg, ConstantArgument):
            return spec.arg.value
        meta = value.meta["val"]
        if not isinstance(meta, TensorMeta):
            return blocks[(0,) * len(self.chunks)][i]
        return self._joined(i, meta, blocks, ())

    def _joined(self, i: int, meta: TensorMeta, blocks: dict[tuple[int, ...], Any], place: tuple[int, ...]) -> Any:
        """The array of output ``i`` at the blocks that begin with ``place``."""
        import dask.array

        if len(place) == len(self.chunks):
            sizes = {self.names[dim]: rows[at] for (dim, rows), at in zip(self.chunks.items(), place, strict=True)}
            shape = tuple(_number(size, self.numbers | sizes) for size in meta.shape)
            return dask.array.from_delayed(blocks[place][i], shape, meta.dtype)
        dim = list(self.chunks)[len(place)]
        axis = self.cut.splits[dim].outputs.get(i)
        if axis is None:
            return self._joined(i, meta, blocks, (*place, 0))
        parts = [self._joined(i, meta, blocks, (*place, at)) for at in range(len(self.chunks[dim]))]
        return dask.array.concatenate(parts, axis=axis)


def _number(size: Any, numbers: dict[str, int]) -> float:
    """A size; NaN, as Dask has it, where only the data know it."""
    expression = as_expr(size)
    found = None if expression is None or not expression.symbols <= numbers.keys() else evaluate(expression, numbers)
    return float("nan") if found is None else found


def _run(program: ExportedProgram, leaves: list[Any]) -> tuple[Any, ...]:
    """The leaves of the result of one block, where the block is: one module for each process."""
    with _lock:
        known = _modules.get(program)
        if known is None:
            known = _modules[program] = Cut(program, (), "a chunking"), program.module()
    cut, run = known
    args, kwargs = cut.call([_fitted(leaf, value) for leaf, value in zip(cut.leaves, leaves, strict=True)])
    results, _ = flatten_like(cut.out_spec, run(*args, **kwargs))
    return tuple(results)


def _is_contiguous(value: Any, order: str) -> bool:
    return bool(value.flags.f_contiguous if order == "F" else value.flags.c_contiguous)


def _fitted(leaf: Any, value: Any) -> Any:
    """A block with the layout and the flags that the program demands; it may be a copy, since
    nobody else sees the memory of blocks.
    """
    if not isinstance(value, np.ndarray):
        return value
    order: Any = leaf.spec.layout if leaf.spec.layout in ("C", "F") else "K"
    copies = (leaf.spec.owns and value.base is not None) or (leaf.spec.writeable and not value.flags.writeable)
    return np.array(value, order=order) if copies or (order != "K" and not _is_contiguous(value, order)) else value
