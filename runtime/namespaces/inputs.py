"""The inputs of a program over a namespace: bound as the exported function's, and checked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import stated
from npexport.ir.argument_specs import ConstantArgument, CustomObjArgument
from npexport.ir.contract import promises
from npexport.ir.meta import TensorMeta, dtype_name
from npexport.ir.program import ExportedProgram
from npexport.runtime.calling import Leaf, convention_of, slots_of
from npexport.runtime.emission.emit import Source, code_of
from npexport.runtime.entry.checks import ARRAY_CLASSES, DYNAMIC_TYPES, InputChecker, describe, expected_text
from npexport.runtime.entry.sizes import size_checks
from npexport.runtime.namespaces.space import Lacks, Space


class Inputs(InputChecker):
    """Binds and checks the inputs of one program.

    The memory layout of arrays of other libraries is unknown: they are assumed to have that of the
    example.
    """

    def __init__(self, program: ExportedProgram, space: Space, check_guards: bool) -> None:
        self.space = space
        graph, signature = program.graph, program.graph_signature
        slots = slots_of(program.call_spec, graph, signature)
        leaves = [leaf for slot in slots for leaf in slot.leaves]
        guards = (*program.guards, *promises(graph)) if check_guards else ()
        sizes = size_checks(leaves, program.ranges, guards, stated.truths(program.graph))
        super().__init__(slots, set(), sizes, signature, program.report.constants)
        self._bind = self._binding()

    def _binding(self) -> Callable[..., Any]:
        """``bind(*args, **kwargs)``: the values of the parameters, the arguments that are too many
        and the keywords that are unknown.
        """
        convention = convention_of(self.slots, Source().fresh)
        values = "".join(f"{convention.names[slot.name]}, " for slot in self.slots)
        text = f"def bind({convention.text}):\n    return ({values}), {convention.extra or '()'}, {convention.unknown or '()'}\n"
        return convention.function(code_of(text, "<npexport inputs>"), {})

    def leaves_of(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The leaves of a call. Raises ``InputMismatch``."""
        return self.accept(*self._bind(None, *args, **kwargs))

    def numbers(self, leaves: list[Any]) -> list[Any]:
        """The shapes, or values, of the inputs that sizes are read from."""
        found = dict(zip(self.leaves, leaves, strict=True))
        return [tuple(found[leaf].shape) if isinstance(leaf.node.meta["val"], TensorMeta) else found[leaf] for leaf in self.sizes.inputs]

    def _leaf(self, leaf: Leaf, value: Any, problems: list[str]) -> Any:
        arg, expected = leaf.spec.arg, leaf.node.meta["val"]
        if type(arg) in (*DYNAMIC_TYPES, ConstantArgument, CustomObjArgument):
            return super()._leaf(leaf, value, problems)
        if expected.scalar and isinstance(value, np.generic) and value.dtype == expected.dtype:
            return self.space.constant(value)
        if not self.space.is_array(value) or (isinstance(value, np.ndarray) and type(value) not in ARRAY_CLASSES):
            got = f"an array of NumPy, {describe(value)}" if isinstance(value, (np.ndarray, np.generic)) else describe(value)
            problems.append(f"{leaf.path}: expected {expected_text(leaf)} of {self.space.name}, got {got}")
            return value
        if value.dtype != self.space.dtype(expected.dtype):
            problems.append(f"{leaf.path}: expected dtype {dtype_name(expected.dtype)}, got {value.dtype}")
        shape = tuple(value.shape)
        if len(shape) != expected.ndim:
            problems.append(f"{leaf.path}: expected {expected.ndim} dimensions, got shape {shape}")
        else:
            for axis, (need, have) in enumerate(zip(expected.shape, shape, strict=True)):
                if type(need) is int and need != have:
                    problems.append(f"{leaf.path}.shape[{axis}]: expected {need}, got {have}")
        return value

    def _sizes(self, found: list[Any]) -> list[str]:
        pairs = zip(self.leaves, found, strict=True)
        for leaf, value in pairs:
            expected = leaf.node.meta["val"]
            if isinstance(expected, TensorMeta) and not (self.space.is_array(value) and len(value.shape) == expected.ndim):
                return []
            if type(leaf.spec.arg) in DYNAMIC_TYPES and type(value) is not DYNAMIC_TYPES[type(leaf.spec.arg)]:
                return []
        return self.sizes.problems(self.numbers(found))

    def _sharing(self, found: list[Any], state: dict[str, Any]) -> list[str]:
        """Of shared memory, only the identity of arrays can be seen in every library."""
        values = {leaf.node.name: value for leaf, value in zip(self.leaves, found, strict=True)}
        problems = []
        for leaf in self.leaves:
            if leaf.spec.same_as is not None and values[leaf.node.name] is not values[leaf.spec.same_as]:
                same = self._path(leaf.spec.same_as)
                problems.append(f"{leaf.path}: expected the very array that is passed as {same}, as in the example")
            for name in leaf.spec.distinct_from:
                if values[leaf.node.name] is values[name]:
                    problems.append(f"{leaf.path}: expected another array than {self._path(name)}, got the same")
        return problems


def known(program: ExportedProgram, space: Space) -> None:
    """Raise ``Lacks`` for an input whose dtype the namespace does not have."""
    for node in program.graph.placeholders:
        if isinstance(node.meta["val"], TensorMeta):
            try:
                space.dtype(node.meta["val"].dtype)
            except Lacks as reason:
                raise Lacks(f"{node.name}: {reason}") from None
