"""An operator is one record: what it models, how its arguments are bound, its type and shape rule,
kernel, traits, doc.

Grammar of a node's arguments::

    arg ::= Node | None | bool | int | float | complex | str | bytes | Ellipsis | np.dtype | np.generic
          | slice(arg, arg, arg) | tuple[arg...] | list[arg...] | dict[str, arg]

Arrays never stand in arguments: they are lifted to placeholders. Sizes never stand there either:
they are nodes of the ``sym`` namespace.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import Any, Literal

from npexport.ir.arguments import is_default
from npexport.ir.error_states import under
from npexport.ir.facts import CALLED, NO_COUNTS, SHOWN, WRITTEN, Counts, Emit, Neutral, Out, Raises, View
from npexport.ir.meta import described
from npexport.symshapes.declarations import Declarations


@dataclass(frozen=True, eq=False)
class Op:
    """One operator, found in ``npexport.ops``.

    >>> from npexport import ops
    >>> sin = ops.np.sin
    >>> sin.name, sin.schema, sin.is_core, sin.is_mutable, sorted(sin.tags)
    ('sin', 'np.sin(x, /, *, dtype=None)', True, False, ['elementwise', 'ufunc'])

    ``name`` is unique in its ``namespace``: graphs print ``ops.np.sin``. ``rule`` has the
    operator's own signature; called with a ``TensorMeta`` for every array (and plain values, sizes
    as ``int`` or ``SymInt``, for the rest) it returns the ``TensorMeta`` of the result, or a tuple
    or list of them, or raises the very exception that NumPy would. Its signature *is* the schema.
    ``kernel`` computes: called with arrays, it returns arrays. Declared as text, ``"conv.conv2d"``,
    it is the function ``conv2d`` of ``npexport.runtime.kernels.conv``, found at the first use.
    ``models`` are the NumPy callables that this operator stands for with the same signature.
    ``traits`` are words from ``TRAITS``. ``raises`` states what it raises for some data and not for
    others; an operator that states nothing may raise anything, and a function says it of the
    arguments. ``bounds`` of a node and a depth are the `Extent` of its integers, of several results
    a list. ``arithmetic`` computes on sizes what the operator computes of two integers;
    ``evaluate`` what it computes of numbers of Python and lists of them, sizes included, where both
    agree. ``counts`` says what its sizes and integers count. ``method`` is the method of a ufunc,
    ``np.add.reduce``, that NumPy's function calls for an array; ``emit`` how calls are written,
    ``view`` what is known of an operator with this trait, and ``out`` how NumPy's function writes
    to ``out=``. ``midway`` of the arguments of a write is whether it goes element by element, so
    that what comes before the error is there where it raises: "ordered" if it does in an array in C
    order alone. ``rows`` of a `RowCall` is where the rows of a dim stand in the result; without it
    a call couples rows. ``flops`` of the arguments and the result counts operations of arithmetic
    (`npexport.ir.cost`). ``folds`` says in a word what a reduction makes of the elements of an
    axis, where others compute that, too ("mean"); ``step`` what a call makes of numbers or
    elements, where loops in machine code and runs in C do that themselves ("+", "sqrt").
    ``neutral`` is the integer that changes no other. ``rewrite`` names the rule of
    `npexport.runtime.compilation.simplify` that leaves calls out, ``fast`` that of
    `npexport.runtime.compilation.fast_math` for which floats need not keep their bits. ``loud`` of
    the arguments is whether data make an operator with the trait ``quiet`` warn all the same.
    ``nonnegative`` of a node, and of what proves it of an operand, is whether its real result is
    never negative (`npexport.ir.ops.signs`). ``lowering`` is what computes a node by the functions
    of another array library (`npexport.runtime.namespaces.space`). ``home`` is the module of the
    user's that declares the operator. Of such an operator every node declares the results itself,
    and ``holds`` of a node is the kernel that holds them to what is declared; it raises
    ``ValueError`` for a node that does not fit.
    """

    namespace: str
    name: str
    rule: Callable[..., Any]
    kernel: Any
    models: tuple[Any, ...] = ()
    traits: frozenset[str] = frozenset()
    decomposition: Callable[..., Any] | None = None
    doc: str = ""
    raises: tuple[Raises, ...] | Callable[[tuple[Any, ...], dict[str, Any]], tuple[type[Exception], ...]] | None = None
    bounds: Callable[[Any, int], Any] | None = None
    arithmetic: Callable[[Any, Any], Any] | None = None
    evaluate: Callable[..., Any] | None = None
    counts: Counts = NO_COUNTS
    method: Any = None
    emit: Emit = CALLED
    view: View = SHOWN
    out: Out = WRITTEN
    midway: Callable[[tuple[Any, ...]], bool | Literal["ordered"]] | None = None
    rows: Callable[[Any], Any] | None = None
    flops: Callable[[Any, Any], Any] | None = None
    neutral: Neutral | None = None
    rewrite: str = ""
    folds: str = ""
    step: str = ""
    fast: str = ""
    loud: Callable[[tuple[Any, ...]], bool] | None = None
    nonnegative: Callable[[Any, Any], bool] | None = None
    lowering: Callable[[Any, Any], Any] | None = None
    home: str = ""
    holds: Callable[[Any], Callable[..., Any]] | None = None
    signature: inspect.Signature = field(init=False)  # read from the rule at the first use
    kernel_name: str = field(init=False, default="")

    def __post_init__(self) -> None:
        unknown = self.traits - TRAITS
        if unknown:
            raise ValueError(f"{self}: unknown traits {sorted(unknown)}")
        object.__setattr__(self, "__doc__", self.doc)  # what help() shows
        if isinstance(self.kernel, str):
            object.__setattr__(self, "kernel_name", self.kernel)
            object.__delattr__(self, "kernel")

    def __getattr__(self, name: str) -> Any:
        """The signature, and the kernel that was declared as text: found at the first use
        and kept.
        """
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
        """How the operator is called: ``np.sin(x)``."""
        return f"{self.namespace}.{self.name}{self.signature}"

    @property
    def is_core(self) -> bool:
        """Whether the operator belongs to the core set, which has no decomposition."""
        import_module(_DECOMPOSITIONS).load()
        return self.decomposition is None

    def is_quiet(self, *args: Any, **kwargs: Any) -> bool:
        """Whether no data make a call warn, nor raise.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the call as they stand in a graph.
        """
        return "quiet" in self.traits and not (self.loud is not None and self.loud((*args, *kwargs.values())))

    @property
    def tags(self) -> frozenset[str]:
        """The words of ``TRAITS`` that hold of the operator, ``"elementwise"`` and ``"view"`` among
        them.
        """
        return self.traits

    @property
    def is_mutable(self) -> bool:
        """No operator of a functional graph mutates its arguments."""
        return False

    def computing(self, node: Any) -> Callable[..., Any]:
        """What computes the value of ``node``, which calls this operator, in its error state."""
        return under(node.meta.get("errors"), self if self.holds is None else self.holds(node))

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call with ``args`` and ``kwargs`` in its canonical form.

        Arguments are positional where the schema allows it, and defaults are left out. Two calls
        that mean the same have the same canonical form, which is what common subexpressions are
        found by. Raises ``TypeError`` for a call that does not fit the schema.
        """
        bound = self.signature.bind(*args, **kwargs)
        parameters = self.signature.parameters
        for name in [n for n, v in bound.arguments.items() if is_default(parameters[n].default, v)]:
            del bound.arguments[name]
        return _arrange(bound.arguments, parameters)

    def positional(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """The arguments in the order of the schema, with defaults for those that are left out.

        Parameters
        ----------
        args, kwargs : tuple, dict
            The arguments of a call.
        """
        if not kwargs:
            return args
        rest = list(self.signature.parameters.values())[len(args) :]
        return (*args, *[kwargs.get(parameter.name, parameter.default) for parameter in rest])

    def errors(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[type[Exception], ...]:
        """The exceptions that a call may raise, depending on data: any, where the record states
        nothing.

        Parameters
        ----------
        args, kwargs : tuple, dict
            The arguments of the call as they stand in a graph.
        """
        if not self.raises:
            return () if self.raises is not None else (Exception,)
        if callable(self.raises):
            return self.raises(args, kwargs)
        given = self.positional(args, kwargs)
        return tuple(dict.fromkeys([error for row in self.raises if row.when(given) for error in row.errors]))

    @property
    def statements(self) -> tuple[Raises, ...]:
        """What the record states of the data that make the operator raise, row by row."""
        return () if self.raises is None or callable(self.raises) else self.raises

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the operator on arrays, as a node of a graph would.

        Raises ``TypeError`` where a kernel of npexport's own looks for what an argument has not.
        """
        if "checked" in self.traits:
            self.rule(*map(described, args), **{name: described(value) for name, value in kwargs.items()})
        try:
            return self.kernel(*args, **kwargs)
        except AttributeError as error:
            if self.home or self.namespace == "control" or not (getattr(self.kernel, "__module__", None) or "").startswith("npexport."):
                raise
            raise TypeError(f"{self} takes no such arguments: {error}") from error

    def __repr__(self) -> str:
        return f"ops.{self.namespace}.{self.name}"

    def __copy__(self) -> Op:
        return self

    def __deepcopy__(self, memo: Any) -> Op:
        return self

    def __reduce__(self) -> Any:
        return registered, (f"{self.namespace}.{self.name}",)


def resolve_kernel(name: str) -> Callable[..., Any]:
    """The function that ``"conv.conv2d"`` names: ``conv2d`` of
    ``npexport.runtime.kernels.conv``.
    """
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"npexport.runtime.kernels.{module}"), function)  # type: ignore[no-any-return]


def _plain(signature: inspect.Signature) -> inspect.Signature:
    """The signature without annotations: those of a rule speak of metas, a schema of arrays."""
    return inspect.Signature([parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()])


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


UNCHECKED_HINT = "Export it in the process that runs it."
"""What to do about a program that calls an operator with the trait ``unchecked``."""

TRAITS = frozenset(
    {
        "unchecked",  # the kernel is C that trusts its arguments: no file may hold a call of it
        "elementwise",  # result[i] depends on operand[i] alone, after broadcasting
        "permutation",  # the result holds all elements of the first argument, each once, in another order or shape
        "by_row",  # each row of the first argument is treated by itself, by the same loops: rows of a part have the bits of the whole's
        "cast",  # the result holds the elements of the first argument, in another dtype or form
        "ordered",  # ``order=`` other than "K" says how the result lies in memory
        "c_order",  # results are in C order where all operands are; element-wise ufuncs need not say so
        "view",  # NumPy returns (or may return) a view of the first argument; without this trait the result is a new, writeable array
        "may_share",  # the result may share memory with an argument, depending on the arguments; no view operator all the same
        "choice",  # the second or the third argument itself, as the first one, a truth, says
        "reduction",
        "sums_products",  # of elements; how they lie in memory, gaps included, decides in which order they are added up
        "creation",  # no array arguments
        "projection",  # one of the several results that the first argument is
        "scatter",  # a functional write: the first array argument with some elements replaced; in place where the kernel gets it as out=
        "data_dependent_shape",  # the result's shape depends on data
        "ufunc",  # the kernel is an np.ufunc and takes out=
        "by_value",  # each number becomes an array by itself: the value of an integer of Python decides its dtype
        "quiet",  # no data make it warn, nor raise, but of arguments that are ``loud``
        "own_state",  # of doubles: floating-point errors are met in an error state of the function's own, whatever the caller's is
        "without_gaps",  # NumPy's loop is wrong where its result goes to memory with gaps: such memory is not given to it
        "rounds_alone",  # one number that is not exact is rounded otherwise where the result goes to the memory of an operand
        "divides",  # integers make it warn too: it divides by them, or takes powers
        "trapping",  # floating-point errors of its call are exceptions
        "plain_loop",  # of two operands of one dtype: its loop knows nothing but the elements, however an operand is stored
        "repeats",  # runs its sub-graphs again and again; what each repetition gets alike is its argument ``operands``
        "exact",  # results of real numbers are exact, or rounded once, however they are computed
        "by_parts",  # the same of complex numbers: it treats their parts apart, or chooses one
        "blank",  # elements are zero, or may be anything
        "asked",  # where data are known, the tracer asks NumPy about the call before it records one
        "averaging",  # divides by how many elements a mask takes
        "typed_parameters",  # integers of NumPy among its parameters mean more than Python's
        "checked",  # called eagerly it asks its rule first, so that eager calls and exports raise the same errors
        "new_float",  # of Python's numbers: a float that it returns is an object of its own
        "own_source",  # NumPy computes it in Python, by operators that have records: that code is the decomposition
        "by_method",  # its own source calls the method of this name of what is no array: that is the operator again
        "draws_first",  # a draw that may raise after it has taken numbers from the generator
        "checkpoint",  # stands where it stands: what has been written so far, should a call after it raise
    }
)


class OpRegistry:
    """All operators by qualified name (``"np.sin"``) and by the callables that they model.

    Refuses duplicates. ``of_users``: those that users declare, by name. ``registered``: how many
    have ever been registered, including those removed again.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, Op] = {}
        self._by_model: dict[Any, Op] = {}
        self._by_method: dict[Any, Op] = {}
        self._behind: dict[Any, Op] = {}  # by model, what an operator of a user's stands before
        self.of_users: dict[str, Op] = {}
        self.registered = 0
        self._providers: dict[str, tuple[str, str]] = {}  # by package
        self._versions: dict[str, int] = {}
        self._declared = Declarations()

    def declare(self, namespace: str, version: int) -> None:
        """State the version of a namespace's operators; it grows when the meaning of one changes.

        Without a word it is 1.
        """
        self._versions[namespace] = version

    def version(self, namespace: str) -> int | None:
        """The version of a namespace's operators, or ``None`` where there are none."""
        return self._versions.get(namespace, 1) if self.has(namespace) else None

    def provide(self, namespace: str, package: str, module: str) -> None:
        """Operators of this namespace model functions of ``package``: importing ``module``
        registers them, when one is asked for.
        """
        self._providers[package] = namespace, module

    def _provide(self, package: str) -> None:
        provider = self._providers.pop(package)
        try:
            if find_spec(package.partition(".")[0]) is not None:
                import_module(provider[1])
        except BaseException:  # an interrupt: the next who asks imports it
            self._providers[package] = provider
            raise

    def provide_loaded(self) -> bool:
        """Register the operators that model functions of packages that are loaded; whether there
        were any.
        """
        loaded = [package for package in self._providers if package in sys.modules]
        for package in loaded:
            if package in self._providers:  # one may have provided another
                self._provide(package)
        return bool(loaded)

    def register(self, op: Op) -> Op:
        key = f"{op.namespace}.{op.name}"
        if key in self._by_name:
            if not self._declared.gives_way(key):
                raise ValueError(f"operator {key} is registered twice")
            self._remove(key)
        for model in op.models:
            if model in self._by_model and not (op.home and self.gives_way(model)):
                raise ValueError(f"{model!r} is modelled by {self._by_model[model]!r} and {op!r}")
        self._declared.note(key)
        self._by_name[key] = op
        self.registered += 1
        if op.home:
            self.of_users[key] = op
        self._behind.update({model: self._by_model[model] for model in op.models if model in self._by_model})
        self._by_model.update(dict.fromkeys(op.models, op))
        if op.method is not None:
            self._by_method[op.method] = op
        return op

    def gives_way(self, function: Any) -> bool:
        """Whether an operator of a user's may stand before ours: for a Python function of a package
        that is not NumPy.
        """
        op = self._by_model.get(function)
        return op is not None and not op.home and op.namespace == "scipy" and isinstance(function, FunctionType)

    def forget(self, op: Op) -> None:
        """Take an operator of a user's back. What calls it goes on calling it."""
        key = f"{op.namespace}.{op.name}"
        del self.of_users[key]
        self._remove(key)

    def _remove(self, key: str) -> None:
        op = self._by_name.pop(key)
        for model in op.models:
            if self._by_model.get(model) is op:  # an interrupt may have come before
                del self._by_model[model]
            if model in self._behind:
                self._by_model[model] = self._behind.pop(model)

    def has(self, namespace: str) -> bool:
        """Whether there are operators of this namespace."""
        provided = any(namespace == own for own, _ in self._providers.values())
        return namespace in self._versions or provided or any(op.namespace == namespace for op in self)

    def get(self, name: str) -> Op | None:
        """The operator of this qualified name, or ``None``."""
        if name not in self._by_name:
            for package, (namespace, _) in list(self._providers.items()):
                if name not in self._by_name and name.startswith(f"{namespace}.") and package in self._providers:
                    self._provide(package)
        return self._by_name.get(name)

    def modelling(self, function: Any) -> Op | None:
        """The operator that models this callable, or ``None``."""
        try:
            found = self._by_model.get(function)
        except TypeError:  # unhashable callables model nothing
            return None
        if found is None and self._providers and self.provide_loaded():
            return self._by_model.get(function)
        return found

    def by_method(self, method: Any) -> Op | None:
        """The operator that is this method of a ufunc for arrays, under a name of its own, or
        ``None``.
        """
        return self._by_method.get(method)

    def __iter__(self) -> Iterator[Op]:
        return iter(list(self._by_name.values()))  # records of packages are loaded when they are first asked for


REGISTRY = OpRegistry()
_DECOMPOSITIONS = "npexport.ir.decompositions"
_RECORDS = "npexport.ir.ops"  # importing it registers the operators


def registered(name: str) -> Op:
    """The operator of this qualified name: what pickles hold instead of operators.

    Raises ``KeyError``.
    """
    import_module(_RECORDS)
    op = REGISTRY.get(name)
    if op is None:
        raise KeyError(name)
    return op


class Namespace:
    """``ops.np``: attribute access to the operators of one namespace."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Op:
        dunder = name.startswith("__")  # what Python and its tools ask of any object
        op = None if dunder else REGISTRY.get(f"{self._name}.{name}")
        if op is None:
            raise AttributeError(f"there is no operator ops.{self._name}.{name}")
        if not op.home:  # those of users may be declared again, all others are never taken back
            self.__dict__[name] = op
        return op

    def __dir__(self) -> list[str]:
        return sorted(op.name for op in REGISTRY if op.namespace == self._name)

    def __repr__(self) -> str:
        return f"ops.{self._name}"
