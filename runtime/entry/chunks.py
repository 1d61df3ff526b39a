"""Programs that are called with parts of the rows of their inputs, one after the other, and put
the results together: ``program.module(chunks={"batch": 4096})``.

It stands on the proof of `npexport.runtime.entry.independence`. A part is what the inputs hold
between two rows; inputs without rows go to every part as they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from npexport.ir.independence import Coupling, effect, named_dims
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import TreeSpec, flatten_like
from npexport.runtime.calling import Leaf, Slot, python_signature, slots_of
from npexport.runtime.entry.checks import describe, same_value
from npexport.runtime.entry.independence import Split, split
from npexport.symshapes.errors import InputMismatch, UserError, briefly
from npexport.symshapes.expr import symbol

Ranges = dict[str, tuple[int, int]]
"""For each dim that is cut, the first row of a part and the first one after it."""


def coupled(found: Coupling, what: str, hint: str = "") -> UserError:
    """The refusal (E260) to cut along a dim whose rows are coupled."""
    hint = hint or f"Leave {found.dim!r} in one piece, or rewrite that line so that each row is computed from itself."
    error = UserError("E260", f"{what} along {found.dim!r} is not proved to be sound: {found.what}: {found.reason}", hint=hint)
    error.location = found.location
    return error


class Cut:
    """How calls of a program are cut along some of its dims.

    Raises ``UserError`` for a dim along which rows are coupled or where the program writes to state
    or inputs (E260), and for one that there is none of (E201).
    """

    def __init__(self, program: ExportedProgram, dims: Iterable[str], what: str) -> None:
        self.splits: dict[str, Split] = {}
        for dim in dims:
            found = split(program, dim)
            if isinstance(found, Coupling):
                raise coupled(found, what)
            if (written := effect(program, dim)) is not None:
                raise coupled(written, what, f"Call it in one piece along {dim!r}, or return what it writes instead.")
            self.splits[dim] = found
        self.slots = slots_of(program.call_spec, program.graph, program.graph_signature)
        self.signature = python_signature(self.slots)
        self.leaves: list[Leaf] = [leaf for slot in self.slots for leaf in slot.leaves]
        self.out_spec: TreeSpec = program.call_spec.out_spec

    def bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any] | None:
        """The leaves of a call; ``None`` if it does not fit the program."""
        try:
            given = self.signature.bind(*args, **kwargs)
        except TypeError:
            return None
        found: list[Any] = []
        for slot in self.slots:
            if slot.spec is None:
                default = slot.parameter.default
                if not same_value(default, given.arguments.get(slot.name, default)):
                    return None
            else:
                empty: Any = {} if slot.spec.type is dict else ()
                leaves, misfits = flatten_like(slot.spec, _arranged(slot, given.arguments.get(slot.name, empty)), slot.name)
                if misfits:
                    return None
                found += leaves
        return found

    def call(self, leaves: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call with these leaves."""
        remaining = iter(leaves)
        given = self.signature.bind_partial()
        for slot in self.slots:
            if slot.spec is not None:
                given.arguments[slot.name] = slot.spec.unflatten([next(remaining) for _ in slot.leaves])
        return given.args, given.kwargs

    def counts(self, leaves: list[Any]) -> dict[str, int]:
        """How many rows the inputs hold along each dim.

        Raises ``InputMismatch`` (E401) for inputs without them, or that differ.
        """
        return {dim: self._count(dim, found, leaves) for dim, found in self.splits.items()}

    def _count(self, dim: str, found: Split, leaves: list[Any]) -> int:
        problems, counts = [], {}
        for i, (axis, each) in found.inputs.items():
            shape = getattr(leaves[i], "shape", ())
            if len(shape) <= axis or shape[axis] % each:
                problems.append(f"{self.leaves[i].path}: expected rows of {dim!r} along axis {axis}, got {describe(leaves[i])}")
            else:
                counts[self.leaves[i].path] = shape[axis] // each
        if not problems and len(set(counts.values())) > 1:
            problems.append(f"the inputs have different numbers of rows of {dim!r}: {counts}")
        if problems:
            raise InputMismatch("E401", "the inputs do not fit the program:" + "".join(f"\n  - {problem}" for problem in problems))
        return next(iter(counts.values()), 0)

    def part(self, leaves: list[Any], ranges: Ranges) -> list[Any]:
        """The leaves for one part of a call. An array that was passed twice gives one array,
        too.
        """
        parts: dict[tuple[int, str], Any] = {}
        result = list(leaves)
        for i, leaf in enumerate(leaves):
            index = self._index(ranges, i)
            if index:
                key = id(leaf), repr(index)
                if key not in parts:
                    parts[key] = _laid_out(leaf, leaf[index], self.leaves[i])
                result[i] = parts[key]
        return result

    def _index(self, ranges: Ranges, i: int) -> tuple[slice, ...]:
        cuts = [(*self.splits[dim].inputs[i], *ends) for dim, ends in ranges.items() if i in self.splits[dim].inputs]
        index = [slice(None)] * (max((axis for axis, *_ in cuts), default=-1) + 1)
        for axis, each, begin, end in cuts:
            index[axis] = slice(begin * each, end * each)
        return tuple(index)

    def place(self, ranges: Ranges, counts: dict[str, int], i: int, shape: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[slice, ...]]:
        """The shape of output ``i`` of the whole call, of which a part has ``shape``, and where the
        part stands in it.
        """
        whole, index = list(shape), [slice(None)] * len(shape)
        for dim, (begin, end) in ranges.items():
            axis = self.splits[dim].outputs.get(i)
            if axis is not None:
                each = shape[axis] // (end - begin)
                whole[axis], index[axis] = each * counts[dim], slice(begin * each, end * each)
        return tuple(whole), tuple(index)

    def is_first(self, ranges: Ranges, i: int) -> bool:
        """Whether a part gives output ``i``: the first along the dims that the output lacks."""
        return all(begin == 0 for dim, (begin, _) in ranges.items() if i not in self.splits[dim].outputs)


