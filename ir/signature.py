"""What each input and output of a graph is: the names and numbers are those of ``torch.export``.

Inputs are ordered ``[parameters, buffers, constants, custom objects, *flattened user inputs]``,
outputs ``[mutations, *flattened user outputs]``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import Enum, auto
from typing import Any

from npexport.ir.argument_specs import ARGUMENT, ArgumentSpec, ConstantArgument
from npexport.symshapes.parameters import FLAG, MAPPING, TEXT, field_kinds, instance, listed, takes


class InputKind(Enum):
    """What an input is.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> layer = npexport.nn.Linear(2, 1, dtype=np.float64)
    >>> program = npexport.export(layer, (np.ones((1, 2)),))
    >>> [spec.kind.name for spec in program.graph_signature.input_specs]
    ['PARAMETER', 'PARAMETER', 'USER_INPUT']
    """

    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()
    CUSTOM_OBJ = auto()
    TOKEN = auto()


class OutputKind(Enum):
    """What an output is.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> def step(x):
    ...     x += 1
    ...     return x.sum()
    >>> program = npexport.export(step, (np.ones(3),))
    >>> [spec.kind.name for spec in program.graph_signature.output_specs]
    ['USER_INPUT_MUTATION', 'USER_OUTPUT']
    """

    USER_OUTPUT = auto()
    LOSS_OUTPUT = auto()
    BUFFER_MUTATION = auto()
    PARAMETER_MUTATION = auto()
    GRADIENT_TO_PARAMETER = auto()
    GRADIENT_TO_USER_INPUT = auto()
    USER_INPUT_MUTATION = auto()
    TOKEN = auto()


MUTATIONS = (OutputKind.BUFFER_MUTATION, OutputKind.PARAMETER_MUTATION, OutputKind.USER_INPUT_MUTATION)


@field_kinds(kind=instance(InputKind), arg=ARGUMENT, target=TEXT.optional, persistent=FLAG.optional)
@dataclass(repr=False)
class InputSpec:
    """One input.

    Parameters
    ----------
    kind : InputKind
        What it is.
    arg : TensorArgument, SymIntArgument, ConstantArgument, ...
        Its placeholder or value.
    target : str or None
        The dotted path of a parameter, buffer or constant.
    persistent : bool, optional
        Whether a buffer belongs to the state dict.
    same_as : str, optional
        The earlier input that must be the very same array.
    layout : str or tuple of int, optional
        How it must lie in memory: ``"C"`` or ``"F"`` (contiguous in this order, and aligned),
        or strides in bytes.
    distinct_from : tuple of str
        Earlier inputs that must be other arrays.
    overlaps : tuple of (str, int or None)
        Earlier inputs, each with the number of bytes after it that this one begins in the same
        memory; ``None``: they must share no memory. State that overlaps is laid out so.
    owns : bool
        It must not be a view of another array.
    names : tuple of str
        The further paths of an array with several (tied weights).
    writeable : bool, optional
        It must be writeable, or must not be.
    reshaped : tuple of int, optional
        The shape that the program gives to the caller's array itself (``x.shape = ...``).
    frozen : bool
        The program makes the caller's array read-only (``x.setflags(write=False)``).
    literal : bool
        A constant that the program makes in every call: neither its memory nor a view of it leaves
        the program. Any other constant is an outside array, of which there is one.
    listed : bool
        A list of the state may hold it from this call on: later calls are refused once somebody has
        changed it.

    Examples
    --------
    >>> from npexport import TensorArgument
    >>> InputSpec(InputKind.PARAMETER, TensorArgument("p_weight"), "weight").target
    'weight'
    """

    kind: InputKind
    arg: ArgumentSpec
    target: str | None
    persistent: bool | None = None
    same_as: str | None = None
    layout: str | tuple[int, ...] | None = None
    distinct_from: tuple[str, ...] = ()
    overlaps: tuple[tuple[str, int | None], ...] = ()
    owns: bool = False
    names: tuple[str, ...] = ()
    writeable: bool | None = None
    reshaped: tuple[int, ...] | None = None
    frozen: bool = False
    literal: bool = False
    listed: bool = False

    @property
    def compared(self) -> tuple[str, ...]:
        """The earlier inputs that the conditions name."""
        same = () if self.same_as is None else (self.same_as,)
        return (*same, *self.distinct_from, *(name for name, _ in self.overlaps))

    def __post_init__(self) -> None:
        if self.kind is InputKind.BUFFER and self.persistent is None:
            raise ValueError(f"buffer {self.target!r}: say whether it is persistent")

    def __repr__(self) -> str:
        return f"InputSpec({', '.join(_fields(self))})"


@field_kinds(kind=instance(OutputKind), arg=ARGUMENT, target=TEXT.optional)
@dataclass(repr=False)
class OutputSpec:
    """One output.

    Parameters
    ----------
    kind : OutputKind
        What it is.
    arg : TensorArgument, SymIntArgument, ConstantArgument, ...
        Its node or value.
    target : str, optional
        What a mutation writes: the dotted path of a parameter or buffer, or the placeholder's name
        of a user input.
    alias : str or tuple of str, optional
        The placeholder whose array it shares memory with in eager execution, where the program
        writes to it; the runtime then returns it, or the same view of it. Several if data decide.
    rebinds : bool
        A buffer gets a new array (``self.h = new``); where the elements of the old one are written
        too, that is another output.
    listed : bool
        A list of the state may hold it, as of an input.

    Examples
    --------
    >>> from npexport import TensorArgument
    >>> OutputSpec(OutputKind.BUFFER_MUTATION, TensorArgument("add"), "calls").target
    'calls'
    """

    kind: OutputKind
    arg: ArgumentSpec
    target: str | None = None
    alias: str | tuple[str, ...] | None = None
    rebinds: bool = False
    listed: bool = False

    def __post_init__(self) -> None:
        if self.kind in MUTATIONS and self.target is None:
            raise ValueError(f"{self.kind.name} of {self.arg.name!r} names no target")

    @property
    def aliases(self) -> tuple[str, ...]:
        """The placeholders that ``alias`` names."""
        return self.alias if isinstance(self.alias, tuple) else () if self.alias is None else (self.alias,)

    def __repr__(self) -> str:
        return f"OutputSpec({', '.join(_fields(self))})"


@field_kinds(gradients_to_parameters=MAPPING, gradients_to_user_inputs=MAPPING, loss_output=TEXT)
@dataclass
class ExportBackwardSignature:
    """Which outputs are the gradients of what.

    Parameters
    ----------
    gradients_to_parameters : dict of str to str
        Output name to dotted path of the parameter.
    gradients_to_user_inputs : dict of str to str
        Output name to name of the user input.
    loss_output : str
        The name of the output that is differentiated.

    Examples
    --------
    >>> ExportBackwardSignature({"matmul": "weight"}, {}, "sum_1").gradients_to_parameters
    {'matmul': 'weight'}
    """

    gradients_to_parameters: dict[str, str]
    gradients_to_user_inputs: dict[str, str]
    loss_output: str


@field_kinds(input_specs=listed(InputSpec, "a list of InputSpec"), output_specs=listed(OutputSpec, "a list of OutputSpec"))
@dataclass(repr=False)
class ExportGraphSignature:
    """All inputs and outputs of a graph.

    Parameters
    ----------
    input_specs : list of InputSpec
        In the order of the placeholders.
    output_specs : list of OutputSpec
        In the order of the output tuple.

    Examples
    --------
    >>> from npexport import TensorArgument
    >>> x = InputSpec(InputKind.USER_INPUT, TensorArgument("x"), None)
    >>> y = OutputSpec(OutputKind.USER_OUTPUT, TensorArgument("sin"))
    >>> ExportGraphSignature([x], [y]).user_outputs
    ('sin',)
    """

    input_specs: list[InputSpec]
    output_specs: list[OutputSpec]

    def _targets(self, kind: InputKind) -> tuple[str, ...]:
        return tuple(self._by_name(kind).values())

    def _by_name(self, kind: InputKind) -> dict[str, str]:
        return {spec.arg.name: spec.target for spec in self.input_specs if spec.kind is kind and spec.target is not None}

    def _mutations(self, kind: OutputKind) -> dict[str, str]:
        return {spec.arg.name: spec.target for spec in self.output_specs if spec.kind is kind and spec.target is not None}

    @property
    def parameters(self) -> tuple[str, ...]:
        """The dotted paths of the parameters."""
        return self._targets(InputKind.PARAMETER)

    @property
    def buffers(self) -> tuple[str, ...]:
        """The dotted paths of the buffers."""
        return self._targets(InputKind.BUFFER)

    @property
    def non_persistent_buffers(self) -> tuple[str, ...]:
        """The dotted paths of the buffers that do not belong to the state dict."""
        return tuple(s.target for s in self.input_specs if s.kind is InputKind.BUFFER and s.persistent is False and s.target is not None)

    @property
    def lifted_tensor_constants(self) -> tuple[str, ...]:
        """The dotted paths of the constant arrays."""
        return self._targets(InputKind.CONSTANT_TENSOR)

    @property
    def lifted_custom_objs(self) -> tuple[str, ...]:
        """The dotted paths of the opaque objects."""
        return self._targets(InputKind.CUSTOM_OBJ)

    @property
    def user_inputs(self) -> tuple[Any, ...]:
        """The nodes' names, or the values of the Python constants, of the user's flattened
        inputs.
        """
        return tuple(_name_or_value(spec.arg) for spec in self.input_specs if spec.kind is InputKind.USER_INPUT)

    @property
    def user_outputs(self) -> tuple[Any, ...]:
        """The nodes' names, or the values of the Python constants, of the flattened outputs."""
        kinds = (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT)
        return tuple(_name_or_value(spec.arg) for spec in self.output_specs if spec.kind in kinds)

    @property
    def inputs_to_parameters(self) -> Mapping[str, str]:
        """Input name -> dotted path."""
        return self._by_name(InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> Mapping[str, str]:
        """Input name -> dotted path."""
        return self._by_name(InputKind.BUFFER)

    @property
    def inputs_to_lifted_tensor_constants(self) -> Mapping[str, str]:
        """Input name -> dotted path."""
        return self._by_name(InputKind.CONSTANT_TENSOR)

    @property
    def inputs_to_lifted_custom_objs(self) -> Mapping[str, str]:
        """Input name -> dotted path."""
        return self._by_name(InputKind.CUSTOM_OBJ)

    @property
    def buffers_to_mutate(self) -> Mapping[str, str]:
        """Output name -> dotted path of the buffer that it is written to."""
        return self._mutations(OutputKind.BUFFER_MUTATION)

    @property
    def parameters_to_mutate(self) -> Mapping[str, str]:
        """Output name -> dotted path of the parameter that it is written to."""
        return self._mutations(OutputKind.PARAMETER_MUTATION)

    @property
    def user_inputs_to_mutate(self) -> Mapping[str, str]:
        """Output name -> name of the user input that it is written to."""
        return self._mutations(OutputKind.USER_INPUT_MUTATION)

    @property
    def backward_signature(self) -> ExportBackwardSignature | None:
        """The gradients among the outputs, or ``None`` where no output is a loss."""
        loss = next((spec.arg.name for spec in self.output_specs if spec.kind is OutputKind.LOSS_OUTPUT), None)
        if loss is None:
            return None
        parameters = self._mutations(OutputKind.GRADIENT_TO_PARAMETER)
        return ExportBackwardSignature(parameters, self._mutations(OutputKind.GRADIENT_TO_USER_INPUT), loss)

    @property
    def assertion_dep_token(self) -> Mapping[int, str] | None:
        """Always ``None``: checks are part of the calling convention, not of the graph."""
        return None

    @property
    def input_tokens(self) -> tuple[str, ...]:
        """The names of the token inputs."""
        return tuple(spec.arg.name for spec in self.input_specs if spec.kind is InputKind.TOKEN)

    @property
    def output_tokens(self) -> tuple[str, ...]:
        """The names of the token outputs."""
        return tuple(spec.arg.name for spec in self.output_specs if spec.kind is OutputKind.TOKEN)

    @takes(old=TEXT, new=TEXT)
    def replace_all_uses(self, old: str, new: str) -> None:
        """Replace the node name ``old`` by ``new`` wherever an input or output names it."""
        for spec in self.input_specs:
            _rename(spec, old, new)
            spec.same_as = new if spec.same_as == old else spec.same_as
            spec.distinct_from = tuple(new if name == old else name for name in spec.distinct_from)
            spec.overlaps = tuple((new if name == old else name, offset) for name, offset in spec.overlaps)
        for output in self.output_specs:
            _rename(output, old, new)
            names = tuple([new if name == old else name for name in output.aliases])
            output.alias = names if isinstance(output.alias, tuple) else next(iter(names), None)
            if output.kind is OutputKind.USER_INPUT_MUTATION and output.target == old:
                output.target = new

    @takes(replace_inputs=FLAG)
    def get_replace_hook(self, replace_inputs: bool = False) -> Callable[[Any, str, Any], None]:
        """A function ``hook(old_node, new_name, user_node)`` that keeps the signature true while a
        graph is rewritten.

        It renames outputs where ``user_node`` is the output node, and inputs too with
        ``replace_inputs``.
        """

        def hook(old: Any, new: str, user: Any) -> None:
            if user.op == "output":
                for output in self.output_specs:
                    _rename(output, old.name, new)
            if replace_inputs and old.op == "placeholder":
                for spec in self.input_specs:
                    _rename(spec, old.name, new)

        return hook

    def __repr__(self) -> str:
        inputs = _block("input_specs", self.input_specs)
        return f"ExportGraphSignature(\n{inputs},\n{_block('output_specs', self.output_specs)}\n)"


def _rename(spec: InputSpec | OutputSpec, old: str, new: str) -> None:
    if spec.arg.name == old:
        spec.arg = replace(spec.arg, name=new)


def _name_or_value(arg: ArgumentSpec) -> Any:
    return arg.value if isinstance(arg, ConstantArgument) else arg.name


_ALWAYS = ("kind", "arg", "target", "persistent")  # the fields that are shown where they are not set, too


def _fields(spec: InputSpec | OutputSpec) -> list[str]:
    names = [field.name for field in fields(spec) if field.name in _ALWAYS or getattr(spec, field.name)]
    return [f"{name}={getattr(spec, name)!r}" for name in names]


def _block(name: str, specs: Sequence[InputSpec | OutputSpec]) -> str:
    texts = [f"        {type(spec).__name__}(\n            " + ",\n            ".join(_fields(spec)) + "\n        )" for spec in specs]
    return f"    {name}=[\n" + ",\n".join(texts) + "\n    ]" if texts else f"    {name}=[]"
