"""The attribute protocol: what ``obj.name`` means for every kind of object. It pushes a frame where
the user's Python must run.

What a type does with attributes is worked out once per type (`TypeInfo`) and name. The host's own
``getattr`` does the work wherever it cannot run Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import FunctionType, MappingProxyType, MethodDescriptorType, MethodType, ModuleType, WrapperDescriptorType
from typing import Any

from npexport.symshapes.errors import Unsupported
from npexport.tracer.bytecode.host import HEAP_TYPE, NOT_WRITTEN
from npexport.tracer.interpreter.attempts import require_told
from npexport.tracer.interpreter.class_members import find, is_compiled, is_kept, require_own
from npexport.tracer.interpreter.frame import DISCARD, NULL, PUSHED, Continuation, Machine, Steps, foreign_hook
from npexport.tracer.interpreter.native import NATIVE_TYPES, c_name
from npexport.tracer.interpreter.stand_ins import as_its_class, attribute_of_c, is_of_c

ABSENT, HOST, VALUE, PROPERTY, DESCRIPTOR, DATA_DESCRIPTOR = range(6)
"""Kinds of a type's attribute: absent; safe for the host; a plain value; a property; a Python
descriptor; one with ``__set__``.
"""

SHARED = {ModuleType, FunctionType, Enum}
"""Types whose objects exist once: the world decides what a write to one means, as for classes."""

_WHOLE = frozenset({"__dict__", "__class__"})
"""Attributes that say which others there are."""
_VALUES = (int, float, complex, str, bytes)

Getter = Callable[[Any, Any, str, "Continuation | None"], Any]


def python_method(tp: type, name: str) -> Any:
    """The special method if it is the user's own, or compiled; ``None``: the host may operate."""
    if not tp.__flags__ & HEAP_TYPE or tp in NATIVE_TYPES:
        return None
    method = find(_mro(tp), name)
    return method if type(method) is FunctionType or (method is not NULL and is_compiled(method)) else None


def special_method(tp: type, name: str) -> Any:
    """The special method as the type's classes hold it, or `NULL`."""
    return find(_mro(tp), name)


def bind_special(method: Any, obj: Any) -> tuple[Any, tuple[Any, ...]]:
    """(callable, leading arguments) of a special method of ``obj``."""
    if type(method) in _UNBOUND:
        return method, (obj,)
    getter = getattr(type(method), "__get__", None)
    return (method if getter is None else getter(method, obj, type(obj))), ()


_UNBOUND = frozenset({FunctionType, WrapperDescriptorType, MethodDescriptorType})
"""Methods that are called with their object in front."""


def _mro(tp: type) -> tuple[type, ...]:
    return _MRO(tp) or ()  # a class whose mro() runs has none yet


_MRO = type.__dict__["__mro__"].__get__


def classify(value: Any) -> int:
    """What an attribute found in a class is."""
    tp = type(value)
    if tp is FunctionType:
        return HOST
    if tp is property:
        return PROPERTY if value.fget is not None or value.fset is not None or value.fdel is not None else HOST
    if not tp.__flags__ & HEAP_TYPE:
        return HOST if hasattr(tp, "__get__") else VALUE
    mro = _mro(tp)
    if find(mro, "__set__") is not NULL or find(mro, "__delete__") is not NULL:
        if issubclass(tp, property) and type(find(mro, "__get__")) is not FunctionType:
            return PROPERTY
        return DATA_DESCRIPTOR if any(type(find(mro, name)) is FunctionType for name in ("__get__", "__set__", "__delete__")) else HOST
    getter = find(mro, "__get__")
    if getter is NULL:
        return VALUE
    return DESCRIPTOR if type(getter) is FunctionType else HOST


