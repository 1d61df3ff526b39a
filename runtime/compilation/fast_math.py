"""What ``fast_math`` allows: other formulas, equal within rounding.

Convolutions take over the batch normalisation, the sum and the ``relu`` that follow them, and
compute by Winograd's filtering where that costs less: within ``1e-4`` of the largest result in
single precision, in double precision within ``1e-12``. Products of a stack of matrices by one
matrix are one product, and products may add in another order. Powers by small integers are
products: within one unit in the last place for each. Infinities and NaN may come and go where
intermediate results overflow.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.ir.editing import copied
from npexport.ir.graph import CALL, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.ops.nn_base import per_axis
from npexport.ir.ops.nn_conv import padding_pairs
from npexport.ir.program import ExportedProgram
from npexport.ir.raising import NOTHING
from npexport.runtime.compilation.prepared import FAST, steady
from npexport.runtime.kernels import fast_conv, products
from npexport.runtime.memory.layouts import size_key

_DTYPES = (np.dtype(np.float32), np.dtype(np.float64))
_WINOGRAD_GAIN = 0.85  # of the cost of columns: below it the other way pays
_HIGHEST = 16  # the largest power that is computed by products
_SMALL = 1 << 16  # multiplications of a product that takes longer to hand over
_LOAD = 44  # the cost of reading a weight from memory, in multiplications


def _op(kernel: Any, fast: str = "") -> Op:
    return Op(FAST, kernel.__name__, kernel, kernel, raises=NOTHING, fast=fast)


_CONV, _WINOGRAD = _op(fast_conv.conv, fast="fused"), _op(fast_conv.winograd, fast="fused")
_WEIGHT, _BIAS = _op(fast_conv.folded_weight), _op(fast_conv.folded_bias)
_COLUMN_WEIGHT, _WINOGRAD_WEIGHT = _op(fast_conv.column_weight), _op(fast_conv.winograd_weight)
_PRODUCT, _LINEAR = _op(products.rows_times), _op(products.linear)
_C_ORDER = 5  # the place among their arguments


def faster(program: ExportedProgram) -> ExportedProgram:
    """The program with faster formulas; the program itself if none applies."""
    if not any(map(_rule_of, program.graph.nodes)):
        return program
    program = copied(program)
    rewriter = _Rewriter(program)
    for node in [node for node in program.graph.nodes if _rule_of(node)]:
        getattr(rewriter, _rule_of(node))(node)
    program.graph.keep([node for node in program.graph.nodes if node not in rewriter.dropped])
    for node in program.graph.nodes:
        if _is_fused(node) and node.users and all(_takes_any_layout(user, node) for user in node.users):
            node.args = (*node.args[:_C_ORDER], False, *node.args[_C_ORDER + 1 :])
    return program


class _Rewriter:
    """``known``: arrays of the state that no call writes to; ``c_order``: values in C order."""

    def __init__(self, program: ExportedProgram) -> None:
        self.graph = program.graph
        self.dropped: set[Node] = set()
        self.known = steady(program)
        self.c_order: set[Node] = set()
        for node in self.graph.nodes:
            if node.op != CALL:
                continue
            operands = node.all_input_nodes
            op: Any = node.target
            orderly = (op.namespace == "nn" and "c_order" in op.traits) or "ufunc" in op.traits
            mine = [operand for operand in operands if operand not in self.known]
            if op.fast == "convolution" or (orderly and mine and all(operand in self.c_order for operand in mine)):
                self.c_order.add(node)

    def convolution(self, node: Node) -> None:
        """Fuse a convolution with what follows it."""
        x, weight, bias, *options = _positional(node)
        norm, last = self._normalised(node)
        residual, last = self._summed(last)
        relu, last = _rectified(last)
        state = [each for each in (weight, bias, *(norm or ())[:4]) if isinstance(each, Node)]
        arrays = [each for each in (x, residual, last, *state) if each is not None]
        one_dtype = len({_dtype(each) for each in arrays}) == 1
        if not (one_dtype and all(each in self.known for each in (weight, *state)) and _plain(x, weight, options)):
            return
        stride, padding, dilation, groups = options
        if groups != 1:
            return
        m = _winograd_size(x, weight, *options) if node.target is ops.nn.conv2d else 0
        outputs, channels, *kernel = weight.meta["val"].shape
        steps, spread = [per_axis(each, len(kernel), "conv", "option") for each in (stride, dilation)]
        pairs = tuple(padding_pairs(padding, tuple(kernel), spread, steps, "conv"))
        if norm is not None:
            mean, variance, gamma, beta, eps = norm
            bias = self._call(last, _BIAS, (bias, mean, variance, gamma, beta, eps, _dtype(x)), _bias_meta(weight))
            weight = self._call(last, _WEIGHT, (weight, variance, gamma, eps), weight.meta["val"])
        self.dropped.update(_chain(node, last))
        if m:
            weight = self._call(last, _WINOGRAD_WEIGHT, (weight, m), TensorMeta(((m + 2) ** 2, channels, outputs), _dtype(x)))
            last.target, last.args = _WINOGRAD, (x, weight, bias, residual, relu, True, pairs)
        else:
            weight = self._call(last, _COLUMN_WEIGHT, (weight,), TensorMeta((*kernel, channels, outputs), _dtype(x)))
            last.target, last.args = _CONV, (x, weight, bias, residual, relu, True, steps, spread, pairs)
        last.kwargs = {}
        self.c_order.add(last)

    def product(self, node: Node) -> None:
        """Compute a stack of matrices times a matrix as one product, and products as the machine
        does best.
        """
        operands = [each for each in node.args if isinstance(each, Node)]
        if node.kwargs or len(operands) != 2 or len(node.args) != 2 or _dtype(operands[0]) not in _DTYPES:
            return
        stack, matrix = map(_shape, operands)
        if min(len(stack), len(matrix)) < 2:
            return
        if (len(stack) > 2 and len(matrix) == 2 and stack[0] != 1) or _is_large(node, operands):
            node.target = _PRODUCT

    def linear(self, node: Node) -> None:
        """Compute a linear map as the machine does best."""
        arrays = [each for each in _positional(node) if each is not None]
        if len(_shape(arrays[0])) > 1 and _dtype(arrays[0]) in _DTYPES and _is_large(node, arrays):
            node.target, node.args, node.kwargs = _LINEAR, tuple(arrays), {}

    def power(self, node: Node) -> None:
        """Compute a power with a small integer exponent from products that have been computed
        before.
        """
        x, exponent = node.args if len(node.args) == 2 and not node.kwargs else (None, 0)
        whole = type(exponent) in (int, float, np.float32, np.float64) and float(exponent).is_integer()
        if not isinstance(x, Node) or not whole or not 1 < abs(exponent) <= _HIGHEST or not (_is_array(x) and _is_array(node)):
            return
        if _dtype(x) not in _DTYPES or _dtype(x) != _dtype(node):
            return
        factors = self._factors(node, x, abs(int(exponent)))
        if exponent > 0:
            node.target, node.args = ops.np.multiply, factors
        else:
            node.target, node.args = ops.np.divide, (1.0, self._call(node, ops.np.multiply, factors, node.meta["val"]))

    def _factors(self, node: Node, x: Node, exponent: int) -> tuple[Node, Node]:
        """Two values computed before a node whose product is the power."""
        half = exponent // 2 if exponent % 2 == 0 else exponent - 1
        root = x if half == 1 else self._call(node, ops.np.multiply, self._factors(node, x, half), node.meta["val"])
        return root, root if exponent % 2 == 0 else x

    def _call(self, before: Node, op: Op, args: tuple[Any, ...], meta: TensorMeta) -> Node:
        """A new call before another one."""
        info = {"val": meta} | {key: before.meta[key] for key in ("stack_trace", "nn_module_stack", "errors") if key in before.meta}
        return self.graph.insert(self.graph.nodes.index(before), Node(self.graph.fresh_name(op.name), CALL, op, args, {}, info))

    def _normalised(self, node: Node) -> tuple[tuple[Any, ...] | None, Node]:
        """The arguments behind the first of the batch normalisation that alone uses a value as its
        first one, and its node; ``None`` and the value if there is none.
        """
        user = _only_user(node)
        if user is None or user.target is not ops.nn.batch_norm or user.args[0] is not node:
            return None, node
        norm = _positional(user)[1:]
        plain = isinstance(norm[4], float) and all(each is None or each in self.known for each in norm[:4])
        return (norm, user) if plain else (None, node)

    def _summed(self, node: Node) -> tuple[Node | None, Node]:
        user = _only_user(node)
        if user is None or user.target is not ops.np.add or len(user.args) != 2 or user.kwargs:
            return None, node
        other = user.args[1] if user.args[0] is node else user.args[0]
        same = type(other) is Node and other is not node and _shape(other) == _shape(node) == _shape(user)
        return (other, user) if same and other in self.c_order else (None, node)


def _is_large(node: Node, operands: list[Any]) -> bool:
    """Whether this machine computes a product of floats better than NumPy, which is faster for
    small ones.
    """
    sizes = *_shape(node), _shape(operands[0])[-1]
    small = all(type(size) is int for size in sizes) and math.prod(sizes) < _SMALL
    return not small and products.pays() and len({_dtype(each) for each in operands}) == 1


def _rule_of(node: Node) -> str:
    """The rule that the record of the operator names, if it names one."""
    return node.target.fast if node.op == CALL else ""  # type: ignore[union-attr]


def _is_fused(node: Node) -> bool:
    return _rule_of(node) == "fused"


def _is_array(node: Node) -> bool:
    meta = node.meta["val"]
    return isinstance(meta, TensorMeta) and not meta.scalar


def _chain(node: Node, last: Node) -> list[Node]:
    """The calls that another one takes over; each is the only user of the one before."""
    found = []
    while node is not last:
        found.append(node)
        node = next(iter(node.users))
    return found


def _takes_any_layout(user: Node, node: Node) -> bool:
    """Whether the layout of a value affects nothing that its user computes."""
    return _is_fused(user) or (user.target is ops.np.mean and len(_shape(user)) == 2 < len(_shape(node)))


def _rectified(node: Node) -> tuple[bool, Node]:
    user = _only_user(node)
    if user is None or user.kwargs:
        return False, node
    zero = user.target is ops.np.maximum and len(user.args) == 2 and any(type(each) in (int, float) and each == 0 for each in user.args)
    return (True, user) if zero or user.target is ops.nn.relu else (False, node)


def _only_user(node: Node) -> Node | None:
    """The only call that uses a value, if it does so once."""
    users = list(node.users)
    if len(users) != 1 or users[0].op != CALL:
        return None
    return users[0] if sum(leaf is node for leaf in leaves_of((users[0].args, users[0].kwargs))) == 1 else None


def _positional(node: Node) -> tuple[Any, ...]:
    """All arguments in the order of the schema."""
    op: Any = node.target
    given = op.positional(node.args, node.kwargs)
    return (*given, *[parameter.default for parameter in list(op.signature.parameters.values())[len(given) :]])


def _plain(x: Node, weight: Node, options: list[Any]) -> bool:
    """Whether the input is a batch of floats, and no option depends on sizes."""
    static = not any(type(leaf) is Node for leaf in leaves_of(tuple(options)))
    return static and len(_shape(x)) == len(_shape(weight)) and _dtype(x) in _DTYPES


def _shape(node: Any) -> tuple[Any, ...]:
    meta = node.meta.get("val")
    return size_key(meta) if isinstance(meta, TensorMeta) else ()


def _dtype(node: Any) -> Any:
    return node.meta["val"].dtype


def _bias_meta(weight: Node) -> TensorMeta:
    meta = weight.meta["val"]
    return TensorMeta(meta.shape[:1], meta.dtype)


def _winograd_size(x: Node, weight: Node, stride: Any, padding: Any, dilation: Any, groups: Any) -> int:
    """The size of the tiles of results for which Winograd's filtering costs least; 0 if convolution
    by columns costs less. The cost counts multiplications, those of the transforms included, and
    the reads of the weights.
    """
    *lead, height, width = x.meta["val"].shape
    outputs, channels, *kernel = weight.meta["val"].shape
    ones = all(each in (1, (1, 1), [1, 1]) for each in (stride, dilation))
    if kernel != [3, 3] or not ones or groups != 1 or len(lead) != 2 or type(height) is not int or type(width) is not int:
        return 0
    batch = lead[0] if type(lead[0]) is int else 1
    pairs = padding_pairs(padding, (3, 3), (1, 1), (1, 1), "conv2d")
    sizes = [size + sum(pair) - 2 for size, pair in zip((height, width), pairs, strict=True)]
    if batch * min(sizes) <= 0:
        return 0
    costs = {0: _WINOGRAD_GAIN * (9 * channels * (batch * math.prod(sizes) * (2 * outputs + 8) + _LOAD * outputs))}
    for m in (2, 4):
        n, tiles = m + 2, batch * math.prod([-(-size // m) for size in sizes])
        products = n * n * channels * outputs * (2 * tiles + _LOAD)
        costs[m] = products + 2 * n**4 * tiles * channels + 2 * n * n * m * m * tiles * outputs + 16 * tiles * n * n * (channels + outputs)
    return min(costs, key=costs.__getitem__)
