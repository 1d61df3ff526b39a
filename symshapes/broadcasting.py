"""Broadcasting of sizes that may be dynamic: 0 and 1 are sizes like others."""

from __future__ import annotations

from typing import Any

from npexport.symshapes import expr as E
from npexport.symshapes.env import known
from npexport.symshapes.rewrite import subexpressions
from npexport.symshapes.symint import SymBool, is_symbolic
from npexport.symshapes.truths import disjunction


def broadcast_sizes(a: Any, b: Any) -> Any:
    """The size of the axis along which sizes ``a`` and ``b`` are broadcast, or ``None`` where they
    cannot be.

    Where the declared ranges decide which of ``a == b``, ``a == 1`` and ``b == 1`` holds, nothing
    is guarded. Else the example's side is taken: equal sizes must stay equal; a size that is 1 at
    the example and meets another one must stay 1; sizes that differ must stay refused. A size that
    only the data know, and that is never 1, must equal the other one, which is checked when the
    program runs. An example size never decides anything else.

    >>> broadcast_sizes(1, 5), broadcast_sizes(5, 5), broadcast_sizes(4, 5)
    (5, 5, None)
    """
    if not is_symbolic(a):
        if not is_symbolic(b):
            return b if a == 1 else a if b in (1, a) else None
    elif is_symbolic(b) and a.expression is b.expression:
        return a
    at_a, at_b = (size.hint if is_symbolic(size) else size for size in (a, b))
    for one, other, at in ((a, b, at_a), (b, a, at_b)):
        if at in (1, None) and known(one == 1):  # nothing that is false at the example is known to hold
            return other
    equal = at_a is None or at_b is None or at_a == at_b  # where only the data know a size, it is taken to fit
    equality = a == b if equal else False
    if equality is True:
        return a if not is_symbolic(a) else b if not is_symbolic(b) else a
    for one, other, at in ((a, b, at_a), (b, a, at_b)):
        if (equal or at == 1) and _is_one_or(one, other):
            return other
    if equality is not False:
        found = _of_data(equality, a, b)
        if found is not None:
            return found
        if _must_fit(equality, a, b) or equality:
            return a if not is_symbolic(a) else b if not is_symbolic(b) else a
        return None
    for one, other, at in ((a, b, at_a), (b, a, at_b)):
        if is_symbolic(one) and at == 1 and one == 1:
            return other
    for one, other in ((a, b), (b, a)):  # refused: whatever would make them fit must stay false
        if is_symbolic(one) and known(one == 1) is None and one == 1:
            return other
    if not equal and known(a == b) is None and a == b:
        return a
    return None


def must_equal(a: Any, b: Any) -> bool:
    """Whether two sizes are equal where NumPy refuses any others; of sizes that only the data know
    it is checked when the program runs.

    >>> must_equal(3, 3), must_equal(3, 4)
    (True, False)
    """
    equality = a == b
    if isinstance(equality, SymBool) and equality.hint is None:
        return equality.env.check(equality.expression, "the sizes must be equal")
    return bool(equality)


def _must_fit(equality: Any, a: Any, b: Any) -> bool:
    """Whether sizes that only the data know have to be equal, because neither is ever 1; this is
    checked when the program runs.
    """
    if equality is True or equality.hint is not None or known(a == 1) is not False or known(b == 1) is not False:
        return False
    return bool(equality.env.check(equality.expression, "the arrays are broadcast"))


def _of_data(equality: Any, a: Any, b: Any) -> Any:
    """The size, where only the data know whether either of two is 1: the one that never is, or one
    that only the data know, too. That they fit is looked at when the program runs. ``None`` where
    this is known.
    """
    if not isinstance(equality, SymBool) or equality.hint is not None or known(equality) is not None:
        return None
    env, at_one = equality.env, [known(size == 1) for size in (a, b)]
    if env.hint(env.facts.replace(equality.expression)) is not None:
        return None  # they have to be sizes that the example knows
    if any(isinstance(part, E.Bool) for size in (a, b) if is_symbolic(size) for part in subexpressions(size.expression)):
        return None  # a truth has no number that could be looked at when the program runs
    if env.of_data is None or True in at_one or at_one == [False, False]:
        return None
    fits = [equality, *[size == 1 for size, one in zip((a, b), at_one, strict=True) if one is None]]
    env.check(disjunction(truth.expression for truth in fits), "the arrays are broadcast")
    return b if at_one[1] is False else a if at_one[0] is False else env.of_data("broadcast", a, b)


def _is_one_or(one: Any, other: Any) -> bool:
    """Whether one size is known to be either 1 or equal to the other, such as that of ``x[:1]``
    against that of ``x``: ``min(n, 1)`` is 1 or ``n``.
    """
    if not is_symbolic(one) or all(atom.op in ("symbol", "floordiv", "mod") for atom in one.expression.terms):
        return False
    size, whole = one.expression, E.expr(other.expression if is_symbolic(other) else other)
    return one.env.facts.witnesses.among(size, (E.ONE, whole)) and one.env.decide(E.eq(size, 1) | E.eq(size, whole)) is True


def broadcast_shapes(*shapes: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The shape of the broadcast of ``shapes``; ``None`` if they do not fit. See
    :func:`broadcast_sizes`.
    """
    result: list[Any] = []
    for axis in range(1, max(map(len, shapes), default=0) + 1):
        size: Any = 1
        for shape in shapes:
            if axis <= len(shape):
                size = broadcast_sizes(size, shape[-axis])
                if size is None:
                    return None
        result.append(size)
    return tuple(reversed(result))
