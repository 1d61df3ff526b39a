"""Where the rows of a dim are in products of arrays.

Every axis has a label, as in ``einsum``; rows stay apart along a label of the result.
"""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.rows import Fact, axes_of, broadcast, require_beside, require_stretched
from npexport.ir.rows import Coupled, RowCall, Rows, State

Labels = list[Any]


def labelled(call: RowCall, operands: list[tuple[Any, Labels]], result: Labels) -> State:
    """Where rows stand in a product of operands whose axes have these labels."""
    found: tuple[Any, Rows] | None = None
    for operand, labels in operands:
        rows = call.rows(operand)
        if rows is None:
            continue
        label = labels[rows.axis]
        if labels.count(label) > 1 or label not in result:
            raise Coupled(f"it sums over axis {rows.axis}, along which the rows stand")
        placed = label, rows._replace(axis=result.index(label))
        if found is not None and found != placed:
            raise Coupled("the rows of its operands stand along different axes")
        found = placed
    if found is None:
        return None
    for operand, labels in operands:
        if found[0] in labels:
            require_stretched(call, operand, labels.index(found[0]) - len(labels))
    call.rounded()
    return found[1]


def _stack(ndim: int) -> Labels:
    """Labels of axes in front, counted from the last: they broadcast."""
    return [("stack", axis) for axis in range(-ndim, 0)]


def matrices(first: str, second: str, result: str) -> Fact:
    """A product over the last axes, whose labels these are, of stacks of arrays."""

    def fact(call: RowCall) -> State:
        names = list(call.arguments)[:2]
        call.only(*names)
        a, b = call[names[0]], call[names[1]]
        more = max(call.ndim(a) - len(first), call.ndim(b) - len(second))
        left = _stack(call.ndim(a) - len(first)) + list(first)
        right = _stack(call.ndim(b) - len(second)) + list(second)
        return labelled(call, [(a, left), (b, right)], _stack(more) + list(result))

    return fact


def matmul(call: RowCall) -> State:
    """``x1 @ x2``: vectors have no stack."""
    one, two = (call.ndim(call[name]) == 1 for name in ("x1", "x2"))
    return matrices("k" if one else "ik", "k" if two else "kj", ("" if one else "i") + ("" if two else "j"))(call)


def _numbered(call: RowCall) -> tuple[Labels, Labels]:
    """Labels of the axes of ``a`` and ``b``, all different."""
    left: Labels = [("a", axis) for axis in range(call.ndim(call["a"]))]
    right: Labels = [("b", axis) for axis in range(call.ndim(call["b"]))]
    return left, right


def dot(call: RowCall) -> State:
    """``np.dot``: the last axis of ``a`` with the last but one of ``b``."""
    call.only("a", "b")
    m, n = call.ndim(call["a"]), call.ndim(call["b"])
    left, right = _numbered(call)
    result = left[:-1] + right[:-2] + right[-1:] if n > 1 else left[:-1]
    if m and n:
        left[-1] = right[-2 if n > 1 else -1] = "k"
    else:
        result = left + right
    return labelled(call, [(call["a"], left), (call["b"], right)], result)


def inner(call: RowCall) -> State:
    """``np.inner``: the last axes of both."""
    call.only("a", "b")
    left, right = _numbered(call)
    result = left[:-1] + right[:-1] if left and right else left + right
    if left and right:
        left[-1] = right[-1] = "k"
    return labelled(call, [(call["a"], left), (call["b"], right)], result)


def outer(call: RowCall) -> State:
    """``np.outer`` of vectors."""
    call.only("a", "b")
    if call.ndim(call["a"]) != 1 or call.ndim(call["b"]) != 1:
        raise Coupled("it lays out several axes as one")
    return labelled(call, [(call["a"], ["a"]), (call["b"], ["b"])], ["a", "b"])