class TypeInfo:
    """What a type does with the attributes of its objects.

    The four hooks are Python functions or ``None``. ``read``, ``written``: the names, as far as
    they were met, that the host itself may read and write, unless the program has written to
    classes.
    """

    __slots__ = (
        "delattr", "get", "getattr", "getattribute", "host_getattribute", "is_class", "is_kept", "is_shared", "members", "mro", "read",
        "setattr", "tp", "written",
    )  # fmt: skip

    def __init__(self, tp: type) -> None:
        self.tp = tp
        self.mro = _mro(tp)
        self.members: dict[str, tuple[int, Any]] = {}
        self.read: set[str] = set()
        self.written: set[str] = set()
        self.is_class = issubclass(tp, type)
        self.is_shared = self.is_class or any(base in SHARED for base in self.mro)
        self.is_kept = is_kept(self.mro)
        self.getattribute = self._hook("__getattribute__")
        self.getattr = self._hook("__getattr__")
        self.setattr = self._hook("__setattr__")
        self.delattr = self._hook("__delattr__")
        self.host_getattribute: Any = find(self.mro, "__getattribute__") if self.getattribute is None else None
        self.get = _getter(self)

    def _hook(self, name: str) -> Any:
        if not self.tp.__flags__ & HEAP_TYPE or self.tp in NATIVE_TYPES:
            return None
        method = find(self.mro, name)
        return method if type(method) is FunctionType else foreign_hook(name, method)

    def member(self, name: str) -> tuple[int, Any]:
        """(kind, value) of the type's own attribute."""
        found = self.members.get(name)
        if found is None:
            value = find(self.mro, name)
            kind = ABSENT if value is NULL else classify(value)
            found = self.members[name] = (kind, value)
            self._note(name, kind)
        return found

    def _note(self, name: str, kind: int) -> None:
        if self.get is not _of_instance or name in _WHOLE:
            return
        if kind <= HOST and self.getattribute is None and self.getattr is None:
            self.read.add(name)
        if kind not in (PROPERTY, DATA_DESCRIPTOR) and self.setattr is None and not (self.is_shared or self.is_kept):
            self.written.add(name)


class TypeTable(dict[type, TypeInfo]):
    """The types that the VM has met. It is emptied whenever a class may have changed.

    ``lacking``: the types of objects that may lack attributes, each with the function of (vm,
    object, name) that settles whether one does (`npexport.tracer.interpreter.partial_objects`).
    """

    lacking: Mapping[type, Callable[[Any, Any, str], None]] = MappingProxyType({})

    def __missing__(self, tp: type) -> TypeInfo:
        info = self[tp] = TypeInfo(tp)
        if tp in self.lacking:
            info.get = _settling(self.lacking[tp], info.get)
        return info


def _settling(settle: Callable[[Any, Any, str], None], get: Getter) -> Getter:
    def settled(vm: Machine, obj: Any, name: str, then: Continuation | None) -> Any:
        settle(vm, obj, name)
        return get(vm, obj, name, then)

    return settled


# -- reading


def get_attribute(vm: Machine, obj: Any, name: str, then: Continuation | None) -> Any:
    """``obj.name``: the value, or `PUSHED`."""
    return vm.types[type(obj)].get(vm, obj, name, then)


def _getter(info: TypeInfo) -> Getter:
    return as_its_class(_own_getter(info)) if info.tp in NATIVE_TYPES else _own_getter(info)


def _own_getter(info: TypeInfo) -> Getter:
    tp = info.tp
    special = SPECIAL_GETTERS.get(tp)
    if special is not None:
        return special
    if tp in NATIVE_TYPES:
        return _of_native
    if info.is_class:
        return _of_class
    if issubclass(tp, BaseException):
        return _of_exception
    return _of_instance if tp.__flags__ & HEAP_TYPE or tp in (staticmethod, classmethod) else _host


def _host(vm: Machine, obj: Any, name: str, then: Continuation | None) -> Any:
    return getattr(obj, name)


def _of_native(vm: Machine, obj: Any, name: str, then: Continuation | None) -> Any:
    """The program does not see what a stand-in has for itself."""
    if find(type(obj).__mro__, name) is not NULL:
        _require_attribute(vm, obj, name, "'{}' object has no attribute '{}'")
    return getattr(obj, name)


def _require_attribute(vm: Machine, obj: Any, name: str, message: str, change: Callable[[Any], None] | None = None) -> None:
    """Raises ``AttributeError`` for an attribute that the object has not for which a stand-in
    stands, and what a ``change`` of any value of its class raises. npexport's own code, where it is
    interpreted, may use it.
    """
    if vm.current_frame.info.internal:
        return
    cls = vm.world.type_of(obj)
    if change is not None and issubclass(cls, _VALUES):
        change(cls())
    if cls is not type(obj) and find(_mro(cls), name) is NULL and not cls.__dictoffset__:
        raise AttributeError(message.format(c_name(cls), name), name=name, obj=obj)


def _of_exception(vm: Machine, error: Any, name: str, then: Continuation | None) -> Any:
    found = (_of_instance if type(error).__flags__ & HEAP_TYPE else _host)(vm, error, name, then)
    if vm.tracing:
        require_told(found if type(found) is tuple else (found,))
    return found


