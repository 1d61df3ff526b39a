"""What ``program.module()`` returns: a callable with the original calling convention and its own
state.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from npexport.ir.aliasing import may_alias
from npexport.ir.checkpoints import rebound
from npexport.ir.graph import Graph, Node
from npexport.ir.layout_copies import alike, freeze
from npexport.ir.owned import is_frozen
from npexport.ir.program import ExportedProgram
from npexport.ir.running import set_runtime
from npexport.ir.signature import MUTATIONS, InputKind, InputSpec
from npexport.ir.weights import checked, require_names
from npexport.runtime.calling import python_signature
from npexport.runtime.compilation.compile import compile_program
from npexport.runtime.compiled import Base, Compiled
from npexport.runtime.entry.state import Memory, placed
from npexport.runtime.listed_arrays import ListedArrays
from npexport.symshapes.errors import briefly
from npexport.symshapes.parameters import MAPPING, require

Array = np.ndarray[Any, Any]


class Module(Base):  # type: ignore[misc]
    """A running program; made by ``ExportedProgram.module()``.

    It is called as the exported function was: positional and keyword arguments, defaults,
    containers in and out. Inputs that the program is not valid for raise ``InputMismatch``, which
    lists all that is wrong. Its state is its own: writes to buffers, and to the arrays that it
    hands out, change no other module, nor the program. Writes to inputs reach the caller's arrays.
    One module is not to be called by two threads at a time if the program writes to state.

    >>> import numpy as np, npexport
    >>> run = npexport.export(lambda x, scale=2.0: x * scale, (np.ones(3),)).module()
    >>> run(np.ones(3))
    array([2., 2., 2.])
    """

    def __init__(self, program: ExportedProgram, check_guards: bool, options: Mapping[str, Any], compiled: Compiled) -> None:
        self._program = program
        self._check_guards = check_guards
        self._options = dict(options)  # of the compiler
        self._compiled = compiled
        self._inputs = {spec.target: (node, spec) for node, spec in lifted_inputs(program)}
        arrays = {node.name: checked(node, spec, program.lifted(spec)) for node, spec in self._inputs.values()}
        own = owned(program)
        copies = {name: alike(array) for name, array in arrays.items() if name in own or not is_frozen(array)}
        copies |= placed(list(self._inputs.values()), arrays)
        self._shared = {name: array for name, array in arrays.items() if name not in copies}  # nobody can write to them
        self._originals = dict(self._shared)
        self._function = compiled.function(arrays | copies)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the program; each module has this in compiled form."""
        return self._function(self, *args, **kwargs)

    @property
    def graph(self) -> Graph:
        """The graph that runs."""
        return self._program.graph

    @property
    def code(self) -> str:
        """The Python source that runs: parameters, checks, then one statement for each node."""
        return self._compiled.text

    @property
    def __signature__(self) -> inspect.Signature:
        return python_signature(self._compiled.slots)

    @briefly
    def check_inputs(self, *args: Any, **kwargs: Any) -> None:
        """Raise ``InputMismatch`` if a call with these inputs would, and compute nothing. What only
        the data decide is not checked.
        """
        self._compiled.checking()(self, *args, **kwargs)

    def _named(self, *kinds: InputKind) -> Iterator[tuple[str, Array]]:
        """The state that callers may see. The arrays that they get are those of this module."""
        for target, (node, spec) in self._inputs.items():
            if spec.kind in kinds:
                array = self._state[node.name]
                shared = array is self._shared.get(node.name)
                yield target or "", self._take(node.name, alike(array)) if shared else array

    @property
    def _state(self) -> dict[str, Array]:
        """The current arrays, by input name."""
        return {target: self._function.__globals__[name] for name, target in self._compiled.state.items()}

    @property
    def _listed(self) -> ListedArrays | None:
        found: ListedArrays | None = self._function.__globals__.get(self._compiled.listed)
        return found

    def _take(self, name: str, array: Array) -> Array:
        """Replace an array by one that belongs to this module."""
        state = {target: name for name, target in self._compiled.state.items()}
        self._function.__globals__[state[name]] = array
        return array

    def named_parameters(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and array of every parameter."""
        return self._named(InputKind.PARAMETER)

    def parameters(self) -> Iterator[Array]:
        """The array of every parameter."""
        return (array for _, array in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and current array of every buffer. Buffers without an initial value are
        included once a call has made them.
        """
        yield from self._named(InputKind.BUFFER)
        yield from self._held()

    def _held(self) -> Iterator[tuple[str, Array]]:
        values = [(path, self._function.__globals__[name]) for name, path in self._compiled.held.items()]
        return ((path, value) for path, value in values if value is not None)

    def buffers(self) -> Iterator[Array]:
        """The current array of every buffer."""
        return (array for _, array in self.named_buffers())

    def state_dict(self) -> dict[str, Array]:
        """Dotted path -> current array of the parameters and the persistent buffers; tied ones
        under all their names.
        """
        arrays = dict(self._named(InputKind.PARAMETER, InputKind.BUFFER))
        named = {name: arrays[target] for target, name in self._loadable()}
        return {name: named[name] for name in self._program.state_dict if name in named}

    def _loadable(self) -> Iterator[tuple[str, str]]:
        """Target and name of everything in the state dict."""
        for target, (_, spec) in self._inputs.items():
            yield from [(target or "", name) for name in (target or "", *spec.names) if name in self._program.state_dict]

    @briefly
    def load_state_dict(self, state_dict: Mapping[str, Array], strict: bool = True) -> None:
        """Copy the values of these arrays. Raises ``UserError`` for other shapes or dtypes and, if
        ``strict``, for missing or unknown names.
        """
        require("state_dict", state_dict, MAPPING)
        targets = {name: target for target, name in self._loadable()}
        require_names(targets, state_dict, strict)
        found = [
            (self._inputs[targets[name]], state_dict[name]) for name in self._program.state_dict if name in targets and name in state_dict
        ]
        for node, array in [(node, checked(node, spec, array)) for (node, spec), array in found]:
            self._load(node.name, array)

    def _load(self, name: str, value: Array) -> None:
        """Write the value into the array, whose views see it, too; a read-only array is replaced by
        a new one.
        """
        array = self._state[name]
        if array.flags.writeable:
            array[...] = value
            return
        array = alike(array)
        array[...] = value
        self._hide(name, array)

    def _hide(self, name: str, array: Array) -> None:
        """An array that nobody has takes the place of the present one; what is prepared of it stays
        right.
        """
        freeze(array)
        self._shared[name] = self._take(name, array)

    def __reduce__(self) -> Any:
        """A copy has the current state of this module, and its arrays share memory as they do
        here.
        """
        arrays = {(True, name): array for name, array in self._state.items() if array is not self._originals.get(name)}
        hidden = [name for name, array in self._state.items() if (True, name) in arrays and array is self._shared.get(name)]
        listed = self._listed.all() if self._listed is not None else []
        arrays |= {(False, f"{_LISTED}{number}"): array for number, (array, _, _) in enumerate(listed)}
        memory = Memory(arrays | {(False, path): array for path, array in self._held()})
        told = [(name, content) for _, name, content in listed]
        return _restored, (self._program, self._check_guards, self._options, memory, hidden, told)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.__signature__}>"


