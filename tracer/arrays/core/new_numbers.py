"""Which numbers and tuples are objects of their own: the result of a computation is, an item of a
list or the result of a choice may be the same object as another.
"""

from __future__ import annotations

from types import MethodType
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.graph import Node
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymFloat, SymInt, python_type
from npexport.tracer.arrays.core import data_dependent_identity
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, truth_of
from npexport.tracer.arrays.core.run_dependent_numbers import refuse
from npexport.tracer.arrays.memory.model import Kind
from npexport.tracer.bytecode.host import SMALL_INTEGERS
from npexport.tracer.interpreter.native import NATIVE_TYPES

_SHARING = frozenset({"view", "may_share", "cast", "scatter"})
OF_DATA = (Mixed, SymFloat, ScalarProxy)
"""The stand-ins of numbers that only the data know and that are not Python's integers or truths."""
_PLAIN = frozenset({int, float, complex, bool, str, bytes})
_INTEGERS = frozenset({int, SymInt})


def is_new(node: Any) -> bool:
    """Whether a node makes a number that is an object of its own: an item of an input or of a
    computed array, or a computed number. Items of lists that loops fill, and the result of a
    choice, may be the same object as another.
    """
    if node.op != "call_function":
        return False
    op = node.target
    if op in (ops.np.scalar, ops.sym.floating):
        return type(node.args[0]) is Node and is_new(node.args[0])
    if op is ops.np.getitem:
        base = node.args[0]
        outside = next((each for each in recorder().placeholders if each.node is base), None)
        is_place = outside is not None and outside.kind is Kind.STATE and not outside.meta.shape  # of a scalar, which two places may have
        return type(base) is Node and not is_place and (outside is not None or is_new(base))
    if op.namespace == "py":
        return "new_float" in op.traits
    return op.namespace == "np" and op is not ops.np.where and op.traits.isdisjoint(_SHARING)


def are_one(left: Any, right: Any) -> Any:
    """Whether two different values, one of which is a number of `OF_DATA`, are the same object.
    There are two objects of NumPy's truths.

    Raises ``Unsupported`` (E109) where the data, or the list that they were in, decide it.
    """
    kinds = _kinds(left)
    if kinds.isdisjoint(_kinds(right)) or kinds == {np.void}:  # each record is one
        return False
    if Mixed in (type(left), type(right)):
        refuse("whether two numbers are one object")
    if kinds == {np.bool_}:
        one, other = [truth_of(value) if type(value) is ScalarProxy else bool(value) for value in (left, right)]
        return one == other
    if not all(is_new(recorder().argument(value)) for value in (left, right) if type(value) in OF_DATA):
        refuse("whether two numbers are one object")
    return False


def _kinds(value: Any) -> set[type]:
    if type(value) is Mixed:
        return {value.kind, value.scalar.dtype.type}
    return {value.dtype.type if isinstance(value, (ScalarProxy, np.generic)) else python_type(value)}


def are_one_integer(left: Any, right: Any) -> Any:
    """Whether two integers, one of which only sizes or data know, are one object. There is one
    object of each small integer; others are made anew, but for those that data choose.
    """
    other = right if type(left) is SymInt else left
    if type(other) is Mixed:
        return are_one(left, right)
    if type(other) not in (int, SymInt):
        return False
    same = left == right
    if all(known(truth) is True for truth in (other >= SMALL_INTEGERS[0], other <= SMALL_INTEGERS[-1])):
        return same
    is_size = type(other) is int and (right if other is left else left).hint is not None
    if not is_size and known(same) is not False:
        refuse("whether two integers are one object")
    return False


def are_one_tuple(left: Any, right: Any) -> bool:
    """Whether two different tuples, or slices, are one object: no, if they differ in anything. What
    a choice gives is a tuple of the chosen items, and may be the same object as any tuple that it
    was chosen from.

    Raises ``Unsupported`` (E109) where they do not differ for sure.
    """
    if _may_be_one(left, right):
        refuse(f"whether two {'slices' if type(left) is slice else 'tuples'} are one object")
    return False


def are_equal_methods(one: Any, other: Any) -> bool:
    """Whether two values are bound methods of one object and function."""
    return type(one) is type(other) is MethodType and one.__self__ is other.__self__ and one.__func__ is other.__func__


def are_one_method(left: Any, right: Any) -> bool:
    """Whether a bound method that may be any of several equal ones, and another value, are one
    object: not if the value is anything else.

    Raises ``Unsupported`` (E109) for equal methods.
    """
    if are_equal_methods(left, right):
        refuse("whether two bound methods are one object")
    return False


def _may_be_one(left: Any, right: Any) -> bool:
    if left is right:
        return True
    if isinstance(left, tuple) and isinstance(right, tuple):
        return type(left) is type(right) and len(left) == len(right) and all(map(_may_be_one, left, right))
    if type(left) is type(right) is slice:
        return all(map(_may_be_one, *[(each.start, each.stop, each.step) for each in (left, right)]))
    if type(left) not in NATIVE_TYPES and type(right) not in NATIVE_TYPES:
        return type(left) is type(right) and type(left) in _PLAIN and (left == right or left != left)
    if {type(left), type(right)} <= _INTEGERS:
        return known(left == right) is not False
    if type(left) is type(right) is ArrayProxy:
        return data_dependent_identity.may_be_one(recorder(), left, right)
    return not (type(left) is type(right) is ScalarProxy and is_new(left.node()) and is_new(right.node()))
