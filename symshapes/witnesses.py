"""Witnesses: a few sizes that satisfy the facts, the example among them.

A truth that holds at one witness and fails at another is open, so nothing has to be searched for a
proof; one that holds at all of them can only be proved true. Witnesses never prove anything: were
one wrong, a provable truth would stay open, and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

from npexport.symshapes import expr as E
from npexport.symshapes import limits
from npexport.symshapes.effort import is_limited, spend
from npexport.symshapes.ranges import ValueRanges
from npexport.symshapes.rewrite import evaluate

_STEPS = (1, 2, 3, 4, 5, 6, -1, -2, -3, -4, 7, 12)
_Admits = Callable[[str, int], bool]
_About = Mapping[str, Iterable[E.Bool]]


class Witnesses:
    """``points``: assignments of numbers to the symbols that nothing replaces."""

    __slots__ = ("points",)

    def __init__(self, points: Iterable[dict[str, int]] = ()) -> None:
        self.points = list(points)

    def copy(self) -> Witnesses:
        return Witnesses(map(dict, self.points))

    def part(self, names: Container[str]) -> Witnesses:
        """The witnesses restricted to some symbols."""
        return Witnesses({name: value for name, value in point.items() if name in names} for point in self.points)

    def add(self, name: str, interval: ValueRanges, hint: int, count: int) -> None:
        """A new symbol, the ``count``-th: its example in the first point, other values of its range
        in the others.
        """
        if not self.points:
            self.points = [{} for _ in range(limits.WITNESSES)]
        low = interval.lower if isinstance(interval.lower, int) else hint - 50
        values = [hint, low + 2 + count % 5, low, low + 59 + 12 * count, hint + 1 + count % 3]
        if isinstance(interval.upper, int):
            values[1:] = [min(value, interval.upper) for value in values[1:]]
        for number, point in enumerate(self.points):
            point[name] = values[number % limits.WITNESSES]

    def moved(self, name: str, move: Callable[[int], int], others: Iterable[E.Bool]) -> None:
        """The symbol's values are restricted: move each into its place, and drop the points that
        then break ``others``.
        """
        others = list(others)
        for point in self.points:
            if name in point:
                point[name] = move(point[name])
        self.points = [point for point in self.points if all(_holds(truth, point) is not False for truth in others)]

    def forget(self, name: str) -> None:
        """Something replaces the symbol."""
        for point in self.points:
            point.pop(name, None)

    def learn(self, truth: E.Bool, admits: _Admits, about: _About) -> None:
        """A new fact: where it fails at a point, move one of its symbols a little (to values that
        ``admits`` and the truths ``about`` the symbol allow), or drop the point. Where work is
        limited nothing is moved, for that asks all truths about a symbol for each of them.
        """
        moves = () if is_limited() else (_solved, _moved)
        self.points = [
            point for point in self.points if _holds(truth, point) is not False or any(move(point, truth, admits, about) for move in moves)
        ]

    def found_near(self, truth: E.Bool, admits: _Admits, about: _About, *, search: bool = True) -> bool:
        """Whether the truth holds where one symbol of a point is moved: to the value that solves it
        or, if ``search``, to one nearby; there is a point then.
        """
        for point in self.points[: limits.WITNESS_STARTS]:
            moved = dict(point)
            if _solved(moved, truth, admits, about) or (search and _moved(moved, truth, admits, about)):
                self.points.insert(1, moved)
                del self.points[limits.WITNESS_POINTS :]
                return True
        return False

    def sides(self, truth: E.Bool) -> set[bool]:
        """The values of a truth at the points."""
        found: set[bool] = set()
        for point in self.points:
            value = _holds(truth, point)
            if value is not None:
                found.add(value)
                if len(found) == 2:
                    break
        return found

    def among(self, value: E.Expr, others: tuple[E.Expr, ...]) -> bool:
        """Whether ``value`` equals one of the others at every point where it has a value."""
        for point in self.points:
            try:
                number = evaluate(value, point)
                if all(number != evaluate(other, point) for other in others):
                    return False
            except (KeyError, ZeroDivisionError, ValueError, OverflowError):
                continue
        return True


def _solved(point: dict[str, int], truth: E.Bool, admits: _Admits, about: _About) -> bool:
    """Make a comparison just hold at the point by the value of one symbol that does it."""
    return any(_placed(point, name, _solutions(truth, name, point), truth, admits, about) for name in _names(truth, point))


def _moved(point: dict[str, int], truth: E.Bool, admits: _Admits, about: _About) -> bool:
    """Make the truth hold at the point by another value of one symbol, nearby."""
    return any(
        _placed(point, name, [point[name] + step for step in _STEPS], truth, admits, about)
        for name in _names(truth, point)[: limits.WITNESS_MOVES]
    )


def _names(truth: E.Bool, point: dict[str, int]) -> list[str]:
    return sorted(truth.symbols & point.keys(), reverse=True)


def _placed(point: dict[str, int], name: str, values: Iterable[int], truth: E.Bool, admits: _Admits, about: _About) -> bool:
    old = point[name]
    for value in values:
        if admits(name, value):
            point[name] = value
            if _holds(truth, point) and all(_holds(other, point) is not False for other in about.get(name, ()) if other is not truth):
                return True
    point[name] = old
    return False


def _solutions(truth: E.Bool, name: str, point: dict[str, int]) -> list[int]:
    """The value of a symbol, with a coefficient, for which a comparison just holds."""
    if truth.op not in ("ge", "eq"):
        return []
    e = truth.args[0]
    c = next((c for atom, c in e.terms.items() if atom.op == "symbol" and atom.args[0] == name), 0)
    try:
        value = evaluate(e, point) if c else 0
        return [point[name] - (value // c if c > 0 else -(-value // c))] if c else []
    except (KeyError, ZeroDivisionError, ValueError, OverflowError):
        return []


def _holds(truth: E.Bool, point: dict[str, int]) -> bool | None:
    spend(1 + truth.weight + len(truth.symbols))
    try:
        if truth.op == "ge":
            return bool(evaluate(truth.args[0], point) >= 0)
        if truth.op == "eq":
            return bool(evaluate(truth.args[0], point) == 0)
        return bool(evaluate(truth, point))
    except (KeyError, ZeroDivisionError, ValueError, OverflowError):
        return None