def _of_instance(vm: Machine, obj: Any, name: str, then: Continuation | None) -> Any:
    info = vm.types[type(obj)]
    if info.getattribute is not None:
        return _through_hook(vm, info, obj, name, then)
    if vm.tracing and vm.world.overlay.writes and info.is_shared and vm.world.overlay.find(obj, name) is not None:
        return overlaid(vm, (obj,), name)
    if info.is_kept and name == "__dict__" and vm.tracing and vm.world.was_found(obj):
        return entered(vm, (), name, obj.__dict__)
    if vm.tracing and vm.world.overlay.writes and not in_instance(obj, name) and (written := overlaid(vm, info.mro, name)) is not NULL:
        if type(written) is property and written.fget is not None:
            return vm.call(written.fget, (obj,), {}, then)
        return written.__get__(obj, info.tp) if isinstance(written, (FunctionType, classmethod, staticmethod)) else written
    kind, value = info.member(name)
    if kind <= HOST:
        if info.getattr is None:
            return getattr(obj, name)
    elif kind == VALUE:
        if vm.tracing and not in_instance(obj, name):
            return entered(vm, info.mro, name, value)
    elif kind == PROPERTY:
        if value.fget is not None:
            return _with_fallback(vm, info, obj, name, (value.fget, (obj,)), then)
    elif kind == DATA_DESCRIPTOR or not in_instance(obj, name):
        getter = find(vm.types[type(value)].mro, "__get__")
        if type(getter) is FunctionType:
            return _with_fallback(vm, info, obj, name, (getter, (value, obj, info.tp)), then)
    return _by_host(vm, info, obj, name, then)


def in_instance(obj: Any, name: str) -> bool:
    """Whether the object's own ``__dict__`` has the name."""
    try:
        return name in object.__getattribute__(obj, "__dict__")
    except AttributeError:
        return False


def _by_host(vm: Machine, info: TypeInfo, obj: Any, name: str, then: Continuation | None) -> Any:
    """The host looks the attribute up; if it finds nothing, a Python ``__getattr__`` is asked."""
    if info.getattr is None:
        return getattr(obj, name)
    try:
        return info.host_getattribute(obj, name)
    except AttributeError:
        pass
    return vm.call(info.getattr, (obj, name), {}, then)


def _through_hook(vm: Machine, info: TypeInfo, obj: Any, name: str, then: Continuation | None) -> Any:
    return _with_fallback(vm, info, obj, name, (info.getattribute, (obj, name)), then)


def _with_fallback(vm: Machine, info: TypeInfo, obj: Any, name: str, request: tuple[Any, ...], then: Continuation | None) -> Any:
    """Call what finds the attribute; a Python ``__getattr__`` catches its AttributeError."""
    if info.getattr is None:
        return vm.call(request[0], request[1], {}, then)
    return vm.start(_fallback_steps(info.getattr, obj, name, request), then)


def _fallback_steps(hook: Any, obj: Any, name: str, request: tuple[Any, ...]) -> Steps:
    try:
        return (yield request)
    except AttributeError:
        pass
    return (yield hook, (obj, name))


def _of_class(vm: Machine, cls: Any, name: str, then: Continuation | None) -> Any:
    info = vm.types[type(cls)]
    if info.getattribute is not None:
        return _through_hook(vm, info, cls, name, then)
    if vm.tracing and vm.world.overlay.writes and (written := overlaid(vm, _mro(cls), name)) is not NULL:
        return written.__get__(None, cls) if isinstance(written, (classmethod, staticmethod)) else written
    kind, meta_value = info.member(name)
    if kind == PROPERTY and meta_value.fget is not None:
        return _with_fallback(vm, info, cls, name, (meta_value.fget, (cls,)), then)
    if kind == DATA_DESCRIPTOR:
        getter = find(vm.types[type(meta_value)].mro, "__get__")
        if type(getter) is FunctionType:
            return _with_fallback(vm, info, cls, name, (getter, (meta_value, cls, info.tp)), then)
    value = find(_mro(cls), name)
    if value is NULL:
        if kind == DESCRIPTOR:
            return _with_fallback(vm, info, cls, name, (find(_mro(type(meta_value)), "__get__"), (meta_value, cls, info.tp)), then)
        value = _by_host(vm, info, cls, name, then)
        return entered(vm, (cls,), name, value) if vm.tracing and value is not PUSHED else value
    tp = type(value)
    if tp is FunctionType:
        return value
    if tp.__flags__ & HEAP_TYPE and tp not in NATIVE_TYPES:
        getter = find(_mro(tp), "__get__")
        if type(getter) is FunctionType:
            return _with_fallback(vm, info, cls, name, (getter, (value, None, cls)), then)
    value = _by_host(vm, info, cls, name, then)
    if vm.tracing and name == "__dict__":
        value = vm.world.names_of(cls, value)
    owners = _mro(cls) if kind == ABSENT else (cls,)  # the metaclass's own attribute, such as __dict__, is of the class itself
    return entered(vm, owners, name, value) if vm.tracing and value is not PUSHED else value


