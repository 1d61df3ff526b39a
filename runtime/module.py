"""What ``program.module()`` returns: a callable with the original calling convention and its own state."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from npexport.ir.aliasing import storages_of
from npexport.ir.graph import Graph, Node
from npexport.ir.meta import TensorMeta, dtype_name
from npexport.ir.program import ExportedProgram, set_module_factory
from npexport.ir.signature import MUTATIONS, InputKind, InputSpec
from npexport.runtime.calling import python_signature
from npexport.runtime.compile import Compiled, compile_program
from npexport.runtime.state import placed
from npexport.symshapes.errors import UserError

Array = np.ndarray[Any, Any]


class Module:
    """A running program; made by ``ExportedProgram.module()``.

    It is called as the exported function was: positional and keyword arguments, defaults, containers in and out. Inputs that the
    program is not valid for raise ``InputMismatch``, which lists all that is wrong. Writes to buffers are kept in this module's own copy of
    the state, writes to inputs reach the caller's arrays. One module is not to be called by two threads at a time if the program writes
    to state.

    >>> import numpy as np, npexport
    >>> run = npexport.export(lambda x, scale=2.0: x * scale, (np.ones(3),)).module()
    >>> run(np.ones(3))
    array([2., 2., 2.])
    """

    def __init__(self, program: ExportedProgram, check_guards: bool, compiled: Compiled) -> None:
        self._program = program
        self._check_guards = check_guards
        self._compiled = compiled
        self._inputs = {spec.target: (node, spec) for node, spec in _lifted(program)}
        arrays = {node.name: _checked(node, spec, program.lifted(spec)) for node, spec in self._inputs.values()}
        own = _owned(program)
        self._own = {name: np.copy(array, order="K") for name, array in arrays.items() if name in own}
        self._own |= placed(list(self._inputs.values()), arrays)
        self._function = compiled.function(arrays | self._own)

    @property
    def graph(self) -> Graph:
        """The graph that runs."""
        return self._program.graph

    @property
    def code(self) -> str:
        """The Python source that runs: parameters, checks, then one statement a node."""
        return self._compiled.text

    @property
    def __signature__(self) -> inspect.Signature:
        return python_signature(self._compiled.slots)

    def check_inputs(self, *args: Any, **kwargs: Any) -> None:
        """Raise ``InputMismatch`` where a call with these inputs would, and compute nothing. What only the data tell is not checked."""
        self._compiled.checking()(self, *args, **kwargs)

    def _named(self, *kinds: InputKind) -> Iterator[tuple[str, Array]]:
        state = {target: name for name, target in self._compiled.state.items()}
        for target, (node, spec) in self._inputs.items():
            if spec.kind in kinds:
                yield target or "", self._function.__globals__[state[node.name]]

    def named_parameters(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and array of every parameter."""
        return self._named(InputKind.PARAMETER)

    def parameters(self) -> Iterator[Array]:
        """The array of every parameter."""
        return (array for _, array in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and current array of every buffer."""
        return self._named(InputKind.BUFFER)

    def buffers(self) -> Iterator[Array]:
        """The current array of every buffer."""
        return (array for _, array in self.named_buffers())

    def state_dict(self) -> dict[str, Array]:
        """Dotted path -> current array of the parameters and the persistent buffers; tied ones under all their names."""
        arrays = dict(self._named(InputKind.PARAMETER, InputKind.BUFFER))
        named = {name: arrays[target] for target, name in self._loadable()}
        return {name: named[name] for name in self._program.state_dict if name in named}

    def _loadable(self) -> Iterator[tuple[str, str]]:
        """Target and name of everything in the state dict."""
        for target, (_, spec) in self._inputs.items():
            yield from [(target or "", name) for name in (target or "", *spec.names) if name in self._program.state_dict]

    def load_state_dict(self, state_dict: Mapping[str, Array], strict: bool = True) -> None:
        """Take over the values of these arrays.

        Raises ``UserError`` for other shapes or dtypes, and, where ``strict``, missing or unknown names.
        """
        targets = {name: target for target, name in self._loadable()}
        missing, unknown = sorted(targets.keys() - state_dict.keys()), sorted(state_dict.keys() - targets.keys())
        if strict and (missing or unknown):
            raise UserError("E241", f"the state dict does not fit: missing {missing}, unknown {unknown}")
        found = [
            (self._inputs[targets[name]], state_dict[name]) for name in self._program.state_dict if name in targets and name in state_dict
        ]
        for node, array in [(node, _checked(node, spec, array)) for (node, spec), array in found]:
            self._load(node.name, array)

    def _load(self, name: str, value: Array) -> None:
        """Write the value into the array, whose views see it too; into a copy of one that is not this module's own."""
        state = {target: name for name, target in self._compiled.state.items()}[name]
        array = self._function.__globals__[state]
        if name not in self._own or not array.flags.writeable:
            array = self._function.__globals__[state] = np.copy(array, order="K")
        array[...] = value

    def __reduce__(self) -> Any:
        """Copies have the state that this module has now; what lies in common memory stays there."""
        arrays = dict(self._named(*InputKind))
        return _restored, (
            self._program,
            self._check_guards,
            arrays,
            {name for name, array in arrays.items() if self._at_home(name, array)},
        )

    def _at_home(self, target: str, array: Array) -> bool:
        return array is self._own.get(self._inputs[target][0].name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__signature__}>"


def make_module(program: ExportedProgram, check_guards: bool) -> Module:
    """A module of a class of its own, whose ``__call__`` is the compiled function: calling it costs no more than calling a method."""
    module = Module(program, check_guards, compile_program(program, check_guards))
    module.__class__ = type("Module", (Module,), {"__call__": module._function, "__doc__": Module.__doc__})
    return module


def _restored(program: ExportedProgram, check_guards: bool, arrays: Mapping[str, Array], at_home: set[str]) -> Module:
    module = make_module(program, check_guards)
    state = {target: name for name, target in module._compiled.state.items()}
    for target, (node, _) in module._inputs.items():
        if target in at_home:
            module._own[node.name][...] = arrays[target]
        else:
            module._function.__globals__[state[node.name]] = arrays[target or ""]
    return module


def _lifted(program: ExportedProgram) -> list[tuple[Node, InputSpec]]:
    pairs = zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True)
    return [(node, spec) for node, spec in pairs if spec.kind is not InputKind.USER_INPUT]


def _owned(program: ExportedProgram) -> set[str]:
    """The lifted inputs that the module copies: buffers, what the program writes to, and whatever callers get to see and could write to."""
    storages = storages_of(program.graph)
    visible: set[Node] = set().union(*(storages[node] for node in program.graph.output_node.all_input_nodes))
    written = {spec.target for spec in program.graph_signature.output_specs if spec.kind in MUTATIONS}
    return {node.name for node, spec in _lifted(program) if spec.kind is InputKind.BUFFER or spec.target in written or node in visible}


def _checked(node: Node, spec: InputSpec, value: Any) -> Any:
    """The array, if it is what the graph was made for. Raises ``UserError``."""
    meta = node.meta["val"]
    if isinstance(meta, TensorMeta) and (np.shape(value) != meta.shape or np.asarray(value).dtype != meta.dtype):
        got = f"{dtype_name(np.asarray(value).dtype)}{list(np.shape(value))}"
        raise UserError("E241", f"{spec.target}: the program was exported with {meta}, the state holds {got}")
    return value


set_module_factory(make_module)
