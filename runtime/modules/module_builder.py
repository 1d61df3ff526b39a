"""Builds a tree of modules from a program: its calls, their graphs, and the state where the
original had it.

Each call of a module is one operator in the graph of the module that calls it. Inputs are checked,
and mutations written back, by the program as a whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from inspect import Parameter
from typing import Any

from npexport.ir.aliasing import may_alias, taken_again
from npexport.ir.argument_specs import ConstantArgument, TensorArgument
from npexport.ir.call_signatures import ModuleCallSignature
from npexport.ir.call_spec import CallSpec
from npexport.ir.checkpoints import has_checkpoints
from npexport.ir.facts import View
from npexport.ir.graph import CALL, Graph, Node
from npexport.ir.layout_copies import alike
from npexport.ir.module_calls import Call, argument_of, partition, path_of, remade
from npexport.ir.op import Op
from npexport.ir.program import ExportedProgram
from npexport.ir.signature import ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec
from npexport.ir.weights import checked
from npexport.runtime.compilation.compile import compile_program
from npexport.runtime.emission.replays import without_checkpoints_within
from npexport.runtime.entry.state import Memory, placed
from npexport.runtime.modules.module import lifted_inputs, owned
from npexport.runtime.modules.module_graphs import AloneGraph, NotAlone, form_of, graph_of, graph_of_whole
from npexport.runtime.modules.module_sites import Site, arrays_of
from npexport.runtime.modules.module_state import keep_state
from npexport.runtime.modules.module_tree import Arrays, Bound, InterpreterModule, InterpreterModuleDispatcher, Tree
from npexport.runtime.nn.module import Module
from npexport.runtime.nn.registered import MODULE
from npexport.symshapes.errors import InputMismatch, UserError

PRESERVED = "preserve_module_call_signature"


class Builder:
    """The tree of a program: its modules, its state, and the program that runs it."""

    def __init__(self, program: ExportedProgram, tree: Module) -> None:
        self.flat, self.tree = program, tree
        program = without_checkpoints_within(program)
        self.signatures: dict[str, ModuleCallSignature] = {
            entry.fqn: entry.signature for entry in program.module_call_graph if entry.signature is not None and entry.same_as is None
        }
        again = list(_shared_views(program))
        self.shared = frozenset(operand for node in again for operand in (node, *node.all_input_nodes))
        free = {name for env in program.graph.environments() for name, symbol in env.symbols.items() if symbol.hint is None}
        shown = [node for node, _ in program.graph.unbacked_bindings(free).values()]
        used = [operand for node in again for operand in node.all_input_nodes]
        self.root = partition(program.graph, [node for node in (*used, *shown) if node not in again])
        self._ops: dict[Call, Op] = {}
        self._shared_ops: dict[Any, Op] = {}
        self.modules: dict[str, list[tuple[Any, Site]]] = {}
        self._storages = may_alias(program.graph)
        self._lifted = {node.name: spec for node, spec in lifted_inputs(program)}
        self._other_names: list[tuple[str, Any]] = []  # further paths of a module that is called
        self._called = {entry.fqn: entry.called_as for entry in program.module_call_graph}
        self._signed(self.root)
        self._remade = remade(self.root, program.graph)
        self._make(self.root)
        state = {node: spec.target or "" for node, spec in lifted_inputs(program)}
        keep_state(program, state, [(self._name(site.call), site) for sites in self.modules.values() for _, site in sites])
        self.arrays = Arrays(tree)
        self._grow()
        self.program = self._with(graph_of_whole(self.root, program.graph, self._ops.__getitem__, again))
        self.bound = Bound(self.program, compile_program(self.program), self.arrays)
        needed = {path[:end] for path in self.modules for end in [*(i for i, c in enumerate(path) if c == "."), len(path)]}
        placed_modules = [(path, module) for path, module in tree.named_modules(remove_duplicate=False) if path and path not in needed]
        stand = {id(sites[0][1].stands) for sites in self.modules.values()}
        quiet = [(path, module) for path, module in placed_modules if id(module) not in stand]
        self._quiet = [(path, *self._anchor(path), module) for path, module in quiet]
        first = {id(sites[0][1].stands): path for path, sites in self.modules.items()}
        self._alike = [(path, *self._anchor(path), first[id(module)]) for path, module in self._other_names]
        self._untold = {path for path, sites in self.modules.items() if any(self._called.get(site.call.name) is None for _, site in sites)}
        self.nodes = [(node, node.args, node.kwargs) for node in self._nodes()]

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for path, around, rest, module in self._quiet:
            if _at(around, rest) is not module:
                text = f"another module was put at `{path}`, whose calls are no calls of their own in this program"
                raise UserError("E241", text, hint=f"Put the original back, or name the module in {PRESERVED} at export.")
        self._require_one_module()
        try:
            return self.bound(*args, **kwargs)
        except (InputMismatch, UserError):
            raise
        except Exception as error:
            if not (has_checkpoints(self.flat.graph) and self.is_original()):
                raise
            raised = error
        # The flat program knows what is written where it raises. Nothing was so far, so it is
        # asked.
        Bound(self.flat, compile_program(self.flat), self.arrays)(*args, **kwargs)
        raise raised

    def _require_one_module(self) -> None:
        """Raises ``UserError`` (E241) where the paths of one module lead to several, and some call
        of it does not tell by which path it is made: it goes to the module at the first.
        """
        for path, around, rest, first in self._alike:
            if first not in self._untold or _at(around, rest) is _found(self.modules[first][0][1]):
                continue
            if not any(path.startswith(f"{other}.") for other in self.swapped()):
                text = f"`{first}` and `{path}` were one module, and are two: calls do not tell by which name they are made"
                hint = f"Name the module in {PRESERVED} at export: its calls tell it then, if it has no further places than these names."
                raise UserError("E241", text, hint=hint)

    def is_original(self) -> bool:
        """Whether all modules are in their places, and their graphs are unchanged."""
        nodes = [(node, node.args, node.kwargs) for node in self._nodes()]
        same = len(nodes) == len(self.nodes) and all(
            a is b for one, two in zip(nodes, self.nodes, strict=True) for a, b in zip(one, two, strict=True)
        )
        return same and not self.swapped()

    def _nodes(self) -> Iterator[Node]:
        for sites in self.modules.values():
            for module in dict.fromkeys(site.module for _, site in sites):
                yield from vars(module)["_graph"].nodes

    def swapped(self) -> dict[str, Any]:
        """The objects that have replaced modules at their paths."""
        found = {self._name(site.call): (_found(site), site.stands) for sites in self.modules.values() for _, site in sites}
        found |= {path: (_at(around, rest), self.modules[first][0][1].stands) for path, around, rest, first in self._alike}
        others = {path: other for path, (other, stands) in found.items() if other is not stands}
        return {path: other for path, other in others.items() if not any(path.startswith(f"{around}.") for around in others)}

    def _name(self, call: Call) -> str:
        """The path by which a call reaches its module, as far as it is known."""
        return self._called.get(call.name) or call.path

    def _anchor_of(self, call: Call) -> tuple[Module, str]:
        """The innermost module around a call that the path of its own leads through, or the whole
        program, and the path from there.
        """
        path = self._name(call)
        for outer in list(call.around())[1:-1]:
            stands = self.modules[outer.path][0][1].stands
            ends = [index for index, character in enumerate(path) if character == "." and _at(self.tree, path[:index]) is stands]
            if ends:
                return stands, path[ends[-1] + 1 :]
        return self.tree, path

    def _anchor(self, path: str) -> tuple[Module, str]:
        """The innermost called module around a path, or the whole program, and the path from
        there.
        """
        ends = [index for index, character in enumerate(path) if character == "." and path[:index] in self.modules]
        return (self.modules[path[: ends[-1]]][0][1].stands, path[ends[-1] + 1 :]) if ends else (self.tree, path)

    def values(self) -> Memory:
        """The current arrays, by target."""
        return Memory({target: self.arrays.get(target) for target in self.arrays.places})

    # Modules

    def _signed(self, call: Call) -> None:
        """Where a signature is preserved, a call's inputs and outputs begin with those that the
        signature has.
        """
        for inner in call.calls():
            end = inner.end
            if end is not None and end.args[0] in self.signatures and set(inner.nodes()).issuperset(arrays_of(end)):
                inner.inputs = dict.fromkeys([*[value for value in end.args[1] if type(value) is Node], *inner.inputs])
                inner.outputs = dict.fromkeys([*arrays_of(end), *inner.outputs])
            else:
                inner.end = None

    def _make(self, call: Call) -> None:
        for inner in [part for part in call.body if isinstance(part, Call)]:
            self._make(inner)
            self._ops[inner] = self._operator(inner)

    def _operator(self, call: Call) -> Op:
        """The operator of a call. Calls of a module that are alike share one module and graph, and
        one operator, so that calls of what is around them are alike, too.
        """
        graph = graph_of(call, self._ops.__getitem__)
        signature = None if call.end is None else self.signatures[call.name]
        key = (form_of(graph, signature is not None), signature is not None and (signature.in_spec, signature.out_spec, _constants(call)))
        sites = self.modules.setdefault(call.path, [])
        module = next((site.module for known, site in sites if known == key), None) or InterpreterModule(graph, call.kind)
        why_not = "it returns memory that the program writes to" if self.shared & call.outputs.keys() else ""
        if call.name in self._remade:
            why_not = "the program gives back what it returns as memory that the original decides on"
        site = Site(call, module, signature, why_not)
        sites.append((key, site))
        name, sources = call.path.replace(".", "_"), self._sources(call)
        op = Op("module", name, _declared, site, traits=frozenset({"may_share"}), view=View(sources=sources))
        anchor = self._name(call), *[outer.path for outer in call.around()]
        return self._shared_ops.setdefault((module, anchor, why_not, sources, _places(call)), op)

    def _sources(self, call: Call) -> tuple[Any, ...]:
        """The memory that each result of a call may lie in: positions of arguments, and memory of
        the call's own by numbers.
        """
        given = [self._storages[value] for value in call.inputs]
        outside = set().union(*given)
        found = [self._storages[value] for value in call.outputs]
        own = {root: number for number, root in enumerate(dict.fromkeys(root for roots in found for root in roots if root not in outside))}
        return tuple(
            [
                (
                    tuple([place for place, storages in enumerate(given) if not storages.isdisjoint(roots)]),
                    tuple(sorted(own[root] for root in roots if root in own)),
                )
                for roots in found
            ]
        )

    def _grow(self) -> None:
        """Put modules and arrays in their places."""
        for path, sites in sorted(self.modules.items(), key=lambda item: item[0].count(".")):
            modules = list(dict.fromkeys(site.module for _, site in sites))
            stands: Any = modules[0]
            if len(modules) > 1:
                stands = InterpreterModuleDispatcher((), modules)
                vars(stands)["_type"] = sites[0][1].call.kind
            for _, site in sites:
                site.stands = stands
            self._stand(path, stands)
        self._fill()
        self._share()
        self._stand_elsewhere()
        ranks = _first_ranks([*self.flat.state_dict, *self.arrays.places])
        for path, module in list(self.tree.named_modules()):
            _in_order(module, f"{path}." if path else "", ranks)
        for sites in self.modules.values():
            for _, site in sites:
                site.anchor = self._anchor_of(site.call)
            stands = sites[0][1].stands
            if isinstance(stands, InterpreterModuleDispatcher):
                vars(stands)["_attrs"] = frozenset(vars(stands)["_kinds"])
            for module in dict.fromkeys(site.module for _, site in sites):
                self._bind(module, next(site for _, site in sites if site.module is module))

    def _stand(self, path: str, module: Module) -> None:
        owner: Any = self.tree
        *parents, name = path.split(".")
        if any(part[:1] == "_" and hasattr(owner, part) for part in (*parents, name)):
            raise UserError("E241", f"no sub-module can be at `{path}`", hint="Export the program again.")
        for part in parents:
            if not isinstance(vars(owner).get(part), Module):
                owner._register(part, MODULE, Tree())
            owner = vars(owner)[part]
        owner._register(name, MODULE, module)

    def _stand_called(self, path: str) -> None:
        """A module stands where a call computes nothing, or only in a branch or a loop; what it
        holds stays.
        """
        graph = Graph()
        graph.output(())
        module, before = InterpreterModule(graph), _at(self.tree, path)
        for name, kind in before._kinds.items() if before is not None else ():
            module._register(name, kind, vars(before)[name])
        self.arrays.move(before, module)
        self._stand(path, module)

    def _stand_elsewhere(self) -> None:
        """Modules whose calls compute nothing, and further paths of those that are called."""
        entries = self.flat.module_call_graph[1:]
        for path in [path_of(entry.fqn) for entry in entries if entry.same_as is None]:
            if not isinstance(_at(self.tree, path), InterpreterModule | InterpreterModuleDispatcher):
                self._stand_called(path)
        for path, first in [(entry.fqn, entry.same_as) for entry in entries if entry.same_as is not None]:
            if _at(self.tree, path) is not (called := _at(self.tree, first)):
                self._stand(path, called)
                if first in self.modules:
                    self._other_names.append((path, called))

    def _share(self) -> None:
        """Modules whose arrays are those of one that is called, under the same names, are that
        module.
        """
        called = {frozenset(_arrays_of(site.stands)): site.stands for sites in self.modules.values() for _, site in sites}
        for path, module in list(self.tree.named_modules()):
            other = called.get(frozenset(_arrays_of(module))) if type(module) is Tree else None
            if other is not None and path and _arrays_of(module) and _at(self.tree, path) is module and not self._below(path):
                self._stand(path, other)
                self._other_names.append((path, other))

    def _below(self, path: str) -> bool:
        return any(other.startswith(f"{path}.") for other in self.modules)

    def _fill(self) -> None:
        lifted = lifted_inputs(self.flat)
        arrays = {node.name: checked(node, spec, self.flat.lifted(spec)) for node, spec in lifted}
        own = owned(self.flat)
        own |= {node.name for node, spec in lifted if spec.kind in (InputKind.PARAMETER, InputKind.BUFFER)}
        arrays |= {name: alike(array) for name, array in arrays.items() if name in own} | placed(lifted, arrays)
        names = {spec.target: (node, spec) for node, spec in lifted}
        order = [name for name in self.flat.state_dict if name in names]
        for target in dict.fromkeys([*order, *names]):
            node, spec = names[target]
            self.arrays.hold(spec, arrays[node.name], [name for name in spec.names if spec.kind is not InputKind.CONSTANT_TENSOR])

    def _bind(self, module: InterpreterModule, site: Site) -> None:
        """How a module is called by itself."""
        state = self._lifted
        graph = vars(module)["_graph"]
        pairs = zip(site.call.inputs, graph.placeholders, strict=True)
        vars(module)["_state"] = {
            node: self.arrays.places[state[value.name].target or ""][0] for value, node in pairs if value.name in state and value.op != CALL
        }
        if site.call.end is not None:
            signature = self.signatures[site.call.name]
            vars(module)["_alone"] = Alone(self.flat, self.arrays, site.call, signature, self._ops.__getitem__)

    # Programs

    def _with(self, graph: Graph) -> ExportedProgram:
        flat = self.flat
        return ExportedProgram(
            graph=graph,
            signature=ExportGraphSignature(
                [replace(spec) for spec in flat.graph_signature.input_specs], [replace(spec) for spec in flat.graph_signature.output_specs]
            ),
            state_dict=flat.state_dict,
            constants=flat.constants,
            call_spec=flat.call_spec,
            range_constraints=flat.ranges,
            guards=flat.guards,
        )


class Alone:
    """A sub-module that is called by itself: a program of its own, over the state of the tree, made
    at the first call.
    """

    def __init__(
        self, flat: ExportedProgram, arrays: Arrays, call: Call, signature: ModuleCallSignature, operator: Callable[[Call], Op]
    ) -> None:
        self.flat, self.arrays, self.call, self.signature, self.operator = flat, arrays, call, signature, operator
        self._bound: Bound | None = None

    def __call__(self) -> Bound:
        if self._bound is None:
            try:
                program = self._program()
                self._bound = Bound(program, compile_program(program), self.arrays)
            except (NotAlone, UserError) as error:
                why = str(error) if isinstance(error, NotAlone) else "its sizes are not those of its arguments alone"
                raise UserError("E241", f"`{self.call.path}` cannot be called by itself: {why}", hint="Call the whole module.") from None
        return self._bound

    def _program(self) -> ExportedProgram:
        flat = self.flat
        specs = dict(lifted_inputs(flat))
        beneath = f"{self.call.path}."

        def is_own(node: Node) -> bool:
            """Whether the module may reach an array by itself: as its own, or as a global."""
            spec = specs.get(node)
            return spec is not None and (
                spec.kind is InputKind.CONSTANT_TENSOR or any(name.startswith(beneath) for name in (spec.target or "", *spec.names))
            )

        alone = AloneGraph(self.call, self.operator, specs.__contains__, is_own)
        graph = alone.finished()
        signature = self.signature
        inputs = [_state_spec(node.name, specs[place]) for place, node in alone.lifted.items()]
        first: dict[Any, str] = {}
        for node, value in zip(alone.leaves, self.call.end.args[1], strict=True):  # type: ignore[union-attr]
            arg = argument_of(node) if type(value) is Node else ConstantArgument(node.name, value)
            same = first.setdefault(value, node.name) if isinstance(arg, TensorArgument) else node.name
            inputs.append(InputSpec(InputKind.USER_INPUT, arg, None, same_as=None if same == node.name else same))
        results = [argument_of(value) for value in graph.output_node.args[0]]
        outputs = [
            OutputSpec(_MUTATIONS[specs[place].kind], arg, specs[place].target, rebinds=new)
            for (place, new), arg in zip(alone.written, results, strict=False)
        ]
        outputs += [OutputSpec(OutputKind.USER_OUTPUT, arg) for arg in results[len(alone.written) :]]
        known = {name for node in alone.leaves for name in _symbols(node.meta["val"])}
        return ExportedProgram(
            graph=graph,
            signature=ExportGraphSignature(inputs, outputs),
            state_dict={},
            constants={},
            call_spec=CallSpec(signature.in_spec, signature.out_spec, _parameters(signature)),
            range_constraints={size: found for size, found in flat.ranges.items() if size.symbols <= known},
            guards=tuple([guard for guard in flat.guards if guard.truth.symbols <= known]),
        )


_MUTATIONS = {
    InputKind.PARAMETER: OutputKind.PARAMETER_MUTATION,
    InputKind.BUFFER: OutputKind.BUFFER_MUTATION,
    InputKind.CUSTOM_OBJ: OutputKind.BUFFER_MUTATION,
}


def _state_spec(name: str, spec: InputSpec) -> InputSpec:
    arg = replace(spec.arg, name=name)
    return InputSpec(spec.kind, arg, spec.target, spec.persistent, names=spec.names, literal=spec.literal)


def _symbols(value: Any) -> set[str]:
    sizes = getattr(value, "shape", (value,))
    return {name for size in sizes if hasattr(size, "expression") for name in size.expression.symbols}


def _parameters(signature: ModuleCallSignature) -> tuple[Parameter, ...] | None:
    """By which parameters a call is bound; older files have their names alone."""
    args, kwargs = signature.in_spec.children
    names = signature.forward_arg_names
    if signature.parameters is not None or names is None or len(names) != len(args.children) + len(kwargs.children):
        return signature.parameters
    return tuple([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])


def _constants(call: Call) -> tuple[Any, ...]:
    return tuple([None if type(value) is Node else repr(value) for value in call.end.args[1]])  # type: ignore[union-attr]


def _places(call: Call) -> Any:
    """What a call does when another module is in its place: by which inputs that is called, and
    which outputs it gives. One that changes state is like no other.
    """
    if call.end is None:
        return None
    if call.outputs.keys() - set(arrays_of(call.end)):
        return call
    found = {value: place for values in (call.inputs, call.outputs) for place, value in enumerate(values)}
    return tuple([found.get(leaf) if type(leaf) is Node else repr(leaf) for leaves in call.end.args[1:3] for leaf in leaves])


def _declared(*values: Any) -> None:
    """The values of a call of a module are declared."""


def _found(site: Site) -> Any:
    """What stands where a call goes to, or ``None``."""
    found: Any = site.anchor[0]
    for name in site.anchor[1].split("."):
        found = getattr(found, name, None)
    return found


def _at(tree: Module, path: str) -> Any:
    """The object at a path, or ``None``."""
    found: Any = tree
    for name in path.split("."):
        found = vars(found).get(name) if isinstance(found, Module) else None
    return found


def _arrays_of(module: Module) -> dict[tuple[str, int], None]:
    return dict.fromkeys([(name, id(array)) for name, array in [*module.named_parameters(), *module.named_buffers()]])


def _first_ranks(paths: list[str]) -> dict[str, int]:
    """For every module the position of its first array among these paths."""
    found: dict[str, int] = {}
    for rank, path in enumerate(paths):
        end = path.rfind(".")
        while end > 0:
            found.setdefault(path[:end], rank)
            end = path.rfind(".", 0, end)
    return found


def _in_order(module: Module, prefix: str, ranks: dict[str, int]) -> None:
    """Sort sub-modules by their numbers or, if they have none, by their state."""
    children = [name for name, kind in module._kinds.items() if kind == MODULE]
    first = {name: ranks.get(f"{prefix}{name}") for name in children}
    stateful = [name for name in children if first[name] is not None]
    moved = dict(zip(stateful, sorted(stateful, key=first.__getitem__), strict=True))  # type: ignore[arg-type]
    numbered = all(name.isdecimal() for name in children)
    for name in sorted(children, key=int) if numbered else [moved.get(name, name) for name in children]:
        module._kinds[name] = module._kinds.pop(name)


def _shared_views(program: ExportedProgram) -> Iterator[Node]:
    """The views and choices that outputs are of mutated inputs whose memory they share, from the
    first to the last.
    """
    found = set(taken_again(program.graph, program.graph_signature))
    return (node for node in program.graph.nodes if node in found)