def entered(vm: Machine, owners: tuple[Any, ...], name: str, value: Any) -> Any:
    """An attribute found in the first of ``owners`` (classes, a function) that has it; one that was
    made while interpreting is returned unchanged.
    """
    for owner in owners:
        if len(owners) == 1 or name in owner.__dict__:
            if vm.world.is_local(owner):
                return value
            return vm.world.read(value, f"attribute {owner.__qualname__}.{name}", owner.__module__)
    return vm.world.enter(value, f"attribute {name}")


def overlaid(vm: Machine, owners: tuple[Any, ...], name: str) -> Any:
    """What the program wrote to an outside class, module or function under this name, or `NULL`;
    ``AttributeError`` if it deleted it.
    """
    for owner in owners:
        written = vm.world.overlay.find(owner, name)
        if written is not None:
            if written.value is vm.world.overlay.deleted:
                shown = f"{type(owner).__name__!r} object {getattr(owner, '__name__', owner)!r}"
                raise AttributeError(f"{shown} has no attribute {name!r}", name=name, obj=owner)
            return written.value
        if name in owner.__dict__:
            break
    return NULL


def _of_module(vm: Machine, module: ModuleType, name: str, then: Continuation | None) -> Any:
    namespace = module.__dict__
    if vm.tracing and name == "__dict__":
        return vm.world.namespace(namespace)
    if vm.tracing and vm.world.overlay.writes and (written := overlaid(vm, (module,), name)) is not NULL:
        return written
    value = namespace.get(name, NULL)
    if value is NULL:
        hook = namespace.get("__getattr__")
        if type(hook) is not FunctionType or hasattr(ModuleType, name):
            value = getattr(module, name)
        else:
            return vm.call(hook, (name,), {}, then)
    return vm.world.read(value, f"{module.__name__}.{name}", module.__name__) if vm.tracing else value


def of_function(vm: Machine, function: Any, name: str, then: Continuation | None) -> Any:
    """An attribute of a function of Python, or of what wraps one."""
    if vm.tracing and name == "__globals__":
        return vm.world.namespace(function.__globals__)
    if vm.tracing and name == "__dict__":
        return entered(vm, (function,), name, vm.world.names_of(function, function.__dict__))
    if vm.tracing and vm.world.overlay.writes and (written := overlaid(vm, (function,), name)) is not NULL:
        return written
    value = getattr(function, name)
    return entered(vm, (function,), name, value) if vm.tracing else value


def _of_method(vm: Machine, method: MethodType, name: str, then: Continuation | None) -> Any:
    if not vm.tracing or (name in ("__self__", "__func__") and not is_of_c(method)):
        return getattr(method, name)
    own = is_of_c(method)
    return attribute_of_c(vm, method, name) if own else vm.world.enter(getattr(method, name), f"attribute {method.__qualname__}.{name}")


def _of_super(vm: Machine, proxy: Any, name: str, then: Continuation | None) -> Any:
    obj = proxy.__self__
    if obj is None or name == "__class__":
        return getattr(proxy, name)
    return get_super(vm, proxy, proxy.__thisclass__, obj, proxy.__self_class__, name, then)