def make_module(program: ExportedProgram, check_guards: bool, **options: Any) -> Module:
    """A module of a class of its own, whose ``__call__`` is the compiled function: calling it costs
    no more than calling a method. ``options`` are those of `compile_program`.
    """
    module = Module(program, check_guards, options, compile_program(program, check_guards, **options))
    module.__class__ = type("Module", (Module,), {"__call__": module._function, "__doc__": Module.__doc__})
    module._compiled.enter(module, module._function)
    return module


_LISTED = "listed "
"""How the places of arrays that lists of the state hold begin in a copy."""


def _restored(
    program: ExportedProgram, check_guards: bool, options: dict[str, Any], memory: Memory, hidden: list[str], told: list[tuple[str, Any]]
) -> Module:
    module = make_module(program, check_guards, **options)
    held = {path: name for name, path in module._compiled.held.items()}
    arrays = memory.arrays()
    listed = [(arrays.pop((False, f"{_LISTED}{number}")), *each) for number, each in enumerate(told)]
    if module._listed is not None:
        module._listed.restore(listed)
    for (lifted, name), array in arrays.items():
        if lifted and name in hidden:
            module._hide(name, alike(array))
        elif lifted:
            module._take(name, array)
        else:
            module._function.__globals__[held[name]] = array
    return module


def lifted_inputs(program: ExportedProgram) -> list[tuple[Node, InputSpec]]:
    pairs = zip(program.graph.placeholders, program.graph_signature.input_specs, strict=True)
    return [(node, spec) for node, spec in pairs if spec.kind is not InputKind.USER_INPUT]


def owned(program: ExportedProgram) -> set[str]:
    """The lifted inputs that the module copies: buffers, what the program writes to, and whatever
    callers get to see and could write to.
    """
    lifted = list(lifted_inputs(program))
    if not lifted:
        return set()
    storages = may_alias(program.graph)
    leaving = [*program.graph.output_node.all_input_nodes, *rebound(program.graph, program.graph_signature)]
    visible: set[Node] = set().union(*(storages[node] for node in leaving))
    written = {spec.target for spec in program.graph_signature.output_specs if spec.kind in MUTATIONS}
    return {node.name for node, spec in lifted if spec.kind is InputKind.BUFFER or spec.target in written or node in visible}


set_runtime(make_module, compile_program)
