"""How the results of a custom operator are arranged: its nodes give a tuple of them, and their
keyword ``result_form`` says which containers the operator itself returns.

A form is ``None`` for a single value, or a tuple of a kind of container, what is known of it, and
the forms of its items: ``("dict", ("low", "high"), None, None)``. A node without one gives what it
gives, a value or a tuple.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from npexport.ir.pytree import LEAF, TreeSpec, Unbounded, find_named_tuple, flatten_like, serialized_name, tree_flatten

FORM = "result_form"
"""The keyword with which nodes declare the form of their results."""
Form = tuple[Any, ...] | None
_PLAIN: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}


class Misarranged(ValueError):
    """Results in other containers than those that are declared, or in containers of no such
    kind."""


def arranged(results: Any) -> TreeSpec:
    """The containers of results. Raises `Misarranged` for those that no form describes."""
    try:
        spec = tree_flatten(results)[1]
    except Unbounded as error:
        raise Misarranged(str(error)) from None
    if spec != spec_of(form := form_of(spec)):
        raise Misarranged(f"holds {form}, whose class cannot be found by its name")
    return spec


def form_of(spec: TreeSpec) -> Form:
    """The form of results in these containers. Raises `Misarranged`."""
    if spec.type is None:
        return None
    items = tuple([form_of(child) for child in spec.children])
    if spec.type is dict and not all(type(key.value) is str for key in spec.keys):
        raise Misarranged(f"holds a dict with keys that are not texts: {spec.render()}")
    if spec.type in _PLAIN.values():
        return (spec.type.__name__, spec.context, *items)
    if not (issubclass(spec.type, tuple) and spec.context == getattr(spec.type, "_fields", None)):
        raise Misarranged(f"holds {spec.render()}")
    return ("namedtuple", (serialized_name(spec.type), *spec.context), *items)


def spec_of(form: Form) -> TreeSpec | None:
    """The containers that a form describes; ``None`` where there is no such class."""
    if form is None:
        return LEAF
    kind, context, *items = form
    children = [spec_of(item) for item in items]
    names = context[1:] if kind == "namedtuple" else context
    cls = find_named_tuple(context[0], names) if kind == "namedtuple" else _PLAIN.get(kind)
    fits = names is None if cls in (tuple, list) else len({*names}) == len(names) == len(items) == len(getattr(cls, "_fields", names))
    if cls is None or not fits or not all(children):
        return None
    return TreeSpec(cls, names, tuple(filter(None, children)))


def is_plain(spec: TreeSpec) -> bool:
    """Whether a node gives results in these containers as they are: one, or a tuple of them."""
    return spec.is_leaf or (spec.type is tuple and all(child.is_leaf for child in spec.children))


def require_form(form: Any) -> TreeSpec:
    """The containers of a form that a node states. Raises ``ValueError``."""
    try:
        spec = spec_of(form)
    except (TypeError, ValueError, AttributeError):
        spec = None
    if spec is None or spec.is_leaf or form_of(spec) != form:
        raise ValueError(f"{FORM} is {form!r}, which describes no containers that are known here")
    return spec


def flat(spec: TreeSpec | None, results: Any, written: Sequence[Any]) -> Any:
    """What a node gives: the results, then the new values of what it writes to.

    ``spec``: the containers that it declares, if not a value or a plain tuple. Raises
    `Misarranged`.
    """
    if spec is None and not isinstance(results, tuple):
        if isinstance(results, (list, dict)):
            raise Misarranged(f"gives a {type(results).__name__}, where a single value or a tuple is declared")
        return results if not written else (*(() if results is None else (results,)), *written)
    if spec is None and type(results) is not tuple and _is_known(results):
        raise Misarranged(f"gives a {type(results).__name__}, where a plain tuple is declared")
    leaves, misfits = (list(results), []) if spec is None else flatten_like(spec, results)
    if misfits:
        raise Misarranged(f"gives {misfits[0].actual}, where {misfits[0].expected} is declared{_at(misfits[0].path)}")
    return (*leaves, *written)


def _is_known(results: Any) -> bool:
    """Whether a form could describe these named tuples; other tuples are plain ones."""
    try:
        form = arranged(results).type
    except Misarranged:
        return False
    return form is type(results)


def _at(path: str) -> str:
    return f" as result{path}" if path else ""
