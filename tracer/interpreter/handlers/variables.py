"""Constants, the value stack, local variables, cells, names and attributes."""

from __future__ import annotations

import builtins
import operator
from types import CellType, MethodType
from typing import Any

from npexport.tracer.bytecode.host import GLOBALS_ARE_ASKED
from npexport.tracer.interpreter import attributes, operators
from npexport.tracer.interpreter.frame import DISCARD, NULL, PUSHED, Frame, Machine
from npexport.tracer.interpreter.program import handler
from npexport.tracer.interpreter.symbolic_union import of_store
from npexport.tracer.interpreter.world import undefined_name


@handler("LOAD_CONST", "push the constant", examines=0, raises=False)
def load_const(vm: Machine, frame: Frame, value: Any) -> None:
    frame.stack.append(value)


@handler("POP_TOP", "drop the top", examines=0, raises=False)
def pop_top(vm: Machine, frame: Frame, arg: Any) -> None:
    frame.stack.pop()


@handler("COPY", "push the n-th from the top again", examines=0, raises=False)
def copy(vm: Machine, frame: Frame, depth: int) -> None:
    frame.stack.append(frame.stack[-depth])


@handler("SWAP", "exchange the top with the n-th", examines=0, raises=False)
def swap(vm: Machine, frame: Frame, depth: int) -> None:
    stack = frame.stack
    stack[-1], stack[-depth] = stack[-depth], stack[-1]


@handler("PUSH_NULL", "push the marker of an absent self", examines=0, raises=False)
def push_null(vm: Machine, frame: Frame, arg: Any) -> None:
    frame.stack.append(NULL)


@handler("LOAD_FAST", "push a local; UnboundLocalError where it is unbound", examines=0, slot=True)
def load_fast(vm: Machine, frame: Frame, slot: int) -> None:
    value = frame.fast[slot]
    if value is NULL:
        raise _unbound(frame, slot)
    frame.stack.append(value)


def _unbound(frame: Frame, slot: int) -> Exception:
    if slot in frame.poison:
        return frame.poison[slot]()
    name = frame.info.slots[slot]
    return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")


@handler("LOAD_CLOSURE", "push the cell itself", examines=0, slot=True, raises=False)
def load_closure(vm: Machine, frame: Frame, slot: int) -> None:
    frame.stack.append(frame.fast[slot])


@handler("LOAD_FAST_AND_CLEAR", "push a local or the marker, and unbind it", examines=0, slot=True, raises=False)
def load_fast_and_clear(vm: Machine, frame: Frame, slot: int) -> None:
    frame.stack.append(frame.fast[slot])
    frame.fast[slot] = NULL


@handler("STORE_FAST", "bind a local", examines=0, slot=True, raises=False)
def store_fast(vm: Machine, frame: Frame, slot: int) -> None:
    frame.fast[slot] = frame.stack.pop()


@handler("DELETE_FAST", "unbind a local", examines=0, slot=True)
def delete_fast(vm: Machine, frame: Frame, slot: int) -> None:
    if frame.fast[slot] is NULL:
        raise _unbound(frame, slot)
    frame.fast[slot] = NULL


@handler("MAKE_CELL", "put the value of a slot into a new cell in the slot", examines=0, slot=True, raises=False)
def make_cell(vm: Machine, frame: Frame, slot: int) -> None:
    value = frame.fast[slot]
    frame.fast[slot] = CellType() if value is NULL else CellType(value)


@handler("LOAD_DEREF", "push what the cell holds", examines=0, slot=True)
def load_deref(vm: Machine, frame: Frame, slot: int) -> None:
    try:
        value = frame.fast[slot].cell_contents
    except ValueError:
        value = NULL
    if value is NULL:
        raise _empty_cell(frame, slot)
    frame.stack.append(value)


