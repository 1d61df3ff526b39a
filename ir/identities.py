"""Which containers of a result are the same object, and which are the caller's own, since
structures alone do not tell.

Containers are numbered in the order of their opening brackets in the text of a structure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from npexport.ir.containers import find_kind
from npexport.ir.pytree import TreeSpec, same_key


class Identities(NamedTuple):
    """``shared``: a container of the result and the earlier one that it is.

    ``passed``: a container of the result and the one of the inputs that it is. What is inside such
    a container is not listed.
    """

    shared: tuple[tuple[int, int], ...] = ()
    passed: tuple[tuple[int, int], ...] = ()


NO_IDENTITIES = Identities()
"""Every container of the result is an object of its own, made in the call."""


def identities_of(result: Any, inputs: Any) -> Identities:
    """The identities of a result; ``inputs`` is ``(args, kwargs)``."""
    own = {id(container) for container in (inputs, *inputs)}  # made for the call
    given = {id(container): number for number, (container, _) in enumerate(_containers(inputs)) if id(container) not in own}
    seen: dict[int, int] = {}
    shared, passed = [], []
    inside = 0  # how many more containers lie within one that is listed
    for number, (container, within) in enumerate(_containers(result)):
        if inside:
            inside -= 1
        elif id(container) in given:
            passed.append((number, given[id(container)]))
            inside = within
        elif id(container) in seen:
            shared.append((number, seen[id(container)]))
            inside = within
        seen.setdefault(id(container), number)
    return Identities(tuple(shared), tuple(passed))


def _containers(tree: Any) -> list[tuple[Any, int]]:
    """Every container, with the number of containers inside it."""
    kind = find_kind(type(tree))
    if kind is None:
        return []
    within = [found for child in kind.parts(tree)[0] for found in _containers(child)]
    return [(tree, len(within)), *within]


def specs_of(spec: TreeSpec, leaf: int = 0) -> Iterator[tuple[TreeSpec, int]]:
    """The structure of every container, and the number of its first leaf."""
    if spec.type is not None:
        yield spec, leaf
        for child in spec.children:
            yield from specs_of(child, leaf)
            leaf += child.num_leaves


def contradictions(
    identities: Identities,
    out_spec: TreeSpec,
    in_spec: TreeSpec,
    results: Sequence[Any],
    inputs: Sequence[Any],
    aliases: Sequence[tuple[str, ...]],
) -> Iterator[str]:
    """What cannot be: containers that are said to be one, and are not alike or hold other values.

    ``results`` and ``inputs`` are the values of the leaves, ``aliases`` the written inputs that
    results are the arrays of.
    """
    found, given = list(specs_of(out_spec)), list(specs_of(in_spec))
    places = {id(spec) for spec, _ in given} - {id(part) for part in (in_spec, *in_spec.children)}
    if identities.passed and len(places) + 1 + len(in_spec.children) != len(given):
        yield "the structures of two inputs are one object"
    for number, place in identities.shared:
        if not 0 <= place < number < len(found) or found[place][0] != found[number][0]:
            yield f"container {number} of the result is said to be container {place}, which is another"
            continue
        for one, other in _pairs(found[place], found[number]):
            if results[one] is not results[other] and not same_key(results[one], results[other]):
                yield f"{results[one]} and {results[other]} stand in one container of the result"
    for number, place in identities.passed:
        fits = 0 <= place < len(given) and 0 <= number < len(found)
        if not fits or id(given[place][0]) not in places or given[place][0] != found[number][0]:
            yield f"container {number} of the result is said to be container {place} of the inputs, which is another"
            continue
        for one, other in _pairs(given[place], found[number]):
            array = hasattr(inputs[one].meta["val"], "dtype")
            if array and results[other] is not inputs[one] and aliases[other] != (inputs[one].name,):
                yield f"{results[other]} stands in a container of the caller's, which holds {inputs[one].name}"


def _pairs(one: tuple[TreeSpec, int], other: tuple[TreeSpec, int]) -> Iterator[tuple[int, int]]:
    """The numbers of the leaves of two containers of equal structure."""
    return zip(range(one[1], one[1] + one[0].num_leaves), range(other[1], other[1] + other[0].num_leaves), strict=True)
