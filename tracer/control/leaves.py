"""The leaves of values that branches and loops pass on: arrays, NumPy scalars, and Python
numbers.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.meta import TensorMeta
from npexport.ir.ops.control_flow import NUMBERS, alike, fits
from npexport.ir.printing import value_text
from npexport.ir.pytree import tree_flatten
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_not
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import is_symbolic, is_unbacked, python_type
from npexport.tracer.arrays.core import complexes, mixed
from npexport.tracer.arrays.core.complexes import Complex, is_complex
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list_identity import is_list_within
from npexport.tracer.arrays.core.inner_lists import INNER
from npexport.tracer.arrays.core.mixed import Mixed
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.core.texts import DataText, alternatives, chosen_text, is_text, one_of
from npexport.tracer.control.fresh_values import Fresh
from npexport.tracer.control.views_by_places import ViewByPlaces, may_be_views
from npexport.tracer.effects.parts import is_own, same
from npexport.tracer.interpreter.attempts import MessageOfData
from npexport.tracer.interpreter.counting import Counting
from npexport.tracer.interpreter.frame import NULL
from npexport.tracer.interpreter.operators import SCALARS
from npexport.tracer.interpreter.symbolic_union import SymbolicUnion, options_of

Fit = Callable[[Any, Any], bool]
"""Whether two leaves are of one kind."""

_ARRAYS = (ArrayProxy, ScalarProxy, np.generic, TensorMeta)


def is_value(leaf: Any) -> bool:
    """Whether a leaf belongs to the graph: an array, a NumPy scalar, or a Python number."""
    return isinstance(leaf, _ARRAYS) or type(leaf) in (ArrayProxy, ScalarProxy) or python_type(leaf) in NUMBERS


def meta_of(leaf: Any) -> Any:
    """The stand-in of a leaf in a sub-graph: the meta of an array or scalar, a number itself."""
    if type(leaf) in (ArrayProxy, ScalarProxy):
        return leaf.meta
    return TensorMeta((), leaf.dtype, scalar=True) if isinstance(leaf, np.generic) else leaf


def text_of(leaf: Any) -> str:
    if type(leaf) is Mixed:
        return f"a Python {leaf.kind.__name__} or the NumPy scalar {value_text(meta_of(leaf.scalar))}"
    meta = meta_of(leaf)
    if isinstance(meta, TensorMeta):
        return f"the {'NumPy scalar' if meta.scalar else 'array'} {value_text(meta)}"
    return f"the Python {python_type(leaf).__name__} {leaf if not is_symbolic(leaf) else ''}".rstrip() if is_value(leaf) else repr(leaf)


def standing_for(value: Any) -> Any:
    """A number or a scalar of the same kind as the value; a value outside the graph is itself."""
    if not is_value(value):
        return value
    meta = meta_of(value)
    return np.zeros((), meta.dtype)[()] if isinstance(meta, TensorMeta) else python_type(value)()


# Values that are one of several


def union_of(tests: list[Any], options: list[Any], name: str, told: str | None = None) -> SymbolicUnion:
    """One of several values; ``tests``: for all but the last, the truth that it is that one.
    ``told``: how they came about, in words.
    """
    last: Any = True
    for test in tests:
        none = sym_not(test)
        last = none if last is True else none & last
    return SymbolicUnion((*tests, last), tuple(options), name, told or _alternatives(options))


def _alternatives(options: list[Any]) -> str:
    """What a value may be, in words: of many values of one kind the kind."""
    texts = [text(option) for option in options]
    kinds = [*dict.fromkeys(texts)] if len(texts) > 2 else texts
    return ", or ".join(kinds if len(kinds) > 1 else [*kinds, "another"])


# Values that are taken apart


class _Compound(NamedTuple):
    """How values of a type are taken apart: their ``parts``, the value ``of`` other parts, and the
    ``tag`` that two values of one structure share beside their parts.
    """

    parts: Callable[[Any], Sequence[Any]]
    of: Callable[[Any, list[Any]], Any]
    tag: Callable[[Any], Any] = type


def is_of_items(value: Any) -> bool:
    """Whether a value is nothing but its items: a tuple, also one whose items have names."""
    cls = type(value)
    return cls is tuple or (isinstance(value, tuple) and not hasattr(value, "__dict__") and not is_own(cls))


def _either_like(value: SymbolicUnion, parts: list[Any]) -> SymbolicUnion:
    count = len(value.tests) - 1
    return union_of(parts[:count], parts[count:], value.name)


def _text_like(value: DataText, leaves: list[Any]) -> DataText:
    rest, parts = iter(leaves), []
    for part in value.parts:
        form = tree_flatten(part)[1]
        other = [next(rest) for _ in range(form.num_leaves)] if type(part) is not str else []
        parts.append(part if type(part) is str else _text_like(part, other) if type(part) is DataText else form.unflatten(other))
    return DataText(value.form, *parts)


_COMPLEX = _Compound(complexes.parts_of, lambda value, parts: complexes.number(*parts), lambda value: complex)
_FRESH = _Compound(lambda value: value.items, lambda value, parts: value.like(parts), lambda value: value.tag)
_VIEW = _Compound(lambda value: value.places, lambda value, parts: value.at(parts), lambda value: value.tag)


def method_like(value: types.MethodType, parts: list[Any]) -> types.MethodType:
    """The method bound to another object, or the same: which equal method it is depends on the
    side, or the iteration.
    """
    made = types.MethodType(value.__func__, *parts)
    recorder().session.world.merged[id(made)] = made
    return made


_METHOD = _Compound(lambda value: (value.__self__,), method_like, lambda value: value.__func__)
_TUPLE = _Compound(lambda value: value, lambda value, parts: tuple.__new__(type(value), parts))
_ITEM = _Compound(lambda value: value.within[:2], lambda value, parts: value.elsewhere(*parts), lambda value: value.root)
_INNER = _Compound(lambda value: (value.number,), lambda value, parts: value.store.list_at(parts[0]), lambda value: value.store)
_CONTAINERS = (_TUPLE, _FRESH, _VIEW, _ITEM)
_COMPOUNDS: dict[type, _Compound] = {
    complex: _COMPLEX,
    Complex: _COMPLEX,
    Counting: _Compound(
        lambda value: (value.value,),
        lambda value, parts: value._replace(value=parts[0]),
        lambda value: (value.stop if type(value.stop) is int else id(value.stop), value.step),
    ),
    Mixed: _Compound(
        lambda value: (value.python, value.scalar),
        lambda value, parts: mixed.number(value.kind, parts[0], parts[1], value.name, value.most),
        lambda value: value.kind,
    ),
    DataText: _Compound(lambda value: tree_flatten(value)[0], _text_like, lambda value: tree_flatten(value)[1]),
    SymbolicUnion: _Compound(lambda value: (*value.tests[:-1], *value.options), _either_like),
    Fresh: _FRESH,
    ViewByPlaces: _VIEW,
    types.MethodType: _METHOD,
    **dict.fromkeys(INNER, _INNER),
}


def compound_of(value: Any) -> _Compound | None:
    """How a value is taken apart, if it is."""
    return _COMPOUNDS.get(type(value)) or (_ITEM if is_list_within(value) else _TUPLE if is_of_items(value) else None)


def _container(value: Any) -> _Compound | None:
    """The row of a tuple, or of a list, an object or a view that is taken apart."""
    found = compound_of(value)
    return found if found in _CONTAINERS else None


def _are_alike(one: Any, other: Any) -> bool:
    """Whether two containers have the same places."""
    row = _container(one)
    return row is _container(other) and row is not None and row.tag(one) == row.tag(other) and len(row.parts(one)) == len(row.parts(other))


def _holds(value: Any, *kinds: type) -> bool:
    """Whether a value is a stand-in of one of these kinds, or holds one."""
    held = value.options if type(value) is SymbolicUnion else value if is_of_items(value) else ()
    return type(value) in kinds or any(_holds(item, *kinds) for item in held)


def is_of_texts(form: Any) -> bool:
    """Whether a form differs from the values that are converted to it in texts alone."""
    return not _holds(form, Mixed, SymbolicUnion)


def made(value: Any) -> Any:
    """The value with objects and views in place of their stand-ins."""
    if not _holds(value, Fresh, ViewByPlaces):
        return value
    if type(value) is ViewByPlaces:
        return value.made()
    if type(value) is SymbolicUnion:
        return SymbolicUnion(value.tests, tuple(map(made, value.options)), value.name, value.text)
    row = _FRESH if type(value) is Fresh else _TUPLE
    items = list(map(made, row.parts(value)))
    return value.made(items) if row is _FRESH else row.of(value, items)


def with_views(value: Any, beside: Any) -> Any:
    """The value with views in place of their stand-ins, unless both may be stand-ins."""
    if not _holds(value, ViewByPlaces):
        return value
    if type(value) is tuple is type(beside) and len(value) == len(beside):
        return tuple(map(with_views, value, beside))
    return value if type(value) is not tuple and may_be_views(value, beside) else made(value)


def flat(value: Any) -> list[Any]:
    """The leaves of a value: what can be taken apart is, down to arrays, scalars and numbers."""
    row = compound_of(value)
    return [value] if row is None else [leaf for part in row.parts(value) for leaf in flat(part)]


def rebuilt(value: Any, leaves: Any) -> Any:
    """The value with other leaves, taken from an iterator."""
    row = compound_of(value)
    return next(leaves) if row is None else row.of(value, [rebuilt(part, leaves) for part in row.parts(value)])


def _shape_of(value: Any) -> Any:
    """The structure of a value."""
    row = compound_of(value)
    return None if row is None else (row, row.tag(value), *map(_shape_of, row.parts(value)))


def _is_writeable(leaf: Any) -> bool:
    return type(leaf) is not ArrayProxy or leaf.writeable


def fitting(one: Any, other: Any, fit: Fit = fits) -> bool:
    """Whether one value may replace the other in the next iteration; ``fit`` compares leaves."""
    if _shape_of(one) != _shape_of(other) or any(a < b for a, b in zip(_limits(one), _limits(other), strict=True)):
        return False
    return all(
        (is_value(a) and is_value(b) and fit(meta_of(a), meta_of(b)) and _is_writeable(a) and _is_writeable(b))
        or (not is_value(a) and not is_value(b) and same(a, b))
        for a, b in zip(flat(one), flat(other), strict=True)
    )


def _limits(value: Any) -> list[int]:
    """The bounds of Python integers among the numbers in the value."""
    if type(value) is Mixed:
        return [value.most]
    row = compound_of(value)
    return [limit for part in (() if row is None else row.parts(value)) for limit in _limits(part)]


def form_of(one: Any, other: Any, name: str, fit: Fit = fits, carried: Callable[[Any], bool] | None = None) -> Any:
    """A value whose leaves have kinds that both values can be converted to (`formed`); ``NULL`` if
    there are none. ``fit``: whether two leaves are of one kind; ``carried``: whether a leaf may be
    one of several values (`is_carried`).
    """
    if fitting(one, other, fit):
        return one
    row = _container(one)
    if row is not None and _are_alike(one, other):
        parts = [form_of(a, b, name, fit, carried) for a, b in zip(row.parts(one), row.parts(other), strict=True)]
        return _choice_of(one, other, name, fit, carried) if any(part is NULL for part in parts) else row.of(one, parts)
    if DataText in (type(one), type(other)) and is_text(one) and is_text(other):
        form = _text_form(one, other)
        if form is not NULL:
            return form
    number = _number_of(one, other, name)
    return _choice_of(one, other, name, fit, carried) if number is NULL else number


def _number_of(one: Any, other: Any, name: str) -> Any:
    """The form of a number that is Python's or NumPy's. An integer that iterations change may be as
    large as `mixed.EXACT`.
    """
    if not (mixed.is_number(one) and mixed.is_number(other)):
        return NULL
    sides = mixed.Side(one), mixed.Side(other)
    together = mixed.kind_of(*sides)
    grows = sides[0].mixed and sides[0].most < sides[1].most
    most = mixed.EXACT if grows else max(side.most for side in sides)
    return NULL if together is None else Mixed(together[0], True, together[1].type(0), name, most)


MOST = 8
"""The largest number of values that one may be."""


def _choice_of(one: Any, other: Any, name: str, fit: Fit, carried: Callable[[Any], bool] | None) -> Any:
    """The form of a value that is one of those that either may be."""
    if Counting in (type(one), type(other)) or _holds(one, Fresh) or _holds(other, Fresh):
        return NULL
    forms: list[Any] = []
    for _, option in (*options_of(one), *options_of(other)):
        if any(fitting(form, option, fit) for form in forms):
            continue
        if not all(map(carried or is_carried, flat(option))) or any(fitting(form, option, alike) for form in forms):
            return NULL
        for place, form in enumerate(forms):
            together = _number_of(form, option, name)
            if together is not NULL:
                forms[place] = together
                break
        else:
            forms.append(standing(option))
    return SymbolicUnion((True,) * len(forms), tuple(forms), name, "") if 1 < len(forms) <= MOST else NULL


def is_carried(leaf: Any) -> bool:
    """Whether a leaf may be one of several values that come in with an iteration."""
    return is_value(leaf) and _is_writeable(leaf) or leaf is NULL or type(leaf) in SCALARS or isinstance(leaf, _CONSTANT)


_CONSTANT = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, enum.Enum, np.ufunc, np.dtype, MessageOfData)


def standing(option: Any) -> Any:
    """The option with metas in place of arrays; sizes that only data know are 0."""
    if type(option) is Mixed:
        return Mixed(option.kind, True, standing_for(option.scalar), option.name, option.most)
    if type(option) is SymbolicUnion:
        return _first_of(option, standing)
    row = _container(option)
    if row is not None:
        return row.of(option, list(map(standing, row.parts(option))))
    if is_complex(option) or type(option) is DataText:
        return rebuilt(option, iter(map(standing, flat(option))))
    meta = meta_of(option) if is_value(option) else option
    if not isinstance(meta, TensorMeta):
        return standing_for(option)
    return meta if meta.scalar else TensorMeta(tuple([0 if is_unbacked(size) else size for size in meta.shape]), meta.dtype)


def _first_of(value: SymbolicUnion, made: Callable[[Any], Any]) -> SymbolicUnion:
    """A `SymbolicUnion` of as many options, the first of which holds; ``made`` makes each."""
    return SymbolicUnion((True, *[False] * (len(value.options) - 1)), tuple(map(made, value.options)), value.name, "")


def filled(form: Any) -> Any:
    """A filler for an option of this form that is not the one that holds."""
    row = _container(form)
    if row is not None:
        return row.of(form, list(map(filled, row.parts(form))))
    if type(form) is SymbolicUnion:
        return _first_of(form, filled)
    return form if type(form) is Mixed else rebuilt(form, iter(map(filler, flat(form))))


def filler(leaf: Any) -> Any:
    """A leaf of the same kind that nobody reads; sizes that are not known here are 0. Raises
    ``Unsupported`` (E103) for NumPy texts: an empty one has another dtype.
    """
    if not isinstance(leaf, TensorMeta):
        return standing_for(leaf)
    if leaf.scalar and leaf.dtype.kind in "SU":
        raise Unsupported("E103", "a branch depends on data, and on one side alone there is a text that depends on data")
    if leaf.scalar:
        return standing_for(leaf)
    return recorder().call(ops.np.zeros, tuple([size if recorder().sizes.knows(size) else 0 for size in leaf.shape]), leaf.dtype)


def _choice(value: Any, form: SymbolicUnion) -> SymbolicUnion:
    """The value as one of the options of a form."""
    tests: list[Any] = [False] * len(form.options)
    options: list[Any] = [filled(option) for option in form.options]
    for test, option in options_of(value):
        place = _place(option, form)
        if tests[place] is not False:
            raise Unsupported("E103", f"data decide whether {form.name} is {text(options[place])}, or {text(option)}")
        tests[place], options[place] = test, formed(option, form.options[place])
    return union_of(tests[:-1], options, form.name)


def _place(option: Any, form: SymbolicUnion) -> int:
    """The option of a form that a value belongs to."""
    found = next((place for place, each in enumerate(form.options) if fitting(option, each, alike)), None)
    if found is None:
        numbers = [place for place, each in enumerate(form.options) if type(each) is Mixed]
        found = next((place for place in numbers if _number_of(form.options[place], option, form.name) is not NULL), None)
    if found is None:  # an integer of data that is found to be none of the numbers that NumPy's scalar holds
        raise Unsupported("E103", f"data decide whether {form.name} is {text(option)}, which is {text(form)} elsewhere")
    return found


def has_form(value: Any, form: Any) -> bool:
    """Whether a value has the leaves of a form."""
    return (
        _shape_of(value) == _shape_of(form)
        and _limits(value) == _limits(form)
        and all(
            alike(meta_of(a), meta_of(b)) if is_value(a) and is_value(b) else same(a, b)
            for a, b in zip(flat(value), flat(form), strict=True)
        )
    )


def formed(value: Any, form: Any) -> Any:
    """The value converted to the kinds of leaves of a form; conversions are recorded."""
    row = _container(form)
    if row is not None:
        return row.of(form, [formed(a, b) for a, b in zip(row.parts(value), row.parts(form), strict=True)])
    if type(form) is DataText:
        return _of_form(value, form)
    if type(form) is SymbolicUnion:
        return value if has_form(value, form) else _choice(value, form)
    if type(form) is not Mixed or (type(value) is Mixed and value.most == form.most):
        return value
    side = mixed.Side(value)
    return Mixed(form.kind, side.python, side.scalar(meta_of(form.scalar).dtype), form.name, form.most)


def aligned(value: Any, form: Any) -> list[Any]:
    """The leaves of a value in the order of its form; ``None`` for numbers of another form."""
    row = _container(form)
    if row is not None:
        return [leaf for a, b in zip(row.parts(value), row.parts(form), strict=True) for leaf in aligned(a, b)]
    if type(form) is DataText:
        return flat(value) if _shape_of(value) == _shape_of(form) else [None] * len(flat(form))
    if type(form) is SymbolicUnion and not has_form(value, form):
        places = {_place(option, form): option for _, option in options_of(value)}
        found: list[Any] = [None] * (len(form.options) - 1)
        for place, each in enumerate(form.options):
            found += aligned(places[place], each) if place in places else [None] * len(flat(each))
        return found
    return [None, None] if type(form) is Mixed and type(value) is not Mixed else flat(value)


def _text_form(one: Any, other: Any) -> Any:
    """A text that is either of two; ``NULL`` if they contain arrays."""
    together = chosen_text(True, one, other)
    if alternatives(together):
        return together
    for text, form in ((other, one), (one, other)):
        if type(form) is DataText and _of_form(text, form) is not NULL:
            return form
    if any(type(leaf) is ArrayProxy for text in (one, other) for leaf in flat(text)):
        return NULL
    return together


def _of_form(text: Any, form: DataText) -> Any:
    """A text as one of a form, in which it may be one of two; ``NULL`` if it does not fit."""
    if _shape_of(text) == _shape_of(form):
        return text
    names, known = alternatives(form), alternatives(text)
    if known and {*known} <= {*names} and _shape_of(among := one_of(names, text)) == _shape_of(form):
        return among
    if form.form != "choose":
        return NULL
    for truth, place in ((True, 1), (False, 2)):
        part = form.parts[place]
        mine = (text if part == text else NULL) if type(part) is str and type(text) is str else NULL
        mine = _of_form(text, part) if type(part) is DataText else mine
        if mine is not NULL:
            others = [_anything(each) for each in form.parts]
            others[0], others[place] = truth, mine
            return DataText("choose", *others)
    return NULL


def _anything(text: Any) -> Any:
    """A text of the same form that nobody reads."""
    return rebuilt(text, iter([filler(meta_of(leaf)) for leaf in flat(text)])) if type(text) is DataText else text


def text(value: Any) -> str:
    if value is NULL:
        return "unbound"
    if is_of_items(value) or type(value) is Counting:
        return f"({', '.join(map(text, value))})"
    if type(value) is Fresh:
        return with_article(value.cls.__name__)
    if type(value) is ViewByPlaces:
        return text_of(value.like)
    if not _is_writeable(value):
        return f"{text_of(value)}, read-only"
    if type(value) is Complex:
        return "a complex number of Python"
    if type(value) is DataText:
        return "a text that depends on data"
    return text_of(value) if is_value(value) or type(value) is Mixed else _shown(value)


def _shown(value: Any) -> str:
    """Any value outside the graph, without the address that the default ``repr`` shows."""
    if type(value) is SymbolicUnion:
        return " or ".join(dict.fromkeys(map(text, value.options)))
    if type(value) in (list, dict, set):
        return f"{with_article(type(value).__name__)} of {len(value)} item{'s' * (len(value) != 1)}"
    plain = type(value) in SCALARS
    return f"the {type(value).__name__} {value!r}"[:80] if plain else with_article(type(value).__name__)
