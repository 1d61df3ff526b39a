"""Functions that make text of data (``str``, ``repr``, ``ascii``, ``format``, ``%``,
``str.format``, ``str.join``), and C functions that get such texts.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import inspect
import itertools
import re
import sys
import types
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import PRINT_OPTIONS, implementation
from npexport.ir.texts import JOINED_BY, OF_INTEGERS, OF_NUMPY
from npexport.ir.texts import of_numpy as function_of_numpy
from npexport.symshapes.env import known
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_float
from npexport.symshapes.symint import SymInt, is_symbolic, python_type
from npexport.tracer.arrays.core import texts
from npexport.tracer.arrays.core.complexes import Complex
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.filled_list_kinds import refused
from npexport.tracer.arrays.core.item_structures import Constant, Kinds, Text, shown
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, as_number
from npexport.tracer.arrays.core.refusing import FILLED_LIST
from npexport.tracer.arrays.core.texts import DataText, holds_data
from npexport.tracer.control.failures import PLAIN
from npexport.tracer.effects.world import ShadowedWorld, current_world
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.program import unanswered
from npexport.tracer.interpreter.symbolic_union import ITERABLES
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.host_calls import run
from npexport.tracer.models.registry import DECLINED, models, of_numpy, row

_CONVERSION = re.compile(r"%(?:\((?P<key>[^)]*)\))?[#0\- +]*(?P<width>\*|\d+)?(?:\.(?P<digits>\*|\d+))?[hlL]?(?P<type>.)", re.DOTALL)


def text(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``str``, ``repr``, ``ascii`` and ``format`` of one value, and templates of several."""
    if fn in (str, format) and not kwargs and args[1:] in ((), ("",)) and args and _tells_its_text(args[0]):
        return args[0].args[0]
    made = text_of(fn, args, kwargs)
    return run(world, vm, fn, args, kwargs) if made is None else _made(world, made)


models("builtins", "str.format")(text)
models("_operator", "mod", "imod")(text)


