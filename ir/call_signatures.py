"""The calling conventions of a program and of its submodules: the names are those of
``torch.export``.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field

from npexport.ir.argument_specs import ARGUMENT, ArgumentSpec
from npexport.ir.pytree import TreeSpec
from npexport.symshapes.parameters import TEXT, TEXTS, Kind, field_kinds, instance

_ARGUMENTS = Kind(lambda value: isinstance(value, (list, tuple)) and all(map(ARGUMENT.fits, value)), "a list of arguments", ARGUMENT.hint)


@field_kinds(
    inputs=_ARGUMENTS, outputs=_ARGUMENTS, in_spec=instance(TreeSpec), out_spec=instance(TreeSpec), forward_arg_names=TEXTS.optional
)
@dataclass
class ModuleCallSignature:
    """The calling convention of one submodule's call.

    Parameters
    ----------
    inputs, outputs : list of arguments
        Its flat inputs and outputs.
    in_spec, out_spec : TreeSpec
        The structures of ``(args, kwargs)`` and of the result.
    forward_arg_names : list of str, optional
        The names of its parameters.
    parameters : tuple of inspect.Parameter, optional
        Its parameters as Python binds a call to them: their kinds and defaults. Without them a call
        is arranged as that of the example.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> program = npexport.export(lambda x, y=1: x + y, (np.ones(3),))
    >>> signature = program.module_call_graph[0].signature
    >>> signature.inputs, signature.forward_arg_names
    ([TensorArgument(name='x')], ['x', 'y'])
    """

    inputs: list[ArgumentSpec]
    outputs: list[ArgumentSpec]
    in_spec: TreeSpec
    out_spec: TreeSpec
    forward_arg_names: list[str] | None = None
    parameters: tuple[inspect.Parameter, ...] | None = field(default=None, repr=False, compare=False)


@field_kinds(fqn=TEXT, signature=instance(ModuleCallSignature).optional, same_as=TEXT.optional, called_as=TEXT.optional)
@dataclass
class ModuleCallEntry:
    """One submodule, with its calling convention where it is preserved.

    Parameters
    ----------
    fqn : str
        The dotted path of the submodule, empty for the whole program.
    signature : ModuleCallSignature, optional
        The calling convention.
    same_as : str, optional
        The path by which calls know the submodule, if this is another one of it.
    called_as : str, optional
        The path by which this call reaches the submodule, if it has several paths, its signature
        is preserved, and this is known.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> from npexport import nn
    >>> model = nn.Sequential(nn.ReLU(), nn.Tanh())
    >>> keep = ("0",)
    >>> x = np.ones(3)
    >>> program = npexport.export(model, (x,), preserve_module_call_signature=keep)
    >>> [(entry.fqn, entry.signature is not None) for entry in program.module_call_graph]
    [('', True), ('0', True), ('1', False)]
    """

    fqn: str
    signature: ModuleCallSignature | None = None
    same_as: str | None = None
    called_as: str | None = None
