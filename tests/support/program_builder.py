"""Programs built by hand from real operators, for tests of the rooms behind the tracer."""

import inspect

import numpy as np

import npexport.ir.ops  # noqa: F401 -- registers the operators
import npexport.runtime.modules.module  # noqa: F401 -- gives programs their module()
from npexport.ir.argument_specs import ConstantArgument, SymIntArgument, TensorArgument
from npexport.ir.call_spec import CallSpec
from npexport.ir.graph import Graph, Node, map_nodes
from npexport.ir.meta import TensorMeta
from npexport.ir.op import REGISTRY
from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import tree_flatten
from npexport.ir.signature import ExportGraphSignature, InputKind, InputSpec, OutputKind, OutputSpec


def meta_of(value):
    if isinstance(value, (np.ndarray, np.generic)):
        return TensorMeta(value.shape, value.dtype, isinstance(value, np.generic))
    return value


class Builder:
    """Lifted arrays first, then inputs, then calls, then ``finish``."""

    def __init__(self):
        self.graph = Graph()
        self.inputs = []
        self.state_dict = {}
        self.constants = {}

    def lift(self, kind, target, array, persistent=None):
        prefix = {InputKind.PARAMETER: "p", InputKind.BUFFER: "b", InputKind.CONSTANT_TENSOR: "c"}[kind]
        node = self.graph.placeholder(f"{prefix}_{target.replace('.', '_')}", {"val": meta_of(array)})
        self.inputs.append(InputSpec(kind, TensorArgument(node.name), target, persistent))
        held = self.state_dict if kind is InputKind.PARAMETER or persistent else self.constants
        held[target] = array
        return node

    def parameter(self, target, array):
        return self.lift(InputKind.PARAMETER, target, array)

    def buffer(self, target, array, persistent=True):
        return self.lift(InputKind.BUFFER, target, array, persistent)

    def constant(self, target, array):
        return self.lift(InputKind.CONSTANT_TENSOR, target, array)

    def input(self, name, value, **conditions):
        node = self.graph.placeholder(name, {"val": meta_of(value)})
        if isinstance(meta_of(value), TensorMeta):
            arg = TensorArgument(node.name)
        elif hasattr(value, "expression"):
            arg = SymIntArgument(node.name)
        else:
            arg = ConstantArgument(node.name, value)
        self.inputs.append(InputSpec(InputKind.USER_INPUT, arg, None, **conditions))
        return node

    def call(self, name, *args, **kwargs):
        op = REGISTRY.get(name)
        args, kwargs = op.bind(args, kwargs)
        metas, named = map_nodes((args, kwargs), lambda node: node.meta["val"])
        return self.graph.call_function(op, args, kwargs, {"val": op.rule(*metas, **named)})

    def finish(self, outputs, *, args=None, kwargs=None, parameters=None, writes=(), rebinds=(), aliases=None, **rest):
        """``outputs``: the result, nodes as leaves; ``writes``: (target node, new value); ``args``, ``kwargs``: the example call."""
        leaves, out_spec = tree_flatten(outputs)
        specs = [self._mutation(target, value, False) for target, value in writes]
        specs += [self._mutation(target, value, True) for target, value in rebinds]
        for index, leaf in enumerate(leaves):
            arg = ConstantArgument("", leaf)
            if isinstance(leaf, Node):
                arg = TensorArgument(leaf.name) if isinstance(leaf.meta["val"], TensorMeta) else SymIntArgument(leaf.name)
            alias = (aliases or {}).get(index)
            specs.append(OutputSpec(OutputKind.USER_OUTPUT, arg, None, alias.name if alias is not None else None))
        self.graph.output((*[value for _, value in (*writes, *rebinds)], *leaves))
        users = [spec for spec in self.inputs if spec.kind is InputKind.USER_INPUT]
        if args is None:
            args = tuple(spec.arg.name for spec in users)
        in_spec = tree_flatten((args, kwargs or {}))[1]
        if parameters is None:
            parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in args]
        return ExportedProgram(
            graph=self.graph,
            signature=ExportGraphSignature(self.inputs, specs),
            state_dict=self.state_dict,
            constants=self.constants,
            call_spec=CallSpec(in_spec, out_spec, tuple(parameters)),
            **rest,
        )

    def _mutation(self, target, value, rebinds):
        spec = next(spec for spec in self.inputs if spec.arg.name == target.name)
        kinds = {InputKind.BUFFER: OutputKind.BUFFER_MUTATION, InputKind.USER_INPUT: OutputKind.USER_INPUT_MUTATION}
        name = target.name if spec.kind is InputKind.USER_INPUT else spec.target
        return OutputSpec(kinds[spec.kind], TensorArgument(value.name), name, rebinds=rebinds)


def parameters_of(function):
    return tuple(inspect.signature(function).parameters.values())