@models("builtins", "BaseException.add_note")
def add_note(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The note is added here, since C accepts no text that depends on data."""
    error = getattr(fn, "__self__", None)
    if len(args) != 1 or kwargs or type(args[0]) is not DataText or not isinstance(error, BaseException):
        return DECLINED
    notes = vars(error).setdefault("__notes__", [])
    if type(notes) is not list:
        raise texts.refusal("it is a note of an exception whose notes are no list")
    notes.append(args[0])
    return None


def _tells_its_text(error: Any) -> bool:
    """Whether the text of an exception is its only argument, and depends on data."""
    if not isinstance(error, BaseException) or type(error).__str__ is not BaseException.__str__:
        return False
    return len(error.args) == 1 and type(error.args[0]) is DataText


def join(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``str.join`` of a list or tuple; C makes a list first of any other iterable."""
    items: Any = args[-1] if args else None
    if type(items) is ArrayProxy and items.dtype.kind == "U" and items.ndim == 1 and type(items.shape[0]) is int:
        array: Any = items
        items = [array[place] for place in range(items.shape[0])]
    if type(items) in ITERABLES and any(type(item) is DataText or _is_text(item) for item in copy.copy(iter(items))):
        items = list(items)
        args = (*args[:-1], items)
    if type(items) in (list, tuple) and any(map(_is_text, items)):  # NumPy's are texts, too
        args = (*args[:-1], [text_of(str, (item,), {}) if _is_text(item) else item for item in items])
    if type(items) is FilledList:
        owner, *_ = args if len(args) > 1 else (fn.__self__,)
        world.mixes = True
        return DataText(JOINED_BY, owner, _of_texts(items))
    made = text_of(fn, args, kwargs)
    return DECLINED if made is None else _made(world, made)


def _of_texts(values: FilledList) -> FilledList:
    """A copy of a list of texts. Raises ``Unsupported`` (E103) for others."""
    options = values.item.options if isinstance(values.item, Kinds) else (values.item,)
    if not all(isinstance(each, Text) or (isinstance(each, Constant) and type(each.value) is str) for each in options):
        raise refused(f"is joined, and holds {shown(values.item)}")
    return values.listed()


def _is_text(item: Any) -> bool:
    return type(item) is ScalarProxy and item.dtype.kind == "U" and not item.known


def _made(world: ShadowedWorld, made: DataText) -> Any:
    """The text as the program holds it: with copies of arrays, so that later writes do not show."""
    _require_total(made)
    world.mixes = True
    return DataText(made.form, *map(_frozen, made.parts))


def text_of(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> DataText | None:
    """The text that a call makes of data; ``None`` if it makes none.

    Raises ``Unsupported`` (E114) if the program has changed how NumPy prints, since the text is
    formatted later.
    """
    made = _text_of(fn, args, kwargs)
    if made is not None:
        _require_usual_printing(made.parts)
    return made


def _require_usual_printing(parts: tuple[Any, ...]) -> None:
    """Raises ``Unsupported`` (E114) where the program has changed how NumPy prints such parts."""
    if PRINT_OPTIONS is None:
        if any(type(part) is ArrayProxy for part in parts):
            raise texts.refusal("shows an array as this version of NumPy prints it")
    elif PRINT_OPTIONS.get() is not current_world().context.run(PRINT_OPTIONS.get):
        raise texts.refusal("the program changes how NumPy prints")


def _integer(value: Any) -> Any:
    """A number as the integer that C makes of it, if it is one."""
    return as_number(value, "a text") if type(value) is ScalarProxy and value.dtype.kind in "iu" else value


def _text_of(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> DataText | None:
    form = _form(fn)
    if form in OF_INTEGERS and len(args) == 1 and not kwargs and holds_data(args):
        return DataText(form, _integer(args[0]))
    if form is not None and 1 <= len(args) <= (2 if form == "format" else 1) and not kwargs and holds_data(args[0]):
        if type(args[0]) is DataText and form in ("str", "format") and args[1:] in ((), ("",)):
            return args[0]
        return DataText(form, args[0], *(args[1:] or ("",) * (form == "format")))
    owner = getattr(fn, "__self__", None)
    if type(owner) is str and (holds_data(args) or holds_data(kwargs)):
        if fn.__name__ == "format":
            if any(type(value) is DataText for value in (*args, *kwargs.values())):
                return _piece_by_piece(owner, args, kwargs)
            return None if _reads_parts_alone(owner) else DataText("method", owner, list(args), kwargs)
        if fn.__name__ == "join" and len(args) == 1 and type(args[0]) in (list, tuple):
            owner.join(["" if type(item) is DataText else item for item in args[0]])  # raises for what is not a text
            found = texts.joined([part for item in args[0] for part in (owner, item)][1:])
            return found if type(found) is DataText else None
    if getattr(fn, "__name__", "") in ("mod", "imod") and len(args) == 2 and type(args[0]) is str and holds_data(args[1]):
        return DataText("percent", *args)
    return None


def _piece_by_piece(template: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> DataText | None:
    """What ``str.format`` makes of values, some of which are texts that depend on data."""
    found: list[Any] = []
    _require_template(template, args, kwargs)
    for literal, name, spec, conversion in _numbered(template):
        found.append(literal)
        if name is not None:
            value = args[int(name)] if name.isdecimal() else kwargs[name]
            if conversion is not None:
                value = _written(_CONVERSIONS[conversion], value)
            found.append(_written(format, value, spec))
    made = texts.joined(found)
    return made if type(made) is DataText else None


def _written(fn: Any, value: Any, *given: Any) -> Any:
    made = text_of(fn, (value, *given), {})
    if made is None and type(value) not in PLAIN:
        raise texts.refusal("it is written beside an object that C makes a text of")
    return fn(value, *given) if made is None else made


_CONVERSIONS: dict[str, Any] = {"s": str, "r": repr, "a": ascii}


def _numbered(template: str) -> Iterator[Any]:
    """The fields of a template, where those without a name have their numbers."""
    count = itertools.count()
    for literal, name, spec, conversion in _fields(template):
        yield literal, str(next(count)) if name == "" else name, spec, conversion


def _form(fn: Any) -> str | None:
    """The form of `DataText` that a builtin makes of an object; ``None`` if it makes none."""
    is_builtin = type(fn) in (types.BuiltinFunctionType, type) and getattr(builtins, fn.__name__, None) is fn
    return row("builtins", fn.__name__).form if is_builtin else None


@functools.cache
def _text_of_numpy(fn: Any) -> Any:
    signature, plain = inspect.signature(fn), implementation(fn) or unanswered(fn)

    def model(*args: Any, **kwargs: Any) -> Any:
        value, options = args[0] if args else None, dict(signature.bind(*args, **kwargs).arguments)
        if not holds_data(value):
            return Invoke(plain, args, kwargs)
        options.pop(next(iter(signature.parameters)))
        options = {name: option for name, option in options.items() if option is not signature.parameters[name].default}
        _require_usual_printing((value,))
        return _made(current_world(), DataText("numpy", fn.__name__, value, options))

    return model


of_numpy({function_of_numpy(name): _text_of_numpy(function_of_numpy(name)) for name in OF_NUMPY if hasattr(np, name)})


@models("numpy.testing._private.utils", "build_err_msg")
def text_of_arrays(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The only such function that the module ``numpy`` does not export."""
    return _text_of_numpy(fn)(*args, **kwargs)


# Whether a text can be written, whatever the values are


def _require_total(made: DataText) -> None:
    """Raises what Python raises for values of these types; ``Unsupported`` (E114) if the values
    decide whether the text can be formatted.
    """
    if made.form == "format":
        _format(made.parts[0], made.parts[1])
    elif made.form == "percent":
        template, values = made.parts
        _require_conversions(template, values)
        template % _like(values)  # raises
    elif made.form == "numpy":
        name, value, options = made.parts
        if not set(options) <= OF_NUMPY[name] or any(holds_data(option) and type(option) is not DataText for option in options.values()):
            raise texts.refusal(f"`np.{name}` is called with options that may run Python")
        function_of_numpy(name)(_like(value), **_like(options))  # raises
    elif made.form == "method":
        _require_template(*made.parts)
    elif made.form in OF_INTEGERS:
        _require_integer(made.form, *made.parts)


def _require_integer(form: str, value: Any) -> None:
    getattr(builtins, form)(_like(value))  # raises
    if form == "chr" and not (type(value) is SymInt and known(value >= 0) is known(value <= sys.maxunicode) is True):
        raise texts.refusal("the data say whether a number is that of a character")


def _format(value: Any, spec: Any) -> None:
    if type(spec) is not str:
        raise texts.refusal("how it is formatted does, too")
    if spec.endswith("c"):
        raise texts.refusal("the data say whether a number is that of a character")
    if spec[-1:] in _OF_FLOATS:
        _require_float(value)
    if not (type(value) is DataText or isinstance(value, (tuple, list, dict))):
        format(_like(value), spec)  # raises
    elif spec:
        (str if type(value) is DataText else object).__format__("" if type(value) is DataText else value, spec)  # raises


def _require_conversions(template: str, values: Any) -> None:
    named = type(values) is dict
    given = [] if named else list(values) if type(values) is tuple else [values]
    for found in _CONVERSION.finditer(template):
        kind = found["type"]
        if kind == "%":
            continue
        if "*" in (found["width"], found["digits"]):
            raise texts.refusal("its template takes widths from the values")
        value = values.get(found["key"]) if named else given.pop(0) if given else None
        if kind not in "sra" and type(value) is ArrayProxy and value.ndim and known(value.size != 1):
            continue  # Python raises, whatever the elements are
        if kind == "c" or (kind in "diu" and _is_float(value)):
            raise texts.refusal(f"the data say whether `%{kind}` can write a number")
        if kind in _OF_FLOATS:
            _require_float(value)
        if kind not in "sra" and type(value) is ArrayProxy:
            raise texts.refusal(f"`%{kind}` is given an array")


_OF_FLOATS = tuple("eEfFgG%")


def _require_float(value: Any) -> None:
    """Let the program raise if an integer is too large to be written as a float."""
    if type(value) is SymInt:
        sym_float(value)


def _is_float(value: Any) -> bool:
    if type(value) in (ArrayProxy, ScalarProxy):
        return bool(value.dtype.kind not in "biu")
    return python_type(value) is float if is_symbolic(value) else False


def _fields(template: str) -> Any:
    """The fields that ``str.format`` finds in a template."""
    import string

    return string.Formatter().parse(template)


def _reads_parts_alone(template: str) -> bool:
    """Whether a template reads only attributes and items, which may be known."""
    names = [name for _, name, _, _ in _fields(template) if name is not None]
    return bool(names) and not any(map(_is_whole, names))


def _is_whole(name: str) -> bool:
    return name == "" or name.isidentifier() or name.isdecimal()


def _require_template(template: str, args: Any, kwargs: dict[str, Any]) -> None:
    """Raises what ``str.format`` raises for values of these types."""
    values = dict(zip(map(str, itertools.count()), args, strict=False)) | kwargs
    numbers = map(str, itertools.count())
    for _, name, spec, conversion in _fields(template):
        if name is None:
            continue
        if not _is_whole(name):
            raise texts.refusal("its template reads attributes or items of the values")
        if spec and ("{" in spec or spec.endswith("c")):
            raise texts.refusal("how it is formatted does, too")
        value = values.get(name or next(numbers))
        if spec and spec[-1:] in _OF_FLOATS and not conversion:
            _require_float(value)
    template.format(*_like(args), **_like(kwargs))  # raises


def _like(value: Any) -> Any:
    """A plain value of the same type."""
    if type(value) is ScalarProxy:
        return value.example_of_type()
    if type(value) is ArrayProxy:
        return np.ones((2,) * value.ndim, value.dtype)
    if type(value) is DataText:
        return "x"
    if type(value) is Complex:
        return 1j
    if is_symbolic(value):
        return python_type(value)()
    if type(value) in (tuple, list):
        return type(value)(map(_like, value))
    return {key: _like(item) for key, item in value.items()} if type(value) is dict else value


# In graphs


# The values, as they are now


def _frozen(value: Any) -> Any:
    """The value with copies of its arrays, so that the text does not change any more."""
    if type(value) is DataText:
        return value
    if type(value) is ArrayProxy:
        regions = recorder().regions
        stays = regions and not regions[-1].logs and not regions[-1].owns(value.storage)  # nothing is written to it before it is told
        return value if stays else recorder().call(ops.np.copy, value)
    if type(value) in (tuple, list):
        if any(type(item) is DataText for item in value):
            raise texts.refusal("it is part of the text of a container")
        return type(value)(map(_frozen, value))
    if type(value) is dict and all(type(key) in PLAIN for key in value):
        return {key: _frozen(item) for key, item in value.items()}
    if type(value) in (ScalarProxy, Complex, *PLAIN) or is_symbolic(value) or isinstance(value, (np.generic, np.dtype)):
        return value
    what = FILLED_LIST if type(value) in texts.LISTS_OF_TEXTS else f"an object of the class `{type(value).__qualname__}`"
    raise Unsupported("E114", f"text is made of data together with {what}")


# What C is given

_KEEPING = (list, tuple, dict, set, frozenset, deque)
_ASKING = (isinstance, issubclass, type, id, getattr, hasattr, setattr, callable, print)


def given(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call of C that is not a form of text: texts of data only if C keeps them
    as they are; those of sizes alone are formatted, which makes the sizes constants.
    """
    owner = getattr(fn, "__self__", None)
    if not any(type(arg) is DataText for arg in (owner, *args, *kwargs.values())) or _keeps(fn, owner):
        return args, kwargs
    if text_of(fn, args, kwargs) is not None or getattr(fn, "__module__", None) in ("_operator", "_warnings", "logging"):
        return args, kwargs
    keyed = any(isinstance(arg, (dict, set, frozenset)) for arg in (owner, *args))
    with texts.hinting() if keyed else contextlib.nullcontext():
        return tuple([_plain(arg) for arg in args]), {name: _plain(arg) for name, arg in kwargs.items()}


def _plain(value: Any) -> Any:
    return value.constant() if type(value) is DataText else value


def _keeps(fn: Any, owner: Any) -> bool:
    """Whether C passes a text on without reading it."""
    if isinstance(owner, (*_KEEPING, BaseException)) or type(owner) is DataText:
        return True
    if isinstance(fn, type):
        return issubclass(fn, (*_KEEPING, BaseException)) or fn in (type, bool)
    if isinstance(fn, types.MethodType) or type(fn) is types.FunctionType:
        return getattr(fn, "__module__", "").partition(".")[0] in ("logging", "npexport")
    kind = getattr(fn, "__objclass__", None)
    if kind is object or owner is object:
        return fn.__name__ in ("__init__", "__new__", "__setattr__")
    return (isinstance(kind, type) and issubclass(kind, (*_KEEPING, BaseException))) or (fn.__hash__ is not None and fn in _ASKING)
