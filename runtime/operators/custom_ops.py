"""How users declare operators: their own functions, and functions that exist."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

from npexport.ir import ops
from npexport.ir.declared import SIZES, Held
from npexport.ir.op import REGISTRY, Namespace
from npexport.ir.result_forms import FORM
from npexport.runtime.operators.custom_errors import stated_of
from npexport.runtime.operators.custom_op import CustomOp, F, by_nodes_only
from npexport.runtime.operators.custom_schema import Schema, bad, schema_of, unknown_schema
from npexport.symshapes.errors import Unsupported, UserError
from npexport.symshapes.parameters import TEXTS, require
from npexport.symshapes.plain import with_article

_NAME = re.compile(r"([A-Za-z]\w*)::([A-Za-z]\w*)", re.ASCII)
_OPAQUE = "opaque"
Raising = type[Exception] | tuple[type[Exception], ...] | None
_RESERVED = frozenset({"np", "nn", "sym", "control", "random", "scipy", "py", "sklearn", "torch", "numpy", _OPAQUE})


def _rule(schema: Schema) -> Callable[..., Any]:
    """A rule that takes the results from each node; its signature is that of nodes."""

    def rule(*args: Any, **kwargs: Any) -> Any:
        raise Unsupported("E141", f"what `{schema.name}` gives is told by its fake, where a program is exported")

    parameters = list(schema.signature.parameters.values())
    rest = [parameter for parameter in parameters if parameter.kind is parameter.VAR_KEYWORD]
    facts = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=none) for name, none in ((SIZES, ()), (FORM, None))]
    named = [parameter for parameter in parameters if parameter not in rest]
    rule.__signature__ = inspect.Signature([*named, *facts, *rest])  # type: ignore[attr-defined]
    return rule


def _split(name: Any) -> tuple[str, str]:
    """Namespace and name. Raises ``UserError`` (E220)."""
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        raise bad(f"{name!r} is not a name of an operator", 'Name it by your library and itself: "my_lib::scale".')
    namespace, own = found.groups()
    if namespace in _RESERVED or hasattr(ops, namespace) and not isinstance(getattr(ops, namespace), Namespace):
        raise bad(f"the namespace {namespace!r} is npexport's own", 'Use the name of your library: "my_lib::scale".')
    return namespace, own


def _declare(op: CustomOp) -> CustomOp:
    """Register an operator; it replaces one that the same module declared. Raises ``UserError``
    (E220).
    """
    old = REGISTRY.get(f"{op.namespace}.{op.name}")
    if old is None:
        REGISTRY.register(op)
    elif old.home == op.home:
        REGISTRY.forget(old)
        REGISTRY.register(op)
    else:
        what = f"`{op.namespace}::{op.name}` is declared by the module {old.home} and by {op.home}"
        raise bad(what, "Give one of the two another name, or import the operator from the module that declares it.")
    return op


def custom_op(name: str, *, mutates_args: Iterable[str] = (), raises: Raising = None) -> Callable[[Callable[..., Any]], CustomOp]:
    """Declare the decorated function as an operator: an exported program calls it in one node,
    whatever it does inside.

    Its body may be anything that takes arrays: C, numba, a service. It gets arrays in C order,
    read-only but for those in ``mutates_args``, and its results are copied where somebody else
    holds their memory, or where they are not in C order. Apart from what it mutates it must be a
    function of its arguments.

    Parameters
    ----------
    name : str
        ``"my_lib::scale"``: the operator is ``ops.my_lib.scale`` then.
    mutates_args : iterable of str, default ()
        The parameters, arrays or lists of arrays, that the body writes to.
    raises : exception class or tuple of them, optional
        What the body raises for some data: exactly these classes, each with one text. A ``try`` of
        a program may wait for them then. Without it the body may raise anything, which no program
        may wait for; ``()`` says that it raises nothing.

    Returns
    -------
    callable
        A decorator of a function with annotated parameters (``np.ndarray``, ``int``, ``float``,
        ``bool``, ``str``, ``np.dtype``, lists and tuples of those, ``X | None``, with defaults) and
        an annotated result (``np.ndarray``, ``int``, ``float``, ``bool``, a tuple, list,
        ``dict[str, ...]`` or named tuple of those, or ``None``). It gives the operator, which is
        called as the function was, and has ``register_fake``.

    Raises
    ------
    UserError
        The name or the annotations are not those of an operator, nothing is returned or mutated,
        ``raises`` holds what is no class of exceptions that are made of a text, or another module
        has declared the name (E220). The same module may declare it again.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import custom_op
    >>> @custom_op("docs::shifted")
    ... def shifted(x: np.ndarray, by: int = 1) -> np.ndarray:
    ...     return np.roll(x, by)
    >>> @shifted.register_fake
    ... def _(x, by):
    ...     return np.empty_like(x)
    >>> shifted(np.arange(4))
    array([3, 0, 1, 2])
    """
    namespace, own = _split(name)
    if isinstance(mutates_args, str):
        raise bad(f"mutates_args of {name!r} is the text {mutates_args!r}", f"Pass a tuple: mutates_args=({mutates_args!r},).")
    require("mutates_args", mutates_args, TEXTS)
    mutates, stated = tuple(mutates_args), stated_of(repr(name), raises)

    def declare(function: Callable[..., Any]) -> CustomOp:
        if not callable(function):
            raise bad(f"{name!r} is declared of {with_article(type(function).__name__)}", "Decorate a function.")
        schema = schema_of(f"{namespace}.{own}", function, mutates, sys._getframe(1).f_locals)._replace(raises=stated)
        fake = None if schema.results is not None else _gives_nothing
        return _declare(_made(namespace, own, function, schema, function.__module__, fake=fake))

    return declare


def _gives_nothing(*args: Any, **kwargs: Any) -> None:
    """The fake of an operator without results."""


def _made(namespace: str, name: str, body: Callable[..., Any], schema: Schema, home: str, **facts: Any) -> CustomOp:
    op = CustomOp(
        namespace=namespace,
        name=name,
        rule=_rule(schema),
        kernel=by_nodes_only,
        traits=frozenset({"data_dependent_shape"}),
        doc=getattr(body, "__doc__", None) or "",
        home=home or "__main__",
        holds=Held,
        raises=schema.raises,
        body=body,
        declared=schema,
        **facts,
    )
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        if hasattr(body, attribute):
            object.__setattr__(op, attribute, getattr(body, attribute))
    object.__setattr__(op, "__signature__", schema.signature)
    return op


def opaque(function: Callable[..., Any], fake: Callable[..., Any], *, name: str | None = None, raises: Raising = None) -> CustomOp:
    """Make an operator of a function that exists: of SciPy, of numba, of C of your own.

    Exported programs call the function in one node, also where they call it by its own name. Arrays
    that it is handed are read-only then. It must be a function of its arguments, and its results
    must be memory of their own.

    Parameters
    ----------
    function : callable
        The function. Arguments of calls in exported programs are arrays, numbers, texts, ``None``,
        and tuples and lists of those.
    fake : callable
        What it gives for given arguments, by shapes and dtypes alone: see `register_fake`.
    name : str, optional
        ``"my_lib::solve"``; by default ``"opaque::"`` and the module and name of the function.
    raises : exception class or tuple of them, optional
        What the function raises for some data: see `custom_op`.

    Returns
    -------
    CustomOp
        The operator. Called eagerly it calls the function.

    Raises
    ------
    UserError
        The function is an operator already, a builtin, a partial or a bound method, or has no name
        and is given none; or another module has made an operator of this name (E220).

    Examples
    --------
    >>> import bisect
    >>> from npexport import new_size, opaque
    >>> position = opaque(bisect.bisect_left, lambda a, x: new_size(max=len(a)))
    >>> position([1, 3, 5], 4)
    2
    """
    if not callable(function) or not callable(fake):
        raise bad("opaque takes a function and its fake", "opaque(function, fake): both are callable.")
    _require_told_apart(function, name)
    home = sys._getframe(1).f_globals.get("__name__", "__main__")
    namespace, own = (_OPAQUE, _default_name(function)) if name is None else _split(name)
    try:
        known = REGISTRY.modelling(function)
        hash(function)
    except TypeError:
        raise bad(f"{function!r} cannot be told from others: it has no hash", _WRAP) from None
    if known is not None and REGISTRY.gives_way(function):
        known = None
    if known is not None and known.home != home:
        whose = f"the module {known.home}" if known.home else "npexport"
        raise bad(f"{_default_name(function)} is the operator `{known}` of {whose} already", "Call it as it is.")
    if known is not None and (known.namespace, known.name) != (namespace, own):
        REGISTRY.forget(known)
    schema = unknown_schema(f"{namespace}.{own}", function)._replace(raises=stated_of(_default_name(function), raises))
    return _declare(_made(namespace, own, function, schema, home, models=(function,), fake=fake, native=True))


def _require_told_apart(function: Any, name: str | None) -> None:
    """Raises ``UserError`` for a callable whose calls cannot be redirected, or whose name another
    one may have, too.
    """
    if isinstance(function, (functools.partial, types.MethodType)):
        kind = "partial" if isinstance(function, functools.partial) else "bound method"
        raise bad(f"{_default_name(function)} is a {kind}, and calls lead to the function in it", _WRAP)
    if getattr(function, "__module__", None) == "builtins":
        raise bad(f"{_default_name(function)} is a builtin of Python", _WRAP)
    if name is None and getattr(function, "__name__", "<lambda>") == "<lambda>":
        raise bad(f"{_default_name(function)} has no name of its own", 'Name the operator: name="my_lib::scale".')


_WRAP = "Write a function that calls it, and pass that."


def _default_name(function: Any) -> str:
    kind = type(function)
    module = getattr(function, "__module__", None) or kind.__module__
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", kind.__name__)
    return re.sub(r"\W+", "_", f"{module}_{name}", flags=re.ASCII).strip("_")


def operator_named(op: CustomOp | str) -> CustomOp:
    """The operator that is given, or that has this name. Raises ``UserError`` (E220)."""
    if isinstance(op, CustomOp):
        return op
    found = REGISTRY.get(op.replace("::", ".")) if isinstance(op, str) else None
    if not isinstance(found, CustomOp):
        raise bad(f"{op!r} is not an operator that custom_op has declared", 'Pass the operator, or its name: "my_lib::scale".')
    return found


def register_fake(op_or_name: CustomOp | str) -> Callable[[F], F]:
    """Say what an operator gives for given operands, told by their shapes and dtypes alone.

    Where a program is exported the fake is called in place of the body, with arrays that have no
    data. What it returns says shape and dtype of the results: arrays that ``np.empty`` and its kin
    make, sizes computed of sizes, `new_size` where only the data know. A ``float`` or ``bool``
    stands for any; of a function that is `opaque`, a NumPy scalar for a NumPy scalar. When the
    program runs, results that are something else are an error (E410).

    Parameters
    ----------
    op_or_name : CustomOp or str
        The operator, or its name.

    Returns
    -------
    callable
        A decorator of the fake, which has the parameters of the operator.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import custom_op, new_size, register_fake
    >>> @custom_op("docs::positive")
    ... def positive(x: np.ndarray) -> np.ndarray:
    ...     return x[x > 0]
    >>> @register_fake("docs::positive")
    ... def _(x):
    ...     return np.empty(new_size(max=x.size), x.dtype)
    """
    return operator_named(op_or_name).register_fake


def register_vjp(op_or_name: CustomOp | str) -> Callable[[F], F]:
    """Say the derivative of an operator: what the gradients of its results make of the gradients of
    its arguments.

    It is kept for tools that differentiate graphs; this version of npexport has none, and calls it
    nowhere.

    Parameters
    ----------
    op_or_name : CustomOp or str
        The operator, or its name.

    Returns
    -------
    callable
        A decorator of ``f(cotangents, outputs, *args, **kwargs)``, which gives a tuple with the
        gradient of each array argument, ``None`` where there is none. It is the attribute ``vjp``
        of the operator.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import custom_op, register_vjp
    >>> @custom_op("docs::thrice")
    ... def thrice(x: np.ndarray) -> np.ndarray:
    ...     return x * 3
    >>> @register_vjp("docs::thrice")
    ... def _(cotangents, outputs, x):
    ...     return (cotangents * 3,)
    """
    op = operator_named(op_or_name)

    def register(function: F) -> F:
        if not callable(function):
            raise bad(f"the derivative of `{op}` is {with_article(type(function).__name__)}", "Decorate a function.")
        parameters = op.declared.signature.parameters.values()
        named = {p.name: None for p in parameters if p.kind is p.KEYWORD_ONLY}
        others = [None for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        try:
            inspect.signature(function).bind(None, None, *others, **named)
        except TypeError as error:
            takes = ", ".join(["cotangents", "outputs", *op.declared.signature.parameters])
            raise bad(f"the derivative of `{op}` does not take its arguments: {error}", f"Its parameters are ({takes}).") from None
        except ValueError:  # C that does not say
            pass
        object.__setattr__(op, "vjp", function)
        return function

    return register


def new_size(min: Any = 0, max: Any = None) -> Any:
    """A size that only the data know, for the fake of an operator: see `register_fake`.

    Parameters
    ----------
    min : int, default 0
        The least that it may be.
    max : int, optional
        The most that it may be; a size, such as ``x.size``, is one too. When the program runs, a
        size outside of the two is an error (E410).

    Returns
    -------
    SymInt
        The size, another one with every call.

    Raises
    ------
    UserError
        It is called outside of a fake (E201).

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import custom_op, new_size
    >>> @custom_op("docs::distinct")
    ... def distinct(x: np.ndarray) -> np.ndarray:
    ...     return np.unique(x)
    >>> @distinct.register_fake
    ... def _(x):
    ...     return np.empty(new_size(max=x.size), x.dtype)
    """
    hint = "Call it in a function that register_fake decorates."
    raise UserError("E201", "new_size is called outside of the fake of an operator", hint=hint)
