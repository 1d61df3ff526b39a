"""``unflatten``: an exported program as a tree of modules that call each other as the original's
did.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from npexport.ir.program import ExportedProgram
from npexport.ir.pytree import TreeSpec, tree_flatten
from npexport.ir.verifier import require_valid
from npexport.runtime.calling import python_signature
from npexport.runtime.entry.state import Memory
from npexport.runtime.modules.module_builder import Builder
from npexport.runtime.modules.module_tree import Arrays, Called, Shown, Tree, placed_at
from npexport.symshapes.errors import InputMismatch, UserError, briefly
from npexport.symshapes.parameters import instance, require, takes
from npexport.symshapes.plain import with_article


class FlatArgsAdapter(ABC):
    """Fits inputs of another structure to a module that `unflatten` makes.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> class Swap(npexport.FlatArgsAdapter):
    ...     def adapt(self, target_spec, input_spec, input_args, metadata=None, obj=None):
    ...         return input_args[::-1]
    >>> program = npexport.export(lambda x, y: x - y, (np.ones(2), np.zeros(2)))
    >>> npexport.unflatten(program, Swap())([np.zeros(2), np.ones(2)])
    array([1., 1.])
    """

    @abstractmethod
    def adapt(
        self,
        target_spec: TreeSpec,
        input_spec: TreeSpec,
        input_args: list[Any],
        metadata: dict[str, Any] | None = None,
        obj: Any | None = None,
    ) -> list[Any]:
        """The flat inputs of the program, of those of a call that is structured otherwise.

        Parameters
        ----------
        target_spec, input_spec : TreeSpec
            The structure of ``(args, kwargs)`` that the program takes, and that of the call.
        input_args : list
            The leaves of the call; the adapter may change it.
        metadata : dict, optional
            Not used.
        obj : object, optional
            Not used.

        Returns
        -------
        list
            The leaves for ``target_spec``.
        """

    def get_flat_arg_paths(self) -> list[str]:
        """The paths by which the adapter reads its inputs; none if it does not say."""
        return []


class UnflattenedModule(Tree):
    """An exported program as a tree of modules; made by `unflatten`.

    It is called as ``program.module()`` is, checks its inputs likewise and gives the same results.
    Its sub-modules have the names of the original's: `InterpreterModule` where they were called,
    `InterpreterModuleDispatcher` where their calls differ. Parameters and buffers are where they
    were; the arrays are its own, and writing to them or replacing them takes effect.

    Parameters
    ----------
    program : ExportedProgram
        The program.
    flat_args_adapter : FlatArgsAdapter, optional
        What fits calls with inputs of another structure to the program.

    Attributes
    ----------
    graph : Graph
        The graph of the whole, in which calls of sub-modules are calls of ``ops.module``.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> net = npexport.nn.Sequential(npexport.nn.ReLU(), npexport.nn.ReLU())
    >>> tree = npexport.unflatten(npexport.export(net, (np.ones(2),)))
    >>> tree
    UnflattenedModule(
      (0): InterpreterModule()
      (1): InterpreterModule()
    )
    >>> tree(np.array([-1.0, 2.0]))
    array([0., 2.])
    """

    @takes(program=instance(ExportedProgram), flat_args_adapter=instance(FlatArgsAdapter).optional)
    def __init__(self, program: ExportedProgram, flat_args_adapter: FlatArgsAdapter | None = None) -> None:
        super().__init__()
        builder = Builder(program, self)
        vars(self).update(_program=program, _adapter=flat_args_adapter, _builder=builder, _checks=None)

    graph = Shown(lambda self: vars(self)["_builder"].program.graph)

    @briefly
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        own = vars(self)
        if own["_adapter"] is not None:
            args, kwargs = self._adapted(args, kwargs)
        return own["_builder"](args, kwargs)

    @briefly
    def check_inputs(self, *args: Any, **kwargs: Any) -> None:
        """Raise ``InputMismatch`` where a call with ``*args`` and ``**kwargs`` would, and compute
        nothing.
        """
        vars(self)["_builder"].bound.compiled.checking()(self, *args, **kwargs)

    __signature__ = Called(lambda self: python_signature(vars(self)["_builder"].bound.compiled.slots))

    def print_readable(self, print_output: bool = True) -> str:
        """The listing of the graph of the whole; printed too unless ``print_output`` is false."""
        text = repr(vars(self)["_builder"].program.graph)
        if print_output:
            print(text)
        return text

    def _adapted(self, args: Any, kwargs: Any) -> Any:
        target: TreeSpec = vars(self)["_program"].call_spec.in_spec
        leaves, spec = tree_flatten((args, kwargs))
        if spec == target:
            return args, kwargs
        leaves = vars(self)["_adapter"].adapt(target, spec, leaves)
        if len(leaves) != target.num_leaves:
            raise InputMismatch("E401", f"the adapter gave {len(leaves)} leaves, the program takes {target.num_leaves}")
        return target.unflatten(leaves)

    def __reduce__(self) -> Any:
        own = vars(self)
        return _again, (own["_program"], own["_adapter"], own["_builder"].values(), own["_builder"].swapped())


def _again(program: ExportedProgram, adapter: Any, values: Memory, swapped: dict[str, Any]) -> UnflattenedModule:
    module = UnflattenedModule(program, adapter)
    arrays: Arrays = vars(module)["_builder"].arrays
    for target, value in values.arrays().items():
        arrays.set(target, value)
    for path, other in swapped.items():
        parent, _, name = path.rpartition(".")
        setattr(placed_at(module, parent) if parent else module, name, other)
    return module


def is_original(module: UnflattenedModule) -> bool:
    """Whether a module runs its program as it was: no adapter, no other module, no edited graph."""
    own = vars(module)
    return own["_adapter"] is None and own["_builder"].is_original()


@briefly
def unflatten(ep: ExportedProgram, flat_args_adapter: FlatArgsAdapter | None = None) -> UnflattenedModule:
    """Take a program apart: a tree of modules with the names and the calls of the original's.

    Parameters
    ----------
    ep : ExportedProgram
        The program; it stays as it is.
    flat_args_adapter : FlatArgsAdapter, optional
        What fits calls with inputs of another structure to the program.

    Returns
    -------
    UnflattenedModule
        An ``nn.Module`` with the same results as ``ep.module()``. Its sub-modules named in
        ``export(preserve_module_call_signature=...)`` are called as the original's, and another
        module, or any callable, may be put in the place of each.

    Raises
    ------
    UserError
        ``ep`` is not an exported program (E201), or holds arrays that do not fit (E241).
    InternalError
        An edit broke a law of the program (E902).

    Examples
    --------
    >>> import numpy as np, npexport
    >>> from npexport import nn
    >>> net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    >>> x = np.ones((1, 2), np.float32)
    >>> program = npexport.export(net, (x,), preserve_module_call_signature=("1",))
    >>> tree = npexport.unflatten(program)
    >>> [name for name, _ in tree.named_modules()]
    ['', '0', '1']
    >>> setattr(tree, "1", np.ones_like)
    >>> tree(x)
    array([[1., 1.]], dtype=float32)
    """
    if not isinstance(ep, ExportedProgram):
        raise UserError("E201", f"unflatten takes an ExportedProgram, not {with_article(type(ep).__name__)}", hint="Export it first.")
    require("flat_args_adapter", flat_args_adapter, instance(FlatArgsAdapter).optional)
    require_valid(ep)
    return UnflattenedModule(ep, flat_args_adapter)
