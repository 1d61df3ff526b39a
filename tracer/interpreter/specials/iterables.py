"""Builtins that consume a whole iterable: a generator of the VM runs on the VM's own stack, and the
host gets its items as a list.

So items cost neither host recursion nor a round trip through C. Nobody sees the difference: these
builtins process an item before the generator goes on wherever that may raise, call the program's
Python or show in a container.
"""

from __future__ import annotations

import itertools
import operator
from collections import deque
from collections.abc import Callable, Hashable
from types import GeneratorType
from typing import Any

from npexport.tracer.interpreter import generators, polyfills
from npexport.tracer.interpreter.builders import hashed_items_steps, items_steps
from npexport.tracer.interpreter.calls import CALLERS, METHODS, Args, Kwargs
from npexport.tracer.interpreter.frame import NULL, Continuation, Machine, Steps
from npexport.tracer.interpreter.generator_functions import ALL, ANY, GeneratorFunction, runs_as_function
from npexport.tracer.interpreter.operators import given_stepped, is_stepped, is_user_type
from npexport.tracer.interpreter.polyfills.generator_functions import handed
from npexport.tracer.interpreter.specials.declare import Special, special


def is_ours(value: Any) -> bool:
    """Whether ``value`` is a generator that the VM made and that can be resumed."""
    return type(value) is GeneratorType and generators.state_of(value) is not None


Consumer = Callable[[Any, Args, Kwargs], Steps]
"""What a builtin does with a generator of the VM: a function of the builtin, its arguments and its
keywords.
"""


