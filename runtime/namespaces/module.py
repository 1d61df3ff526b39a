"""What ``program.module(namespace=…)`` returns: a program over another array library."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from npexport.ir.decompositions import default_decompositions
from npexport.ir.graph import Graph, Node
from npexport.ir.meta import TensorMeta
from npexport.ir.op import Op
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import MUTATIONS, InputKind, OutputKind
from npexport.ir.weights import checked, require_names
from npexport.runtime.calling import python_signature
from npexport.runtime.entry.sizes import late_check
from npexport.runtime.modules.module import lifted_inputs
from npexport.runtime.namespaces.inputs import Inputs, known
from npexport.runtime.namespaces.running import Running, lacking, refusal
from npexport.runtime.namespaces.space import Lacks, Space
from npexport.symshapes import expr as E
from npexport.symshapes.errors import UserError, briefly
from npexport.symshapes.symint import SymInt

_ADAPTED = ("torch", "dask.array")
"""Libraries that follow the standard only through `array_api_compat`."""


class NamespaceModule:
    """A running program over an array-API namespace; made by ``program.module(namespace=…)``.

    It takes and gives arrays of the namespace, of the dtypes that the graph says. Its parameters
    and constants are the namespace's, converted once; a buffer that the program writes is replaced
    when a call is done. Results are arrays of their own, and share memory with nothing. Where NumPy
    leaves a result open (the order of equal elements) or rounds, the namespace decides.

    >>> import numpy as np, npexport
    >>> run = npexport.export(lambda x: np.sin(x) + 1, (np.ones(3),)).module(namespace=np)
    >>> run(np.zeros(3))
    array([1., 1., 1.])
    """

    def __init__(self, program: ExportedProgram, space: Space, check_guards: bool) -> None:
        self._program = program
        self._space = space
        self._check_guards = check_guards
        self._inputs = Inputs(program, space, check_guards)
        self._lifted = {str(spec.target): (node, spec) for node, spec in lifted_inputs(program)}
        self._arrays = {
            target: space.constant(np.asarray(checked(node, spec, program.lifted(spec)))) for target, (node, spec) in self._lifted.items()
        }
        self._running = Running(space, program.graph)

    @briefly
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program. Raises ``InputMismatch`` for inputs that it is not valid for."""
        leaves = self._inputs.leaves_of(args, kwargs)
        values = {leaf.node.name: value for leaf, value in zip(self._inputs.leaves, leaves, strict=True)}
        values |= {node.name: self._arrays[target] for target, (node, _) in self._lifted.items()}
        watch = Watch(self._inputs, leaves) if self._inputs.sizes.open else None
        outputs = self._running.run([values[node.name] for node in self._program.graph.placeholders], watch)
        copies = {id(value): self._space.copy(value) for value in outputs if self._space.is_array(value)}
        pairs = list(zip(self._program.graph_signature.output_specs, outputs, strict=True))
        results = [copies.get(id(value), value) for spec, value in pairs if spec.kind not in MUTATIONS]
        for spec, value in pairs:
            if spec.kind in MUTATIONS:
                self._arrays[str(spec.target)] = self._space.copy(value)
        return self._program.call_spec.out_spec.unflatten(results)

    @property
    def graph(self) -> Graph:
        """The graph that runs."""
        return self._program.graph

    @property
    def code(self) -> str:
        """The graph as text: it runs node by node."""
        return str(self._program.graph_module)

    @property
    def __signature__(self) -> inspect.Signature:
        return python_signature(self._inputs.slots)

    @briefly
    def check_inputs(self, *args: Any, **kwargs: Any) -> None:
        """Raise ``InputMismatch`` where a call with these inputs would, and compute nothing."""
        self._inputs.leaves_of(args, kwargs)

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """Dotted path and array of every parameter."""
        return self._named(InputKind.PARAMETER)

    def parameters(self) -> Iterator[Any]:
        """The array of every parameter."""
        return (array for _, array in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """Dotted path and current array of every buffer."""
        yield from self._named(InputKind.BUFFER)
        yield from [(path, array) for path, array in self._arrays.items() if path not in self._lifted]

    def buffers(self) -> Iterator[Any]:
        """The current array of every buffer."""
        return (array for _, array in self.named_buffers())

    def _named(self, *kinds: InputKind) -> Iterator[tuple[str, Any]]:
        return ((target, self._arrays[target]) for target, (_, spec) in self._lifted.items() if spec.kind in kinds)

    def _names(self) -> dict[str, str]:
        """Name in the state dict -> target; tied arrays have several names."""
        return {
            name: target for target, (_, spec) in self._lifted.items() for name in (target, *spec.names) if name in self._program.state_dict
        }

    def state_dict(self) -> dict[str, Any]:
        """Dotted path -> current array of the parameters and the persistent buffers."""
        return {name: self._arrays[target] for name, target in self._names().items()}

    @briefly
    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> None:
        """Take over the values of these arrays, of the namespace or of NumPy.

        Raises ``UserError`` for other shapes or dtypes, and, where ``strict``, missing or unknown
        names (E241).
        """
        targets = self._names()
        require_names(targets, state_dict, strict)
        new = {targets[name]: self._checked(targets[name], value) for name, value in state_dict.items() if name in targets}
        self._arrays |= new

    def _checked(self, target: str, value: Any) -> Any:
        node, spec = self._lifted[target]
        if isinstance(value, np.ndarray) or not self._space.is_array(value):
            return self._space.constant(np.asarray(checked(node, spec, value)))
        meta = node.meta["val"]
        if tuple(value.shape) != meta.shape or value.dtype != self._space.dtype(meta.dtype):
            raise UserError("E241", f"{target}: the program was exported with {meta}, got {value.dtype}{list(value.shape)}")
        return self._space.copy(value)

    def __reduce__(self) -> Any:
        """Copies have the state that this module has now; a library is found by its name."""
        xp = self._space.xp
        namespace = xp.__name__ if isinstance(xp, ModuleType) else xp
        return _restored, (self._program, namespace, self._check_guards, self._arrays)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__signature__} over {self._space.name}>"


