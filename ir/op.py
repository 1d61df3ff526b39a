"""An operator is one record: what it models, how its arguments are bound, its type and shape rule, kernel, traits, samples, doc.

Grammar of a node's arguments::

    arg ::= Node | None | bool | int | float | complex | str | bytes | Ellipsis | np.dtype | np.generic
          | slice(arg, arg, arg) | tuple[arg...] | list[arg...] | dict[str, arg]

Arrays never stand in arguments: they are lifted to placeholders. Sizes never stand there either: they are nodes of the
``sym`` namespace.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from npexport.ir.meta import described


@dataclass(frozen=True, eq=False)
class Op:
    """One operator.

    ``rule`` has the operator's own signature; called with a ``TensorMeta`` for every array (and plain values, sizes as
    ``int`` or ``SymInt``, for the rest) it returns the ``TensorMeta`` of the result, or a tuple or list of them, or
    raises the very exception that NumPy would. Its signature *is* the schema.
    ``kernel`` computes: called with arrays, it returns arrays. Declared as text, ``"conv.conv2d"``, it is the function ``conv2d`` of
    ``npexport.runtime.kernels.conv``, found at the first use. ``models`` are the NumPy callables that this operator
    stands for with the same signature.
    ``traits`` are words from ``TRAITS``.
    """

    namespace: str
    name: str
    rule: Callable[..., Any]
    kernel: Any
    models: tuple[Any, ...] = ()
    traits: frozenset[str] = frozenset()
    decomposition: Callable[..., Any] | None = None
    samples: Callable[[], Iterable[tuple[tuple[Any, ...], dict[str, Any]]]] | None = None
    doc: str = ""
    signature: inspect.Signature = field(init=False)  # read from the rule at the first use
    kernel_name: str = field(init=False, default="")

    def __post_init__(self) -> None:
        unknown = self.traits - TRAITS
        if unknown:
            raise ValueError(f"{self}: unknown traits {sorted(unknown)}")
        if isinstance(self.kernel, str):
            object.__setattr__(self, "kernel_name", self.kernel)
            object.__delattr__(self, "kernel")

    def __getattr__(self, name: str) -> Any:
        """The signature, and the kernel that was declared as text: found at the first use and kept."""
        if name == "signature":
            signature = _plain(inspect.signature(self.rule))
            object.__setattr__(self, "signature", signature)
            return signature
        if name != "kernel":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        kernel = resolve_kernel(self.kernel_name)
        object.__setattr__(self, "kernel", kernel)
        return kernel

    @property
    def schema(self) -> str:
        """``np.sum(x, axis=None, dtype=None, keepdims=False, initial=None, where=True)``."""
        return f"{self.namespace}.{self.name}{self.signature}"

    @property
    def is_core(self) -> bool:
        """Whether the operator belongs to the core set, which has no decomposition."""
        return self.decomposition is None

    @property
    def is_mutable(self) -> bool:
        """No operator of a functional graph mutates its arguments."""
        return False

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call in its canonical form: positional where the schema allows it, defaults left out. Raises ``TypeError``.

        Two calls that mean the same have the same canonical form, which is what common subexpressions are found by.
        """
        bound = self.signature.bind(*args, **kwargs)
        parameters = self.signature.parameters
        for name in [n for n, v in bound.arguments.items() if _is_default(parameters[n], v)]:
            del bound.arguments[name]
        return _arrange(bound.arguments, parameters)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the operator on arrays, as a node of a graph would."""
        if "checked" in self.traits:
            self.rule(*map(described, args), **{name: described(value) for name, value in kwargs.items()})
        return self.kernel(*args, **kwargs)

    def __repr__(self) -> str:
        return f"ops.{self.namespace}.{self.name}"

    def __copy__(self) -> Op:
        return self

    def __deepcopy__(self, memo: Any) -> Op:
        return self

    def __reduce__(self) -> Any:
        return registered, (f"{self.namespace}.{self.name}",)


def resolve_kernel(name: str) -> Callable[..., Any]:
    """The function that ``"conv.conv2d"`` names: ``conv2d`` of ``npexport.runtime.kernels.conv``."""
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"npexport.runtime.kernels.{module}"), function)  # type: ignore[no-any-return]


def _plain(signature: inspect.Signature) -> inspect.Signature:
    """The signature without annotations: those of a rule speak of metas, a schema of arrays."""
    return inspect.Signature([parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()])


def _is_default(parameter: inspect.Parameter, value: Any) -> bool:
    default = parameter.default
    if default is inspect.Parameter.empty or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
        return False
    return value is default or (type(value) is type(default) and type(value) in (int, float, bool, str, tuple) and value == default)


def _arrange(arguments: dict[str, Any], parameters: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    gap = False
    for name, parameter in parameters.items():
        if name not in arguments:
            gap = True
        elif parameter.kind is parameter.VAR_POSITIONAL:
            args.extend(arguments[name])
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs.update(arguments[name])
        elif gap or parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[name] = arguments[name]
        else:
            args.append(arguments[name])
    return tuple(args), kwargs


TRAITS = frozenset(
    {
        "elementwise",  # result[i] depends on operand[i] alone, after broadcasting
        "view",  # NumPy returns (or may return) a view of the first argument; without this trait the result is a new, writeable array
        "may_share",  # the result may share memory with an argument, depending on the arguments; no view operator all the same
        "reduction",
        "creation",  # no array arguments
        "scatter",  # a functional write: the first array argument with some elements replaced; in place where the kernel gets it as out=
        "data_dependent_shape",  # the result's shape depends on data
        "commutative",
        "ufunc",  # the kernel is an np.ufunc and takes out=
        "checked",  # called eagerly it asks its rule first, so that eager calls and exports raise the same errors
        "composite",  # kept by export_for_training, decomposed by default_decompositions
    }
)


class OpRegistry:
    """All operators by qualified name (``"np.sin"``) and by the callables that they model. Refuses duplicates."""

    def __init__(self) -> None:
        self._by_name: dict[str, Op] = {}
        self._by_model: dict[Any, Op] = {}
        self._providers: dict[str, tuple[str, str]] = {}

    def provide(self, namespace: str, package: str, module: str) -> None:
        """The operators of this namespace model functions of ``package``: importing ``module`` registers them, when one is asked for."""
        self._providers[namespace] = package, module

    def _provide(self, namespace: str) -> None:
        package, module = self._providers.pop(namespace)
        if find_spec(package.partition(".")[0]) is not None:
            import_module(module)

    def register(self, op: Op) -> Op:
        key = f"{op.namespace}.{op.name}"
        if key in self._by_name:
            raise ValueError(f"operator {key} is registered twice")
        for model in op.models:
            if model in self._by_model:
                raise ValueError(f"{model!r} is modelled by {self._by_model[model]!r} and {op!r}")
        self._by_name[key] = op
        self._by_model.update(dict.fromkeys(op.models, op))
        return op

    def get(self, name: str) -> Op | None:
        """The operator of this qualified name, or ``None``."""
        namespace = name.partition(".")[0]
        if namespace in self._providers:
            self._provide(namespace)
        return self._by_name.get(name)

    def modelling(self, function: Any) -> Op | None:
        """The operator that models this callable, or ``None``."""
        try:
            found = self._by_model.get(function)
        except TypeError:  # unhashable callables model nothing
            return None
        if found is None and self._providers:
            loaded = [namespace for namespace, (package, _) in self._providers.items() if package in sys.modules]
            for namespace in loaded:
                self._provide(namespace)
            if loaded:
                return self._by_model.get(function)
        return found

    def __iter__(self) -> Iterator[Op]:
        return iter(self._by_name.values())


REGISTRY = OpRegistry()


def registered(name: str) -> Op:
    """The operator of this qualified name: what pickles hold instead of operators. Raises ``KeyError``."""
    op = REGISTRY.get(name)
    if op is None:
        raise KeyError(name)
    return op


class Namespace:
    """``ops.np``: attribute access to the operators of one namespace."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Op:
        op = REGISTRY.get(f"{self._name}.{name}")
        if op is None:
            raise AttributeError(f"there is no operator ops.{self._name}.{name}")
        self.__dict__[name] = op  # operators are never taken back
        return op

    def __dir__(self) -> list[str]:
        return sorted(op.name for op in REGISTRY if op.namespace == self._name)

    def __repr__(self) -> str:
        return f"ops.{self._name}"