def _empty_cell(frame: Frame, slot: int) -> Exception:
    name = frame.info.slots[slot]
    if slot < frame.info.first_free:
        return _unbound(frame, slot)
    return NameError(f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope", name=name)


@handler("STORE_DEREF", "write to the cell", examines=0, slot=True, raises=False, writes=True)
def store_deref(vm: Machine, frame: Frame, slot: int) -> None:
    frame.fast[slot].cell_contents = frame.stack.pop()


@handler("DELETE_DEREF", "empty the cell", examines=0, slot=True)
def delete_deref(vm: Machine, frame: Frame, slot: int) -> None:
    cell = frame.fast[slot]
    if cell == _EMPTY_CELL:
        raise _empty_cell(frame, slot)
    del cell.cell_contents


_EMPTY_CELL = CellType()


@handler("LOAD_FROM_DICT_OR_DEREF", "pop a mapping; push its item of the cell's name, else what the cell holds", examines=0, slot=True)
def load_from_dict_or_deref(vm: Machine, frame: Frame, slot: int) -> None:
    value = _item(vm, frame.stack.pop(), frame.info.slots[slot])
    if value is NULL:
        load_deref(vm, frame, slot)
    else:
        frame.stack.append(value)


def _item(vm: Machine, mapping: Any, name: str) -> Any:
    """An item of a namespace, which may be any mapping, or `NULL`."""
    if type(mapping) is dict:
        return mapping.get(name, NULL)
    try:
        return vm.run(operator.getitem, (mapping, name))
    except KeyError:
        return NULL


# -- names


@handler("LOAD_GLOBAL", "push a global or builtin (argument: name)", examines=0, effect=(0, 1))
def load_global(vm: Machine, frame: Frame, name: str) -> None:
    if vm.tracing or type(frame.globals) is not dict:
        frame.stack.append(_global(vm, frame, name, True))
        return
    value = frame.globals.get(name, NULL)
    if value is NULL:
        value = frame.builtins.get(name, NULL)
        if value is NULL:
            raise undefined_name(name)
    frame.stack.append(value)


@handler(
    "LOAD_GLOBAL_OF", "push a global of another module, or a builtin (argument: name, its globals and builtins)", examines=0, effect=(0, 1)
)
def load_global_of(vm: Machine, frame: Frame, arg: tuple[str, tuple[Any, Any]]) -> None:
    own = frame.globals, frame.builtins
    name, (frame.globals, frame.builtins) = arg
    try:
        load_global(vm, frame, name)
    finally:
        frame.globals, frame.builtins = own


def _global(vm: Machine, frame: Frame, name: str, asked: bool) -> Any:
    """A global or builtin. A namespace that is an instance of a subclass of ``dict`` may be
    ``asked`` for its item like any mapping.
    """
    value = _item(vm, frame.globals, name) if asked and type(frame.globals) is not dict else NULL
    return vm.world.load_global(frame, name) if value is NULL else value


@handler("STORE_GLOBAL", "bind a global (argument: name)", examines=0, effect=(1, 0), raises=False, writes=True)
def store_global(vm: Machine, frame: Frame, name: str) -> None:
    vm.world.store_global(frame, name, frame.stack.pop())


@handler("DELETE_GLOBAL", "unbind a global (argument: name)", examines=0, writes=True)
def delete_global(vm: Machine, frame: Frame, name: str) -> None:
    vm.world.delete_global(frame, name)


@handler("LOAD_NAME", "push a local, global or builtin of a namespace body (argument: name)", examines=0, effect=(0, 1))
def load_name(vm: Machine, frame: Frame, name: str) -> None:
    value = _item(vm, frame.names, name) if frame.names is not frame.globals else NULL
    frame.stack.append(_global(vm, frame, name, GLOBALS_ARE_ASKED) if value is NULL else value)


@handler("STORE_NAME", "bind in the namespace (argument: name)", examines=0, writes=True)
def store_name(vm: Machine, frame: Frame, name: str) -> Any:
    value = frame.stack.pop()
    if frame.names is frame.globals:
        vm.world.store_global(frame, name, value)
    elif type(frame.names) is dict:
        frame.names[name] = value
    else:
        return operators.set_item(vm, frame.names, name, value, DISCARD) is PUSHED
    return None


@handler("DELETE_NAME", "unbind in the namespace (argument: name)", examines=0)
def delete_name(vm: Machine, frame: Frame, name: str) -> None:
    if frame.names is frame.globals:
        vm.world.delete_global(frame, name)
        return
    if _item(vm, frame.names, name) is NULL:
        raise undefined_name(name)
    del frame.names[name]


@handler("LOAD_FROM_DICT_OR_GLOBALS", "pop a mapping; push its item of that name, else the global or builtin (argument: name)", examines=0)
def load_from_dict_or_globals(vm: Machine, frame: Frame, name: str) -> None:
    value = _item(vm, frame.stack.pop(), name)
    frame.stack.append(_global(vm, frame, name, GLOBALS_ARE_ASKED) if value is NULL else value)


@handler("LOAD_LOCALS", "push the namespace", examines=0)
def load_locals(vm: Machine, frame: Frame, arg: Any) -> None:
    frame.stack.append(frame.names)


@handler("SETUP_ANNOTATIONS", "make __annotations__ in the namespace", examines=0)
def setup_annotations(vm: Machine, frame: Frame, arg: Any) -> None:
    if _item(vm, frame.names, "__annotations__") is NULL:
        frame.names["__annotations__"] = {}


@handler("LOAD_BUILD_CLASS", "push the function that makes classes", examines=0)
def load_build_class(vm: Machine, frame: Frame, arg: Any) -> None:
    build = frame.builtins.get("__build_class__", NULL)
    if build is NULL:
        raise NameError("__build_class__ not found")
    frame.stack.append(build)


# -- attributes


@handler("LOAD_ATTR", "replace the top by its attribute", examines=1, effect=(1, 1), repeats=True)
def load_attr(vm: Machine, frame: Frame, name: str) -> Any:
    obj = frame.stack.pop()
    value = vm.types[type(obj)].get(vm, obj, name, None)
    if value is PUSHED:
        return True
    frame.stack.append(value)
    return None


@handler("LOAD_METHOD", "replace the top by [method, self] or [attribute, marker]", examines=1, effect=(1, 2))
def load_method(vm: Machine, frame: Frame, name: str) -> Any:
    stack = frame.stack
    obj = stack[-1]
    stack[-1] = NULL
    value = vm.types[type(obj)].get(vm, obj, name, None)
    if value is PUSHED:
        return True
    if type(value) is MethodType:
        stack[-1] = value.__func__
        stack.append(value.__self__)
    else:
        stack.append(value)
    return None


@handler("LOAD_SUPER_ATTR", "pop super, class, self; push the attribute", examines=3, effect=(3, 1))
def load_super_attr(vm: Machine, frame: Frame, arg: tuple[str, bool]) -> Any:
    return _load_super(vm, frame, arg)


@handler("LOAD_SUPER_METHOD", "pop super, class, self; push [method, self] or [attribute, marker]", examines=3, effect=(3, 2))
def load_super_method(vm: Machine, frame: Frame, arg: tuple[str, bool]) -> Any:
    stack = frame.stack
    stack.insert(-3, NULL)
    return _load_super(vm, frame, arg)


def _load_super(vm: Machine, frame: Frame, arg: tuple[str, bool]) -> Any:
    name, explicit = arg
    stack = frame.stack
    obj, cls, found = stack.pop(), stack.pop(), stack.pop()
    if found is not builtins.super:
        return frame.receive(vm.start(_call_and_get(found, (cls, obj) if explicit else (), name), None))
    return frame.receive(vm.types[super].get(vm, super(cls, obj), name, None))


def _call_and_get(fn: Any, args: tuple[Any, ...], name: str) -> Any:
    """``super`` is not the builtin: an ordinary call and an ordinary attribute."""
    return (yield getattr, ((yield fn, args), name))


@handler("STORE_ATTR", "pop object and value; set the attribute", examines=of_store(1), effect=(2, 0), writes=True)
def store_attr(vm: Machine, frame: Frame, name: str) -> Any:
    obj = frame.stack.pop()
    return attributes.set_attribute(vm, obj, name, frame.stack.pop()) is PUSHED


@handler("DELETE_ATTR", "pop the object; delete its attribute", examines=1, effect=(1, 0), writes=True)
def delete_attr(vm: Machine, frame: Frame, name: str) -> Any:
    return attributes.delete_attribute(vm, frame.stack.pop(), name) is PUSHED