class Watch:
    """Checks the guards on sizes that only data decide, in one call, as soon as the values reveal
    the sizes.
    """

    def __init__(self, inputs: Inputs, leaves: list[Any]) -> None:
        self._checks = inputs.sizes
        self._open = list(inputs.sizes.open)
        self._numbers = inputs.numbers(leaves)
        self._found: dict[str, int] = {}

    def __call__(self, node: Node, value: Any) -> None:
        meta = node.meta.get("val")
        sizes = zip(meta.shape, value.shape, strict=True) if isinstance(meta, TensorMeta) else [(meta, value)]
        for size, have in sizes:
            if isinstance(size, SymInt):
                for symbol in size.expression.symbols:
                    if size.expression == E.symbol(symbol):
                        self._found.setdefault(symbol, have)
        for step in list(self._open):
            symbols = sorted(step.truth.symbols - self._checks.terms.keys())
            if self._found.keys() >= set(symbols):
                self._open.remove(step)
                late_check(step, self._checks, symbols)(self._numbers, *[self._found[symbol] for symbol in symbols])


def make_module(program: ExportedProgram, namespace: Any, check_guards: bool) -> NamespaceModule:
    """A module of the program over a namespace.

    Operators that it lacks are decomposed where they can be. Raises ``UserError`` (E245).
    """
    if isinstance(namespace, str):
        what = f"namespace is the text {namespace!r}, not a module"
        raise UserError("E201", what, hint="Import the library and pass it: program.module(namespace=jax.numpy).")
    try:
        space = Space(_standard(namespace))
        known(program, space)
        program = _within(program, space)
        return NamespaceModule(program, space, check_guards)
    except Lacks as reason:
        name = getattr(namespace, "__name__", type(namespace).__name__)
        raise UserError("E245", f"the namespace {name!r} cannot run the program: {reason}") from None


def _restored(program: ExportedProgram, namespace: Any, check_guards: bool, arrays: dict[str, Any]) -> NamespaceModule:
    module = make_module(program, import_module(namespace) if isinstance(namespace, str) else namespace, check_guards)
    module._arrays = arrays
    return module


def _standard(namespace: Any) -> Any:
    """The namespace as the standard has it."""
    name = getattr(namespace, "__name__", "")
    if name not in _ADAPTED:
        return namespace
    if find_spec("array_api_compat") is None:
        hint = f"Install array-api-compat, and pass array_api_compat.{name}."
        raise UserError("E245", f"{name} follows the array-API standard by way of array_api_compat alone", hint=hint)
    return import_module(f"array_api_compat.{name}")


def _within(program: ExportedProgram, space: Space) -> ExportedProgram:
    """The program in operators that the namespace has. Raises ``UserError`` (E245)."""
    table = default_decompositions()
    found = list(lacking(space, program.graph))
    while found:
        part = {node.target: table[node.target] for node, _ in found if isinstance(node.target, Op) and node.target in table}
        simpler = program.run_decompositions(part) if part else program
        left = list(lacking(space, simpler.graph))
        if {node.name for node, _ in left} == {node.name for node, _ in found} or not part:
            raise refusal(space, found)
        program, found = simpler, left
    writes = [spec.target for spec in program.graph_signature.output_specs if spec.kind is OutputKind.USER_INPUT_MUTATION]
    specs = program.graph_signature.input_specs
    writes += [spec.arg.name for spec in specs if spec.frozen or spec.reshaped is not None]
    if writes:
        hint = "Let the function return new arrays, `x = x + 1`, not write to its arguments."
        named = ", ".join(map(str, writes))
        raise UserError("E245", f"the program writes to its inputs ({named}): {space.name} may not allow it", hint=hint)
    return program
