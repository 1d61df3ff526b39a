"""Functions of compiled programs, when an exported program is called inside another one that is
being exported: their optimisations do not become part of it.
"""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.ir.arguments import map_leaves
from npexport.ir.declared import own_of
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.operators import custom_ops
from npexport.tracer.models.polyfills import conditions
from npexport.tracer.models.registry import models


@models("npexport.runtime.memory.layouts", "in_c_order", "copied", "dense")
def in_c_order(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """An array that nobody else sees, so that it does not matter whether it is copied."""
    return world.recorder.call(ops.np.copy, args[0], order="C")


@models("npexport.runtime._memory", "enter", asks=False)
def enter(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Memory kept from call to call belongs to the exported program, not to the called one."""
    return False


@models("npexport.runtime.planning.fusion_steps", "pays")
def pays(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """No: the exported program is divided into blocks itself."""
    return False


@models("npexport.runtime._expressions", "run", pure=True)
def declined_run(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """A compiled run of operators: it declines, so that its operators are recorded one by one."""


@models("npexport.runtime._checks", "Arrays.__call__")
def are_expected(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Invoke:
    """Whether arrays are those that a program was exported for."""
    return Invoke(conditions.are, (fn.rows, *args))


@models("npexport.runtime.machine.scalar_loops", "ScalarLoop.first")
def first(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> range:
    """The iterations before machine code: none, since the loop after it runs all of them."""
    return range(0)


@models("npexport.runtime.machine.scalar_loops", "ScalarLoop.__call__")
def machine_code(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Machine code runs no iterations of a loop inside another program."""
    loop, *values = args
    return tuple(values[: len(loop.loop.carries)])


@models("npexport.ir.declared", "Held.__call__")
def operator_of_a_user(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call of a node: what the operator mutates is copied, and returned after its results."""
    held, *operands = args
    op = held.op
    own = own_of(kwargs)
    if not op.is_mutable:
        return held.given(custom_ops.call(world, vm, op, tuple(operands), own), [])
    bound = op.declared.signature.bind(*operands, **own)
    copies: list[Any] = []
    for name in op.declared.mutates:
        bound.arguments[name] = map_leaves(bound.arguments[name], lambda leaf: None if leaf is None else _copied(leaf, copies))
    return held.given(custom_ops.call(world, vm, op, bound.args, bound.kwargs), copies)


def _copied(array: Any, copies: list[Any]) -> Any:
    copies.append(recorder().call(ops.np.copy, array, order="C"))
    return copies[-1]