def tensordot(call: RowCall) -> State:
    """``np.tensordot``."""
    call.only("a", "b")
    m, n = call.ndim(call["a"]), call.ndim(call["b"])
    axes = call["axes"]
    first, second = (range(m - axes, m), range(axes)) if isinstance(axes, int) else axes
    left, right = _numbered(call)
    over, under = axes_of(_listed(first), m), axes_of(_listed(second), n)
    result = [label for i, label in enumerate(left) if i not in over] + [label for i, label in enumerate(right) if i not in under]
    for number, (i, j) in enumerate(zip(over, under, strict=True)):
        left[i] = right[j] = ("k", number)
    return labelled(call, [(call["a"], left), (call["b"], right)], result)


def _listed(axes: Any) -> tuple[int, ...]:
    return tuple(axes) if isinstance(axes, (tuple, list, range)) else (axes,)


def einsum(call: RowCall) -> State:
    """``np.einsum`` with subscripts as text."""
    call.only("operands")
    subscripts, *operands = call["operands"]
    if type(subscripts) is not str:
        raise Coupled("its subscripts are no text")
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    labels = [_expanded(term, call.ndim(operand)) for term, operand in zip(terms, operands, strict=True)]
    depth = max((len(each) - len(term.replace("...", "")) for each, term in zip(labels, terms, strict=True)), default=0)
    if arrow:
        result = _expanded(output, depth + len(output.replace("...", "")))
    else:
        letters = sorted({letter for term in terms for letter in term.replace("...", "") if inputs.count(letter) == 1})
        result = _stack(depth) + letters
    return labelled(call, list(zip(operands, labels, strict=True)), result)


def _expanded(term: str, ndim: int) -> Labels:
    before, dots, after = term.partition("...")
    return [*before, *(_stack(ndim - len(before) - len(after)) if dots else ()), *after]


def attention(call: RowCall) -> State:
    """Scaled dot product attention: over stacks of queries, keys and values."""
    call.only("query", "key", "value", "attn_mask")
    ndim = call.ndim(call["query"])
    if call["enable_gqa"]:
        raise Coupled("heads share keys")
    sizes = {"query": ["l", "e"], "key": ["s", "e"], "value": ["s", "v"], "attn_mask": ["l", "s"]}
    operands = [
        (call[name], (_stack(call.ndim(call[name]) - 2) + last)[-call.ndim(call[name]) :])
        for name, last in sizes.items()
        if call[name] is not None
    ]
    found = labelled(call, operands, [*_stack(ndim - 2), "l", "v"])
    if found is not None and found.axis >= ndim - 2:
        raise Coupled("rows stand along the queries or the values")
    return found


def vecdot(call: RowCall) -> State:
    """Sums of products along an axis; the other axes are a stack."""
    call.only("x1", "x2")
    operands = []
    for operand in (call["x1"], call["x2"]):
        labels = _stack(call.ndim(operand) - 1)
        (axis,) = axes_of(call["axis"], call.ndim(operand))
        operands.append((operand, [*labels[:axis], "summed", *labels[axis:]]))
    return labelled(call, operands, _stack(len(call.meta.shape)))


def solve(call: RowCall) -> State:
    """Linear equations: all of a matrix counts for each column of the right-hand side."""
    if call.ndim(call["b"]) > 1:
        return matrices("ij", "kl", "ml")(call)
    call.only("a")
    stack = _stack(call.ndim(call["a"]) - 2)
    return labelled(call, [(call["a"], [*stack, "i", "j"])], [*stack, "m"])


def cross(call: RowCall) -> State:
    """Products of vectors along the last axes; in the plane they are numbers."""
    call.only("a", "b")
    axes = [call[name] for name in ("axisa", "axisb", "axisc")] if call["axis"] is None else [call["axis"]]
    if any(axis != -1 for axis in axes):
        raise Coupled("its vectors do not stand along the last axis")
    ndim = max(call.ndim(call["a"]), call.ndim(call["b"]))
    rows = broadcast(call, [call["a"], call["b"]], ndim)
    if rows is not None:
        require_beside(rows, (ndim - 1,))
    return rows
