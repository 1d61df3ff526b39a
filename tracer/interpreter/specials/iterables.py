"""Builtins that consume a whole iterable: a generator of the VM is run on the VM's own stack, and
the host gets the items as a list.

So neither depth nor time is spent on going to C and back for every item. Nothing but these builtins
sees the difference: they take every item whatever the items are.
"""

from __future__ import annotations

from types import GeneratorType
from typing import Any

from npexport.tracer.interpreter import generators
from npexport.tracer.interpreter.builders import items_steps
from npexport.tracer.interpreter.calls import CALLERS, METHODS, Args, Kwargs
from npexport.tracer.interpreter.frame import Continuation, Steps
from npexport.tracer.interpreter.listing import Listing, is_listed
from npexport.tracer.interpreter.specials.declare import Special, special


def is_ours(value: Any) -> bool:
    """Whether ``value`` is a generator that the VM made and can go on with."""
    return type(value) is GeneratorType and generators.state_of(value) is not None


def _collecting(builtin: Any) -> Special:
    def call(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if args and is_ours(args[0]):
            return vm.start(_collected(builtin, args, kwargs), then)
        return vm.native(builtin, args, kwargs, then)

    return call


class _Native:
    """A callable of the VM alone: the host's function, whatever the VM would do in its place."""

    __slots__ = ("fn",)

    def __init__(self, fn: Any) -> None:
        self.fn = fn


CALLERS[_Native] = lambda vm, native, args, kwargs, then: vm.native(native.fn, args, kwargs, then)


def _collected(builtin: Any, args: Args, kwargs: Kwargs) -> Steps:
    items = (yield Listing(args[0]), ()) if is_listed(args[0]) else (yield from items_steps(args[0]))
    return (yield _Native(builtin), (items, *args[1:]), kwargs)


for _builtin in (list, tuple, set, frozenset, sorted, sum, min, max):
    special(_builtin, on_sides=True)(_collecting(_builtin))


def _short(builtin: Any, decisive: bool) -> Special:
    """``any`` and ``all``: they stop at the first item that decides."""

    def call(vm: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if len(args) == 1 and not kwargs and is_ours(args[0]):
            return vm.start(_decided(vm, builtin, args[0], decisive), then)
        return vm.native(builtin, args, kwargs, then)

    return call


def _decided(vm: Any, builtin: Any, iterator: Any, decisive: bool) -> Steps:
    while True:
        try:
            item = yield next, (iterator,)
        except StopIteration:
            return not decisive
        truth = yield bool, (item,)
        if type(truth) is not bool:
            rest = vm.world.quantify(vm, builtin, iterator, truth)
            if rest is not None:
                return rest
        if bool(truth) is decisive:
            return decisive


special(any, on_sides=True)(_short(any, True))
special(all, on_sides=True)(_short(all, False))


def _method(tp: type, name: str) -> None:
    def call(vm: Any, owner: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        method = getattr(owner, name)
        if len(args) == 1 and is_ours(args[0]):
            return vm.start(_collected(method, args, kwargs), then)
        return vm.native(method, args, kwargs, then)

    METHODS[tp, name] = call


for _tp, _name in ((str, "join"), (bytes, "join"), (list, "extend"), (set, "update"), (dict, "update")):
    _method(_tp, _name)
