"""What is done with a number that is Python's or NumPy's, on each side of the branch on that."""

from __future__ import annotations


def of_either_kind(python, kind, scalar, function, arguments, places, keywords, /):
    """A call with a Python number, if it is one, or else with a NumPy scalar, at some places."""
    if python:
        return function(*standing(kind(scalar), arguments, places), **keywords)
    return function(*standing(scalar, arguments, places), **keywords)


def sum_of_either_kind(python, kind, scalar, number, values, /, start=0):
    """A sum with a Python number, if it is one, or else with a NumPy scalar, for one value."""
    if python:
        return sum(with_number(kind(scalar), number, values), start)
    return sum(with_number(scalar, number, values), start)


def with_number(found, number, values):
    return [found if value is number else value for value in values]


def attribute_of_either_kind(python, kind, scalar, name, /):
    """An attribute of a Python number, if it is one, or else of a NumPy scalar."""
    if python:
        return getattr(kind(scalar), name)
    return getattr(scalar, name)


def standing(number, arguments, places):
    """The arguments with a number at some places."""
    return [number if place in places else value for place, value in enumerate(arguments)]
