"""The world of strict export: it judges C callables."""

from __future__ import annotations

import types
from typing import Any

from npexport.ir.op import REGISTRY
from npexport.symshapes.errors import ExportError, Unsupported
from npexport.symshapes.interrupts import arguments_of_handler
from npexport.tracer.arrays.analysis.binding import Mistyped
from npexport.tracer.arrays.core import numpy_oracle
from npexport.tracer.arrays.core.filled_list_arrays import MayBeEmpty, MayNotFit
from npexport.tracer.arrays.core.inner_lists import iterated_containers
from npexport.tracer.arrays.core.run_dependent_numbers import Identity
from npexport.tracer.control import (
    attempts,
    branches,
    changed_while_iterated,
    counters,
    referrers,
    sized_loops,
    symbolic_unions,
    unrolled_loops,
)
from npexport.tracer.driver.example_values import Values
from npexport.tracer.effects.fence import Fence, refuse, says_its_class, target_of
from npexport.tracer.effects.run_options import DEFAULT_OPTIONS, RunOptions
from npexport.tracer.effects.snapshots import require_told, snapshot
from npexport.tracer.effects.special_methods import special_method_of_an_object
from npexport.tracer.effects.world import Host, ShadowedWorld
from npexport.tracer.frames.frame_ownership import is_hosts
from npexport.tracer.interpreter import partial_objects
from npexport.tracer.interpreter.attributes import python_method
from npexport.tracer.interpreter.dicts_looked_into import looks_into, settle_for_call
from npexport.tracer.interpreter.frame import Frame, Machine
from npexport.tracer.interpreter.native import named
from npexport.tracer.interpreter.polyfills.stepping import Placed, taking_in_turn
from npexport.tracer.interpreter.symbolic_union import NeedsCaseSplit
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models import registry
from npexport.tracer.models.arrays import numpy_api
from npexport.tracer.models.callables import refused
from npexport.tracer.models.callables.lookup import CallableResolver
from npexport.tracer.models.callables.modelled_functions import answer_models
from npexport.tracer.models.callables.non_strict import READ_OBJECTS, PermissiveResolver, heard
from npexport.tracer.models.containers import filled_lists, inner_lists
from npexport.tracer.models.iteration import quantifiers
from npexport.tracer.models.numbers import mixed_numbers
from npexport.tracer.models.registry import DECLINED
from npexport.tracer.models.specialization import converted

named(Fence, "object from outside")


_NOT_LOOKING = frozenset({"isinstance", "type", "id", "append"})