def _arranged(slot: Slot, value: Any) -> Any:
    """Keywords in the order of the example."""
    if slot.parameter.kind is slot.parameter.VAR_KEYWORD and slot.spec is not None and value.keys() == set(slot.spec.context):
        return {name: value[name] for name in slot.spec.context}
    return value


def _laid_out(whole: Any, part: Any, leaf: Leaf) -> Any:
    """The part, laid out as the program demands it of the whole, where the whole is so."""
    order = leaf.spec.layout
    if order in ("C", "F") and whole.flags[f"{order}_CONTIGUOUS"]:
        part = np.asfortranarray(part) if order == "F" else np.ascontiguousarray(part)
    return part.copy("K") if leaf.spec.owns and whole.base is None and part.base is not None else part


def pieces(count: int, size: int, least: int = 0) -> list[tuple[int, int]]:
    """The parts of ``count`` rows, of ``size`` rows each but the last; where that would be smaller
    than ``least``, the last two are about equal, or all are.

    >>> pieces(10, 4), pieces(9, 4, least=2), pieces(9, 4, least=3), pieces(0, 4)
    ([(0, 4), (4, 8), (8, 10)], [(0, 4), (4, 7), (7, 9)], [(0, 3), (3, 6), (6, 9)], [(0, 0)])
    """
    ends = [*range(size, count, size), count]
    if len(ends) > 1 and ends[-1] - ends[-2] < least:
        ends[-2] = (ends[-1] + (ends[-3] if len(ends) > 2 else 0) + 1) // 2
        if ends[-1] - ends[-2] < least:
            ends = [count * (place + 1) // len(ends) for place in range(len(ends))]
    return list(itertools.pairwise([0, *ends]))


class ChunkedModule:
    """A running program that is called in parts; made by ``program.module(chunks=…)``.

    Its results are those of the whole call. It reads of its inputs one part at a time, so that they
    may be ``np.memmap``, and writes the parts of its results to ``out=`` if that is given. In all
    else it is the module whose calls it makes.

    >>> import numpy as np, npexport
    >>> program = npexport.export(np.sin, (np.zeros(4),), dynamic_shapes=({0: npexport.Dim("n", max=1000)},))
    >>> run = program.module(chunks={"n": 1000})
    >>> x, out = np.arange(10_000.0), np.empty(10_000)
    >>> run(x, out=out) is out, np.array_equal(out, np.sin(x))
    (True, True)
    """

    def __init__(self, program: ExportedProgram, chunks: Mapping[str, int], run: Any) -> None:
        least = {dim: _least(program, dim) for dim in chunks if dim in named_dims(program)}
        for dim, size in chunks.items():
            if type(size) is not int or size < max(least.get(dim, 1), 1):
                hint = f"Give the number of rows of a chunk, {max(least.get(dim, 1), 1)} or more: {{{dim!r}: 4096}}."
                raise UserError("E201", f"chunks of {dim!r} have {size!r} rows", hint=hint)
        self._cut = Cut(program, chunks, "a cut into chunks")
        self._sizes = dict(chunks)
        self._run = run
        self._least = least
        self._takes_out = any(slot.name == "out" and slot.spec is not None for slot in self._cut.slots)
        self.__signature__ = self._cut.signature

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_run" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._run, name)

    @briefly
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program part by part.

        Parameters
        ----------
        *args, **kwargs
            As the exported function takes them.
        out : optional
            Arrays that take the results, in the structure of the results; ``None`` where one is to
            be made. A program with a parameter ``out`` keeps it for itself.

        Returns
        -------
        object
            What the program returns, with the arrays of ``out``.

        Raises
        ------
        InputMismatch
            The inputs do not fit the program, or have different numbers of rows.
        UserError
            The arrays of ``out`` do not fit (E201).
        """
        out = None if self._takes_out else kwargs.pop("out", None)
        leaves = self._cut.bound(args, kwargs)
        if leaves is None:
            return self._run(*args, **kwargs)  # which says what does not fit
        counts = self._cut.counts(leaves)
        results = _Results(self._cut, counts, out, leaves)
        for ranges, (part_args, part_kwargs) in self._calls(leaves, counts):
            results.take(self._run(*part_args, **part_kwargs), ranges)
        return results.value()

    @briefly
    def check_inputs(self, *args: Any, **kwargs: Any) -> None:
        """Raise ``InputMismatch`` where a call with these inputs would, and compute nothing."""
        leaves = self._cut.bound(args, kwargs)
        if leaves is None:
            self._run.check_inputs(*args, **kwargs)
            return
        for _, (part_args, part_kwargs) in self._calls(leaves, self._cut.counts(leaves)):
            self._run.check_inputs(*part_args, **part_kwargs)

    def _calls(self, leaves: list[Any], counts: dict[str, int]) -> Iterator[tuple[Ranges, tuple[tuple[Any, ...], dict[str, Any]]]]:
        each = [pieces(counts[dim], size, self._least[dim]) for dim, size in self._sizes.items()]
        for part in itertools.product(*each):
            ranges = dict(zip(self._sizes, part, strict=True))
            yield ranges, self._cut.call(self._cut.part(leaves, ranges))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__signature__} by {self._sizes}>"


def chunked(program: ExportedProgram, chunks: Mapping[str, int], run: Any) -> ChunkedModule:
    """The module ``run``, which is called in parts."""
    return ChunkedModule(program, chunks, run)


def _least(program: ExportedProgram, dim: str) -> int:
    found = program.ranges.get(symbol(named_dims(program)[dim]))
    return found.lower if found is not None and isinstance(found.lower, int) else 0


class _Results:
    """Collects the results of the parts in new arrays, or in those of ``out``."""

    def __init__(self, cut: Cut, counts: dict[str, int], out: Any, inputs: list[Any]) -> None:
        self.cut = cut
        self.counts = counts
        self.leaves: list[Any] = [None] * cut.out_spec.num_leaves
        self.given = list(self.leaves)
        self.inputs = [leaf for leaf in inputs if isinstance(leaf, np.ndarray)]
        if out is not None:
            self.given, misfits = flatten_like(cut.out_spec, out, "out")
            if misfits:
                text = "; ".join(f"{misfit.path}: expected {misfit.wanted}, got {misfit.actual}" for misfit in misfits)
                raise UserError("E201", f"out has not the structure of the results: {text}")

    def take(self, result: Any, ranges: Ranges) -> None:
        """Copy the result of a part to its place."""
        parts, _ = flatten_like(self.cut.out_spec, result)
        for i, part in enumerate(parts):
            if not self.cut.is_first(ranges, i):
                continue
            if isinstance(part, np.ndarray):
                self._write(i, part, ranges)
            elif self.given[i] is not None:
                raise UserError("E201", f"out has an array for {self.cut.out_spec.paths('result')[i]}, which is {describe(part)}")
            else:
                self.leaves[i] = part

    def _write(self, i: int, part: np.ndarray[Any, Any], ranges: Ranges) -> None:
        shape, index = (part.shape, ()) if _is_empty(ranges) else self.cut.place(ranges, self.counts, i, part.shape)
        if self.leaves[i] is None:
            self.leaves[i] = self._array(i, shape, part)
        self.leaves[i][index] = part

    def _array(self, i: int, shape: tuple[int, ...], part: np.ndarray[Any, Any]) -> Any:
        given = self.given[i]
        if given is None:
            return np.empty(shape, part.dtype)
        if not isinstance(given, np.ndarray) or given.shape != shape or given.dtype != part.dtype:
            path = self.cut.out_spec.paths("out")[i]
            raise UserError("E201", f"{path}: expected an array of {part.dtype}{list(shape)}, got {describe(given)}")
        if any(np.may_share_memory(given, array) for array in [*self.inputs, *[leaf for leaf in self.leaves if leaf is not None]]):
            hint = "Give arrays of their own for the results."
            raise UserError("E201", f"{self.cut.out_spec.paths('out')[i]} shares memory with an input or another result", hint=hint)
        return given

    def value(self) -> Any:
        """The result of the whole call."""
        return self.cut.out_spec.unflatten(self.leaves)


def _is_empty(ranges: Ranges) -> bool:
    return any(begin == end for begin, end in ranges.values())
