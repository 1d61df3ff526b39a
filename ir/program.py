"""The exported program: graph, signature, state and contract in one object."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from npexport.ir.graph import Graph
from npexport.ir.printing import graph_code, graph_module_code, program_text
from npexport.ir.pytree import TreeSpec
from npexport.ir.signature import ExportGraphSignature, InputKind, InputSpec, ModuleCallEntry, ModuleCallSignature, OutputKind
from npexport.symshapes.errors import InternalError, UserError

Array = np.ndarray[Any, Any]
OPSET_VERSION = {"np": 1, "nn": 1, "sym": 1}
"""The version of each namespace of operators; it grows when the meaning of one changes."""


@dataclass(frozen=True)
class CallSpec:
    """The calling convention.

    ``in_spec``: the structure of ``(args, kwargs)`` as they were passed in the example call; ``out_spec``: of the result.
    ``parameters``: the parameters of the exported callable (bound ones left out), by which calls are bound as Python binds them;
    ``None`` where it has no signature: then a call must be arranged as the example was.
    """

    in_spec: TreeSpec
    out_spec: TreeSpec
    parameters: tuple[inspect.Parameter, ...] | None = None


class GraphModule:
    """The bare graph as a callable: a value for every placeholder in, the tuple of all outputs (mutations first) out."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.meta: dict[str, Any] = {}

    @property
    def code(self) -> str:
        """The source of ``forward``."""
        return graph_code(self.graph)

    def print_readable(self, print_output: bool = True) -> str:
        """The source of the module's class; printed too unless ``print_output`` is false."""
        text = graph_module_code(self.graph)
        if print_output:
            print(text)
        return text

    def __call__(self, *inputs: Any) -> tuple[Any, ...]:
        return self.graph.run(*inputs)

    def __repr__(self) -> str:
        return graph_module_code(self.graph)


ModuleFactory = Callable[["ExportedProgram", bool], Any]
_factory: list[ModuleFactory] = []


def set_module_factory(factory: ModuleFactory) -> None:
    """Called once by the room that runs programs: ``factory(program, check_guards)`` makes what ``program.module()`` returns."""
    _factory[:] = [factory]


class ExportedProgram:
    """A program that :func:`npexport.export` made; build one by hand only from a graph that satisfies :meth:`validate`.

    ``state_dict``: dotted path -> array of the parameters and the persistent buffers. ``constants``: the same for constant arrays and
    other buffers.
    ``range_constraints``: size expression -> range. ``guards``: further conditions that the sizes satisfy, each with its source.
    ``example_inputs``: ``(args, kwargs)`` of the example call, or ``None``. ``report``: what else export has to say, or ``None``.

    >>> import numpy as np, npexport
    >>> program = npexport.export(np.sin, (np.zeros(3),))
    >>> program.module()(np.zeros(3))
    array([0., 0., 0.])
    """

    dialect = "NUMPY"

    def __init__(
        self,
        *,
        graph: Graph,
        signature: ExportGraphSignature,
        state_dict: Mapping[str, Array],
        constants: Mapping[str, Any],
        call_spec: CallSpec,
        range_constraints: Mapping[Any, Any] | None = None,
        guards: Sequence[Any] = (),
        module_call_graph: Sequence[ModuleCallEntry] | None = None,
        example_inputs: tuple[tuple[Any, ...], dict[str, Any]] | None = None,
        report: Any = None,
        opset_version: Mapping[str, int] | None = None,
    ) -> None:
        self.graph_module = GraphModule(graph)
        self.graph_signature = signature
        self.state_dict = dict(state_dict)
        self.constants = dict(constants)
        self.call_spec = call_spec
        self.range_constraints = dict(range_constraints or {})
        self.guards = guards
        self.module_call_graph = [_root_call(signature, call_spec)] if module_call_graph is None else list(module_call_graph)
        self.example_inputs = example_inputs
        self.report = report
        self.opset_version = dict(OPSET_VERSION if opset_version is None else opset_version)

    @property
    def graph(self) -> Graph:
        """The straight-line graph."""
        return self.graph_module.graph

    @property
    def tensor_constants(self) -> dict[str, Any]:
        """Another name of ``constants``."""
        return self.constants

    def lifted(self, spec: InputSpec) -> Any:
        """The array (or object) that a lifted input stands for. Raises ``KeyError`` where the program does not hold it."""
        if spec.kind is InputKind.PARAMETER or (spec.kind is InputKind.BUFFER and spec.persistent):
            return self.state_dict[spec.target or ""]
        return self.constants[spec.target or ""]

    def module(self, check_guards: bool = True) -> Any:
        """A callable with the original calling convention and its own copy of the state.

        ``check_guards=False`` skips the guards on sizes; structure, dtypes, ranks, static sizes, ranges and Python values are always
        checked.
        Calls raise ``InputMismatch`` for inputs that the program is not valid for.
        """
        if not _factory:
            raise InternalError("E901", "nothing that runs programs is imported", hint="Import npexport, not one of its rooms.")
        return _factory[0](self, check_guards)

    def named_parameters(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and array of every parameter, in input order."""
        return ((name, self.state_dict[name]) for name in self.graph_signature.parameters)

    def parameters(self) -> Iterator[Array]:
        """The array of every parameter, in input order."""
        return (array for _, array in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and array of every buffer, in input order."""
        specs = [spec for spec in self.graph_signature.input_specs if spec.kind is InputKind.BUFFER]
        return ((spec.target or "", self.lifted(spec)) for spec in specs)

    def buffers(self) -> Iterator[Array]:
        """The array of every buffer, in input order."""
        return (array for _, array in self.named_buffers())

    def validate(self) -> None:
        """Check every law of the graph and of its signature. Raises ``InternalError`` that shows the neighbourhood of the bad node."""
        from npexport.ir.verifier import verify

        verify(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """An exported program is not called: its :meth:`module` is. Raises ``UserError``."""
        raise UserError("E240", "an ExportedProgram cannot be called directly")

    def __str__(self) -> str:
        return program_text(self)

    __repr__ = __str__


def _root_call(signature: ExportGraphSignature, call_spec: CallSpec) -> ModuleCallEntry:
    inputs = [spec.arg for spec in signature.input_specs if spec.kind is InputKind.USER_INPUT]
    outputs = [spec.arg for spec in signature.output_specs if spec.kind is OutputKind.USER_OUTPUT]
    names = None if call_spec.parameters is None else [parameter.name for parameter in call_spec.parameters]
    return ModuleCallEntry("", ModuleCallSignature(inputs, outputs, call_spec.in_spec, call_spec.out_spec, names))
