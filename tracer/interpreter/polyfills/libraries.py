"""What C of the standard library does by calling Python, in plain Python: see `npexport.tracer.models.fallback`."""

from __future__ import annotations

import copyreg
import json.encoder
import json.scanner
import sys


def by_position(sequence):
    """What ``iter`` goes over where a class has ``__getitem__`` alone."""
    position = 0
    while True:
        try:
            value = sequence[position]
        except (IndexError, StopIteration):
            return
        yield value
        position += 1


def chained(iterables):
    """``chain.from_iterable``."""
    for iterable in iterables:
        yield from iterable


def update(target, mapping, kwargs):
    """``target.update(mapping, **kwargs)`` of a mapping that is no dict."""
    for key in mapping.keys():  # noqa: SIM118
        target[key] = mapping[key]
    target.update(kwargs)


def dict_of(mapping, kwargs):
    """``dict(mapping, **kwargs)``."""
    made = {}
    update(made, mapping, kwargs)
    return made


def class_made(cls, kwargs):
    """What ``type.__new__`` does once the class is there."""
    for name, value in list(vars(cls).items()):
        if hasattr(type(value), "__set_name__"):
            name_attribute(cls, name, value)
    super(cls, cls).__init_subclass__(**kwargs)
    return cls


def name_attribute(cls, name, value):
    try:
        type(value).__set_name__(value, cls, name)
    except Exception as error:
        text = f"Error calling __set_name__ on {type(value).__name__!r} instance {name!r} in {cls.__name__!r}"
        if sys.version_info < (3, 12):
            raise RuntimeError(text) from error
        error.add_note(text)
        raise


def subclass_check(cls, subclass, registered):
    """What ``ABCMeta.__subclasscheck__`` does, but for its caches."""
    if not isinstance(subclass, type):
        raise TypeError("issubclass() arg 1 must be a class")
    answer = cls.__subclasshook__(subclass)
    if answer is not NotImplemented:
        return answer
    if cls in subclass.__mro__:
        return True
    return any(issubclass(subclass, other) for other in (*registered, *cls.__subclasses__()))


def reduced(obj):
    """``object.__reduce_ex__`` of the protocols from 2 on."""
    cls = type(obj)
    make, args = copyreg.__newobj__, (cls,)
    if hasattr(cls, "__getnewargs_ex__"):
        positional, named = obj.__getnewargs_ex__()
        make, args = (copyreg.__newobj_ex__, (cls, positional, named)) if named else (make, (cls, *positional))
    elif hasattr(cls, "__getnewargs__"):
        args = (cls, *obj.__getnewargs__())
    items = iter(obj) if isinstance(obj, list) else None
    return make, args, obj.__getstate__(), items, iter(obj.items()) if isinstance(obj, dict) else None


def encoder(markers, default, text, indent, key_separator, item_separator, sort_keys, skipkeys, allow_nan):
    """json's encoder of C, in json's Python."""

    def float_text(value):
        if value - value == 0:
            return float.__repr__(value)
        if not allow_nan:
            raise ValueError("Out of range float values are not JSON compliant: " + repr(value))
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"

    return json.encoder._make_iterencode(
        markers, default, text, indent, float_text, key_separator, item_separator, sort_keys, skipkeys, True
    )


scanner = json.scanner.py_make_scanner  # type: ignore[attr-defined]