class TracingWorld(ShadowedWorld):
    """The world of an export: C callables are judged, and the models say what they mean."""

    def __init__(self, host: Host, options: RunOptions = DEFAULT_OPTIONS) -> None:
        super().__init__(host, options)
        self.strict = strict = options.strict
        self.judge = (CallableResolver if strict else PermissiveResolver)(numpy_api.lookup)
        self.shadows.unfenced = () if strict else READ_OBJECTS
        self.values = Values(host, invents=True)
        answer_models()
        callables = [model for op in REGISTRY.of_users.values() for model in op.models]
        self.modelled = frozenset(map(id, callables))
        for model in callables:
            self.shadows.adopt(model, model)

    def require_makeable(self, cls: type) -> None:
        """Raises ``Unsupported`` if its special methods work on an object that the program has not
        made (E118), or for a ``__del__`` (E125).
        """
        if python_method(cls, "__del__") is not None:
            self._require_no_finalizer(cls)
        name = special_method_of_an_object(cls)
        if name is not None and not self.is_local(cls):
            what = f"`{cls.__qualname__}.{name}` works on an object that existed before the call, past all that tells what is changed"
            raise Unsupported("E118", what, hint=f"Define the method: def {name}(self, ...), with a call of what it was.")

    def require_class(self, value: Any) -> None:
        """Raises ``Unsupported`` if an object from outside says itself of which class it is."""
        if type(value) is Fence and says_its_class(target_of(value)):
            refuse(value)

    def _require_no_finalizer(self, cls: type) -> None:
        """Raises ``Unsupported`` (E125, or the code of a class refused by name), unless finalizers
        may run at export.
        """
        for base in cls.__mro__:
            row = registry.row(base.__module__, f"{base.__qualname__}.__init__")
            if row.refused is not None and (self.strict or not row.refused.reads):
                raise refused.error(f"{base.__module__}.{base.__qualname__}", row.refused)
            if row.model is not None:  # what is made instead has nothing to release
                return
        refusal = Unsupported(
            "E125", f"the program makes a `{cls.__qualname__}`, whose __del__ would run at a time that the program does not determine"
        )
        if not self.permits(refusal):
            raise refusal

    def permits(self, refusal: ExportError) -> bool:
        """Whether what is refused in strict mode is done nevertheless: in another mode, by drafts
        where they have told of it.
        """
        if self.strict or self.grants is None:
            return not self.strict
        host: Any = self.host
        host.vm.locate(refusal)
        return bool(self.grants(refusal))

    # Calls

    def call_native(self, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.asks:
            args = symbolic_unions.as_texts(fn, args)
            if self.partial_dicts and getattr(fn, "__name__", None) not in _NOT_LOOKING:
                settle_for_call(self, fn, args, kwargs)
            symbolic_unions.require_known(self, fn, args, kwargs)
            if self.partial_objects:
                partial_objects.require_untouched(self, fn, args, kwargs)
        if self.placed and any(isinstance(arg, Placed) for arg in args) and hasattr(fn, "__next__"):
            return Invoke(taking_in_turn, (fn, args, kwargs))
        if self.hiding:
            require_told(self, fn, args, kwargs)
        if self.refers:
            found = inner_lists.call(self, vm, fn, args, kwargs)
            if found is not DECLINED:
                return found
        try:
            return mixed_numbers.call(self, vm, fn, args, kwargs) if self.mixes else self.call_model(vm, fn, args, kwargs)
        except MayBeEmpty as refusal:
            return filled_lists.of_items_or_none(self, vm, refusal, fn, args, kwargs)
        except MayNotFit as refusal:
            return filled_lists.of_fitting(self, vm, refusal, fn, args, kwargs)
        except NeedsCaseSplit as asked:
            if any(hasattr(type(arg), "__next__") for arg in args):  # on the sides, what was taken would be gone
                raise Unsupported("E103", f"{asked.message}, which an iterator has given", hint="Make a list of it first.") from None
            raise

    def into(self, structure: Any, value: Any) -> Any:
        """A value as an item of this structure, whose lists are those of its stores."""
        return inner_lists.into(self, structure, value)

    def filled(self, value: list[Any]) -> Any:
        """The stand-in of a list that is put into another one while the program holds it."""
        return inner_lists.filled(self, value)

    def replaceable(self, value: list[Any]) -> list[Any]:
        """What holds a list, if another can be put there: nothing otherwise."""
        return referrers.replaceable(self, self.host.vm, value)

    def replace(self, value: list[Any], held: list[Any], item: Any) -> None:
        """A list that was put into another one is this item of it wherever the program holds it."""
        referrers.replace_lists(referrers.here(self, self.host.vm), [(value, held, item)])

    def iterated_containers(self, store: Any) -> list[Any]:
        """The containers of a store that loops go over now, and whether these have copied them."""
        host: Any = self.host
        found, frame = list[Any](), host.vm.frame
        while frame is not None:
            items = map(counters.items_iterated, frame.stack)
            found += [inner for each in items if each is not None for inner in iterated_containers(each) if inner[0].store is store]
            frame = frame.back
        return found

    def begin(self, store: Any, value: Any) -> None:
        """The lists of a store get their first item."""
        inner_lists.begin(self, store, value)

    def call_model(self, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return self.judge(fn)(self, vm, fn, args, kwargs)
        except Mistyped as problem:  # no handler of the program gets it
            raise numpy_oracle.unheld(fn, problem) from problem

    def one_sided(self, vm: Machine, frame: Frame, truth: Any, if_true: int, if_false: int) -> bool | None:
        return branches.one_sided(self, vm, frame, truth, if_true, if_false, sides=(True,), tries=True)

    def choose(self, vm: Machine, frame: Frame, value: Any, if_true: int, if_false: int) -> bool:
        given = vm, frame, value, if_true, if_false
        return sized_loops.choose_around(self, *given) or branches.choose(self, *given) or sized_loops.choose(self, *given)

    def looks_into(self, vm: Machine, frame: Any, name: str, number: int, arg: Any) -> bool:
        return looks_into(vm, frame, name, number, arg)

    def go_over(self, vm: Machine, frame: Any, target: int) -> None:
        changed_while_iterated.go_over(self, vm, frame, target)

    def known(self, union: Any) -> Any:
        return symbolic_unions.known(union)

    def as_text_of_data(self, union: Any) -> Any:
        self.mixes = True
        return symbolic_unions.as_text_of_data(union)

    def one_of(self, tests: list[Any], options: list[Any], name: str) -> Any:
        """One of several values; ``tests``: of all but the last, that it is that one."""
        return symbolic_unions.one_of(self, tests, options, name)

    def ask(self, vm: Machine, frame: Frame, union: Any) -> None:
        attempts.ask(self, vm, frame, union)

    def attempt(self, vm: Machine, frame: Frame, undecided: Any) -> None:
        attempts.attempt(self, vm, frame, undecided)

    def count(self, vm: Machine, frame: Frame, counter: Any, target: int) -> bool | None:
        return sized_loops.count(self, vm, frame, counter, target)

    def begin_calls(self, vm: Machine, frame: Frame) -> None:
        sized_loops.begin_calls(self, vm, frame)

    def alone(self, vm: Machine, generator: Any) -> bool:
        with snapshot(self, vm) as now:
            return not now.knows(generator)

    def quantify(self, vm: Machine, fn: Any, items: Any, truth: Any) -> Any:
        return quantifiers.quantify(self, vm, fn, items, truth)

    def counts(self, value: Any) -> Any:
        return counters.counter_of(self, inner_lists.as_counted(self, value))

    def counts_known(self, vm: Machine, frame: Frame) -> Any:
        return unrolled_loops.counter_on_stack(self, vm, frame)

    def called_back(self, function: types.FunctionType, localsplus: dict[str, Any]) -> Any:
        """The value of a Python frame that C started.

        CPython bound its arguments: defaults of outside functions are entered here.
        """
        arguments = arguments_of_handler(function.__code__, localsplus)
        if arguments is not None:
            return function(*arguments)
        if is_hosts(function.__globals__, function.__code__):
            return function(**localsplus)
        if not self.is_local(function):
            defaults = {id(value) for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())}
            for name, value in localsplus.items():
                if id(value) in defaults:
                    localsplus[name] = self.enter(value, f"default {function.__qualname__}:{name}")
        value = heard(self.host.run_bound, function, localsplus)
        if type(value) is Identity and any(type(arg).__hash__ is function for arg in localsplus.values()):
            return value.number  # C's hash() takes nothing but an int
        return converted(value, function, next(iter(localsplus.values()), None))