def get_super(vm: Machine, proxy: Any, this: type, obj: Any, start: type, name: str, then: Continuation | None) -> Any:
    """``super(this, obj).name``, looked up in the order of resolution of ``start``."""
    mro = _mro(start)
    value = find(mro[mro.index(this) + 1 :], name) if this in mro else NULL
    if value is not NULL:
        instance = None if obj is start else obj
        if type(value) is FunctionType:
            return value if instance is None else MethodType(value, instance)
        if type(value) is property and instance is not None and value.fget is not None:
            return vm.call(value.fget, (instance,), {}, then)
        tp = type(value)
        if type(instance) in NATIVE_TYPES and tp in _UNBOUND:
            return MethodType(value, instance)
        if tp.__flags__ & HEAP_TYPE:
            getter = find(_mro(tp), "__get__")
            if type(getter) is FunctionType:
                return vm.call(getter, (value, instance, start), {}, then)
            if getter is NULL and vm.tracing:
                return entered(vm, mro[mro.index(this) + 1 :], name, value)
    return getattr(proxy, name)


SPECIAL_GETTERS: dict[type, Getter] = {
    ModuleType: _of_module,
    FunctionType: of_function,
    MethodType: _of_method,
    super: _of_super,
}
"""Types with an attribute lookup of their own, which generators, frames and sizes register."""

SPECIAL_HAS: dict[type, Callable[[Any, str], bool | None]] = {}
"""Types that answer ``hasattr`` without a read, unless their function returns ``None``."""


# -- writing


def set_attribute(vm: Machine, obj: Any, name: str, value: Any, then: Continuation | None = DISCARD) -> Any:
    """``obj.name = value``. The result is `PUSHED`, or has no meaning."""
    info = vm.types[type(obj)]
    if info.setattr is not None:
        return vm.call(info.setattr, (obj, name, value), {}, then)
    return set_plainly(vm, info, obj, name, value, then, setattr)


def set_plainly(vm: Machine, info: TypeInfo, obj: Any, name: str, value: Any, then: Continuation | None, write: Any) -> Any:
    """The same without any ``__setattr__``: ``write`` is ``setattr`` or ``object.__setattr__``."""
    if type(obj) in NATIVE_TYPES:
        _require_attribute(vm, obj, name, NOT_WRITTEN, lambda value_of: write(value_of, name, value))
    if name in _WHOLE:
        vm.world.binds_dicts |= name == "__dict__"
        if name == "__dict__" and type(value) in NATIVE_TYPES:
            raise Unsupported("E104", "a dict, whose keys only the data know, becomes the `__dict__` of an object")
        if info.tp in vm.types.lacking:
            vm.types.lacking[info.tp](vm, obj, "__dict__")
    kind, member = info.member(name)
    if kind == PROPERTY and member.fset is not None:
        return vm.call(member.fset, (obj, value), {}, then)
    if kind == DATA_DESCRIPTOR:
        setter = find(vm.types[type(member)].mro, "__set__")
        if type(setter) is FunctionType:
            return vm.call(setter, (member, obj, value), {}, then)
    if info.is_shared:
        store = write if write is not setattr and vm.world.is_local(obj) else vm.world.store_attr
        store(obj, name, value)
        vm.types.clear()
    else:
        if info.is_kept and vm.tracing:
            require_own(vm, obj, name)
        write(obj, name, value)
    return None


def delete_attribute(vm: Machine, obj: Any, name: str, then: Continuation | None = DISCARD) -> Any:
    """``del obj.name``. The result is `PUSHED`, or has no meaning."""
    info = vm.types[type(obj)]
    if info.delattr is not None:
        return vm.call(info.delattr, (obj, name), {}, then)
    return delete_plainly(vm, info, obj, name, then, delattr)


def delete_plainly(vm: Machine, info: TypeInfo, obj: Any, name: str, then: Continuation | None, erase: Any) -> Any:
    """The same without any ``__delattr__``: ``erase`` is the host's function for it."""
    if type(obj) in NATIVE_TYPES:
        _require_attribute(vm, obj, name, NOT_WRITTEN, lambda value_of: erase(value_of, name))
    if info.tp in vm.types.lacking:
        vm.types.lacking[info.tp](vm, obj, name)
    kind, member = info.member(name)
    if kind == PROPERTY and member.fdel is not None:
        return vm.call(member.fdel, (obj,), {}, then)
    if kind == DATA_DESCRIPTOR:
        deleter = find(vm.types[type(member)].mro, "__delete__")
        if type(deleter) is FunctionType:
            return vm.call(deleter, (member, obj), {}, then)
    if info.is_shared:
        delete = erase if erase is not delattr and vm.world.is_local(obj) else vm.world.delete_attr
        delete(obj, name)
        vm.types.clear()
    else:
        if info.is_kept and vm.tracing:
            require_own(vm, obj, name)
        erase(obj, name)
    return None