def _collecting(builtin: Any, consume: Consumer) -> Special:
    def call(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if args and is_ours(args[0]):
            if runs_as_function(vm, args[0]):
                return vm.call(handed, (builtin, GeneratorFunction(args[0]), args[1:], kwargs), {}, then)
            return vm.start(consume(builtin, args, kwargs), then)
        if vm.world.placed and args and is_stepped(args[0]):
            return vm.start(given_stepped(builtin, args[0], args[1:], kwargs), then)
        return vm.native(builtin, args, kwargs, then)

    return call


class _Native:
    """A callable known to the VM only: the host's function, even if the VM has its own."""

    __slots__ = ("fn",)

    def __init__(self, fn: Any) -> None:
        self.fn = fn


CALLERS[_Native] = lambda vm, native, args, kwargs, then: vm.native(native.fn, args, kwargs, then)


def _taking(take: Callable[[Any], Steps]) -> Consumer:
    """The builtin gets all items at once, as ``take`` collects them."""

    def steps(builtin: Any, args: Args, kwargs: Kwargs) -> Steps:
        items = yield from take(args[0])
        return (yield _Native(builtin), (items, *args[1:]), kwargs)

    return steps


_collected = _taking(items_steps)
_hashed = _taking(hashed_items_steps)

_SURE = frozenset({int, float, bool, complex})
_UNSURE = frozenset({str, bytes, bytearray, list, tuple, dict, set, frozenset, type(None)})


def _is_number(item: Any) -> bool:
    """Whether an item may be added to others, and compared with them, after the generator has gone
    on. Arrays are not collected, because that would keep all of them in memory.
    """
    tp = type(item)
    return tp in _SURE or (tp not in _UNSURE and not is_user_type(tp) and not getattr(item, "ndim", 0))


def _summed(builtin: Any, args: Args, kwargs: Kwargs) -> Steps:
    """``sum``: the host adds runs of numbers, so that they are rounded as CPython rounds them. Once
    anything but a float was added to a total that is not an ``int``, the rest is added one by one.
    """
    total: Any = kwargs.get("start", args[1] if len(args) > 1 else 0)
    if len(args) + len(kwargs) > 2 or kwargs.keys() - {"start"} or isinstance(total, (str, bytes, bytearray)):
        return (yield _Native(sum), ([], *args[1:]), kwargs)  # for its error
    native: Any = _Native(sum)
    state = generators.state_of(args[0])
    by_one, of_integers = not _is_number(total), type(total) is int
    while True:
        run: list[Any] = []
        if by_one:
            try:
                item = yield next, (args[0],)
            except StopIteration:
                return total
        else:
            run, item = yield generators.Collect(state, _is_number), ()  # type: ignore[arg-type]
            of_integers = of_integers and all(type(number) in (int, bool) for number in run)
        if item is NULL:
            return (yield native, (run, total))
        total = (yield native, (run, total)) if run else total
        total = yield operator.add, (total, item)
        by_one, of_integers = not (of_integers and type(total) is float), False


def _kind(item: Any) -> Any:
    """The kind of an item: items of one kind can be compared. ``None``: perhaps not."""
    if type(item) is tuple:
        kinds = [_kind(part) for part in item]
        return None if None in kinds else (tuple, *kinds)
    if type(item) in (str, bytes):
        return type(item)
    return float if _is_number(item) and type(item) is not complex else None


def _extreme(builtin: Any, args: Args, kwargs: Kwargs) -> Steps:
    """``max`` and ``min``: the host compares runs of items of one kind."""
    if len(args) > 1 or kwargs.keys() - {"key", "default"}:
        return (yield _Native(builtin), args, kwargs)
    if kwargs.get("key") is not None:
        return (yield polyfills.max_ if builtin is max else polyfills.min_, args, kwargs)
    better, kind = operator.gt if builtin is max else operator.lt, None
    run: list[Any] = []
    while True:
        try:
            item = yield next, args
        except StopIteration:
            return (yield _Native(builtin), (run,), kwargs)
        kind = kind if run else _kind(item)
        if not run or (kind is not None and _kind(item) == kind):
            run.append(item)
            continue
        best = yield _Native(builtin), (run,), kwargs
        run = [item if (yield bool, ((yield better, (item, best)),)) else best]
        kind = None


for _consume, _builtins in (
    (_collected, (list, tuple, sorted, deque)),
    (_hashed, (frozenset,)),
    (_summed, (sum,)),
    (_extreme, (max, min)),
):
    for _builtin in _builtins:
        special(_builtin)(_collecting(_builtin, _consume))


_set_of_items = _collecting(set, _hashed)


@special(set)
def set_of(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
    """While tracing, an instruction adds the items, which can see what the set is used for."""
    if vm.tracing and len(args) == 1 and not kwargs and is_ours(args[0]) and not runs_as_function(vm, args[0]):
        return vm.call(polyfills.set_of, args, {}, then)
    return _set_of_items(vm, args, kwargs, then)


def _short(builtin: Any, decisive: bool) -> Special:
    """``any`` and ``all``: they stop at the first item that decides."""

    way = ANY if decisive else ALL

    def call(vm: Machine, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        if len(args) == 1 and not kwargs and is_ours(args[0]):
            if runs_as_function(vm, args[0], way) and vm.world.alone(vm, args[0]):
                return vm.call(GeneratorFunction(args[0], way), (), {}, then)
            return vm.start(_decided(vm, builtin, args[0], decisive), then)
        if vm.world.placed and len(args) == 1 and is_stepped(args[0]):
            return vm.start(given_stepped(builtin, args[0], (), kwargs), then)
        return vm.native(builtin, args, kwargs, then)

    return call


def _decided(vm: Machine, builtin: Any, iterator: Any, decisive: bool) -> Steps:
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


special(any)(_short(any, True))
special(all)(_short(all, False))


def _method(tp: type, name: str, consume: Consumer) -> None:
    def call(vm: Machine, owner: Any, args: Args, kwargs: Kwargs, then: Continuation | None) -> Any:
        method = getattr(owner, name)
        if len(args) == 1 and is_ours(args[0]) and (not kwargs or consume is _updated):
            if consume is _collected and runs_as_function(vm, args[0]):
                return vm.call(handed, (method, GeneratorFunction(args[0]), (), {}), {}, then)
            return vm.start(consume(method, args, kwargs), then)
        return vm.native(method, args, kwargs, then)

    METHODS[tp, name] = call


def _one_by_one(name: str) -> Consumer:
    """The container shows every item as soon as it has it."""

    def steps(method: Any, args: Args, kwargs: Kwargs) -> Steps:
        add = getattr(method.__self__, name)
        while True:
            try:
                item = yield next, args
            except StopIteration:
                return None
            yield add, (item,)

    return steps


def _updated(method: Any, args: Args, kwargs: Kwargs) -> Steps:
    """``dict.update`` with pairs."""
    for number in itertools.count():
        try:
            item = yield next, args
        except StopIteration:
            return (yield method, (), kwargs)
        if type(item) not in (list, tuple) or len(item) != 2:
            before: list[Any] = [(_MARK, None)] * number  # the error tells the item's number
            item = (yield _Native(dict), ([*before, item],)).popitem()
        yield method.__self__.__setitem__, tuple(item)
    return None


_MARK: Hashable = object()

_ITERATED: tuple[tuple[type, str, Consumer], ...] = (
    (str, "join", _collected),
    (bytes, "join", _collected),
    (list, "extend", _one_by_one("append")),
    (set, "update", _one_by_one("add")),
    (dict, "update", _updated),
)
for _row in _ITERATED:
    _method(*_row)
