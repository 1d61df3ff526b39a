"""``Module``: a callable with named arrays (parameters and buffers) and named submodules.

Values live in the instance's own ``__dict__`` and nowhere else, so that reading ``module.weight``
is an ordinary attribute access and gives a plain ``ndarray``. ``_kinds`` tells, in order of
registration, which attributes are registered and as what.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from npexport.runtime.array_types import Array
from npexport.runtime.nn.arguments import LAYERS, checked
from npexport.runtime.nn.hooks import RemovableHandle, call_with_hooks
from npexport.runtime.nn.registered import BUFFER, MODULE, PARAMETER, TRANSIENT, Buffer, Parameter, as_array, replacement
from npexport.symshapes.parameters import FLAG, require


class IncompatibleKeys(NamedTuple):
    """The names that :meth:`Module.load_state_dict` did not find, and those that it did not use."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class Module:
    """The base of all layers and networks, with the interface of ``torch.nn.Module``.

    Subclasses define ``forward``; calling the module calls it. Arrays assigned as
    :class:`Parameter` and modules assigned as attributes are registered under the attribute's name;
    buffers are registered with :meth:`register_buffer`.

    As ``torch.nn.Module``.

    >>> from npexport import nn
    >>> net = nn.Sequential(nn.Linear(4, 3), nn.ReLU())
    >>> net(np.zeros((2, 4), np.float32)).shape
    (2, 3)
    """

    training: bool
    _kinds: dict[str, str]
    _hooks: tuple[RemovableHandle, ...]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith(LAYERS) and "__init__" in cls.__dict__:
            cls.__init__ = checked(cls.__init__)  # type: ignore[method-assign]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        self = object.__new__(cls)
        object.__setattr__(self, "training", True)
        object.__setattr__(self, "_kinds", {})
        object.__setattr__(self, "_hooks", ())
        return self

    def __init__(self) -> None:
        """Does nothing; subclasses call it as in torch."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return call_with_hooks(self, args, kwargs) if self._hooks else self.forward(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes.

        Raises ``NotImplementedError`` where a subclass does not define it.
        """
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    @checked
    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; what it returns, unless ``None``, takes
        the place of the arguments.

        ``prepend``: before the hooks that are there; ``with_kwargs``: ``hook(module, args,
        kwargs)``, which returns a pair. The handle that is returned removes it.

        >>> from npexport import nn
        >>> layer = nn.Identity()
        >>> handle = layer.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
        >>> layer(np.ones(2))
        array([2., 2.])
        """
        return RemovableHandle(self, hook, True, prepend, with_kwargs)

    @checked
    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:
        """Call ``hook(module, args, result)`` after ``forward``; what it returns, unless ``None``,
        takes the place of the result.

        ``prepend``: before the hooks that are there; ``with_kwargs``: ``hook(module, args, kwargs,
        result)``. The handle that is returned removes it.

        >>> from npexport import nn
        >>> layer = nn.Identity()
        >>> handle = layer.register_forward_hook(lambda module, args, result: result * 2)
        >>> layer(np.ones(2))
        array([2., 2.])
        >>> handle.remove()
        >>> layer(np.ones(2))
        array([1., 1.])
        """
        return RemovableHandle(self, hook, False, prepend, with_kwargs)

    # -- registration

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Parameter):
            self._register(name, PARAMETER, value.data)
        elif isinstance(value, Buffer):
            self._register(name, BUFFER if value.persistent else TRANSIENT, value.data)
        elif isinstance(value, Module):
            self._register(name, MODULE, value)
        else:
            kind = self._kinds.get(name)
            object.__setattr__(self, name, value if kind is None else replacement(name, kind, value))

    def __delattr__(self, name: str) -> None:
        object.__delattr__(self, name)
        self._kinds.pop(name, None)

    def register_parameter(self, name: str, param: Any) -> None:
        """Register an array (or ``Parameter``, or ``None``) as a parameter.

        Raises ``KeyError`` for a name that is taken, empty or dotted, ``TypeError`` where ``param``
        is not an array.
        """
        value = param.data if isinstance(param, Parameter) else param
        self._check_name(name, PARAMETER)
        self._register(name, PARAMETER, as_array(value, name))

    def register_buffer(self, name: str, array: Any, persistent: bool = True) -> None:
        """Register an array (or ``None``) that is state but not a parameter; one that is not
        persistent stays out of ``state_dict``.

        Raises ``KeyError`` for a name that is taken, empty or dotted, ``TypeError`` where
        ``array`` is not an array.
        """
        self._check_name(name, BUFFER)
        require("persistent", persistent, FLAG)
        self._register(name, BUFFER if persistent else TRANSIENT, as_array(array, name))

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a submodule; raises ``KeyError`` for a bad name and ``TypeError`` where
        ``module`` is not a module.
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._check_name(name, MODULE)
        self._register(name, MODULE, module)

    register_module = add_module

    def _check_name(self, name: str, kind: str) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{kind} name must be a string, not {type(name).__name__}")
        if not name or "." in name:
            raise KeyError(f"{kind} name must be non-empty and without a dot: {name!r}")
        if hasattr(self, name) and name not in self._kinds:
            raise KeyError(f"attribute {name!r} already exists")

    def _register(self, name: str, kind: str, value: Any) -> None:
        self._kinds[name] = kind
        object.__setattr__(self, name, value)

    # -- looking at what is registered

    def _own(self, *kinds: str) -> Iterator[tuple[str, Any]]:
        for name, kind in self._kinds.items():
            if kind in kinds:
                value = getattr(self, name)
                if value is not None:
                    yield name, value

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """``(name, module)`` for each submodule of this module itself, each module once.

        >>> from npexport import nn
        >>> list(nn.Sequential(nn.ReLU()).named_children())
        [('0', ReLU())]
        """
        return _once(self._own(MODULE), True)

    def children(self) -> Iterator[Module]:
        """The modules of :meth:`named_children`.

        >>> from npexport import nn
        >>> list(nn.Sequential(nn.ReLU()).children())
        [ReLU()]
        """
        return (module for _, module in self.named_children())

    @checked
    def named_modules(self, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """``(dotted path, module)`` for this module and all below it, parents first.

        Paths begin with ``prefix``; a shared module comes once, unless ``remove_duplicate=False``.

        >>> from npexport import nn
        >>> [path for path, module in nn.Sequential(nn.ReLU(), nn.Flatten()).named_modules()]
        ['', '0', '1']
        """
        return self._walk(prefix, set(), remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """The modules of :meth:`named_modules`; ``remove_duplicate`` as there.

        >>> from npexport import nn
        >>> [type(module).__name__ for module in nn.Sequential(nn.ReLU()).modules()]
        ['Sequential', 'ReLU']
        """
        return (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def _walk(self, prefix: str, seen: set[int], remove_duplicate: bool) -> Iterator[tuple[str, Module]]:
        if remove_duplicate and id(self) in seen:
            return
        seen.add(id(self))
        yield prefix, self
        for name, module in self._own(MODULE):
            yield from module._walk(_join(prefix, name), seen, remove_duplicate)

    def _named_arrays(self, prefix: str, recurse: bool, remove_duplicate: bool, *kinds: str) -> Iterator[tuple[str, Array]]:
        modules = self.named_modules(prefix, remove_duplicate) if recurse else [(prefix, self)]
        return _once(((_join(path, name), value) for path, module in modules for name, value in module._own(*kinds)), remove_duplicate)

    @checked
    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Array]]:
        """``(dotted path, array)`` for each parameter, here and, with ``recurse``, in all modules
        below.

        Paths begin with ``prefix``; a shared array comes once, unless ``remove_duplicate=False``.

        >>> from npexport import nn
        >>> [(path, array.shape) for path, array in nn.Sequential(nn.Linear(2, 3)).named_parameters()]
        [('0.weight', (3, 2)), ('0.bias', (3,))]
        """
        return self._named_arrays(prefix, recurse, remove_duplicate, PARAMETER)

    @checked
    def parameters(self, recurse: bool = True) -> Iterator[Array]:
        """The arrays of :meth:`named_parameters`, which says what ``recurse`` is.

        >>> from npexport import nn
        >>> sum(array.size for array in nn.Linear(2, 3).parameters())
        9
        """
        return (array for _, array in self.named_parameters(recurse=recurse))

    @checked
    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Array]]:
        """``(dotted path, array)`` for each buffer, persistent or not: with ``prefix``, ``recurse``
        and ``remove_duplicate`` as for :meth:`named_parameters`.

        >>> from npexport import nn
        >>> [path for path, _ in nn.Sequential(nn.BatchNorm1d(2)).named_buffers()]
        ['0.running_mean', '0.running_var', '0.num_batches_tracked']
        """
        return self._named_arrays(prefix, recurse, remove_duplicate, BUFFER, TRANSIENT)

    @checked
    def buffers(self, recurse: bool = True) -> Iterator[Array]:
        """The arrays of :meth:`named_buffers`, which says what ``recurse`` is.

        >>> from npexport import nn
        >>> [array.shape for array in nn.BatchNorm1d(2).buffers()]
        [(2,), (2,), ()]
        """
        return (array for _, array in self.named_buffers(recurse=recurse))

    @checked
    def get_submodule(self, target: str) -> Module:
        """The module at the dotted path ``target``; raises ``AttributeError`` where there is none.

        >>> from npexport import nn
        >>> nn.Sequential(nn.Sequential(nn.ReLU())).get_submodule("0.0")
        ReLU()
        """
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not a Module")
        return module

    @checked
    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put ``module`` at the path ``target``; raises ``AttributeError`` where its parent is
        not there, or with ``strict`` where nothing is.

        >>> from npexport import nn
        >>> net = nn.Sequential(nn.Sequential(nn.ReLU()))
        >>> net.set_submodule("0.0", nn.Tanh())
        >>> net.get_submodule("0.0")
        Tanh()
        """
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        setattr(parent, name, module)

    @checked
    def get_parameter(self, target: str) -> np.ndarray:
        """The parameter at the path ``target``; raises ``AttributeError`` where there is none.

        >>> from npexport import nn
        >>> nn.Sequential(nn.Linear(2, 3)).get_parameter("0.bias").shape
        (3,)
        """
        return self._get_array(target, PARAMETER)

    @checked
    def get_buffer(self, target: str) -> np.ndarray:
        """The buffer at the path ``target``; raises ``AttributeError`` where there is none.

        >>> from npexport import nn
        >>> nn.BatchNorm1d(2).get_buffer("running_mean")
        array([0., 0.], dtype=float32)
        """
        return self._get_array(target, BUFFER, TRANSIENT)

    def _get_array(self, target: str, *kinds: str) -> np.ndarray:
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if module._kinds.get(name) not in kinds:
            raise AttributeError(f"{type(module).__name__} has no {kinds[0]} `{name}`")
        return getattr(module, name)

    # -- state

    @checked
    def state_dict(self, *, prefix: str = "") -> dict[str, Array]:
        """All parameters and persistent buffers by dotted path, which begins with ``prefix``; the
        arrays are the module's own, not copies.

        >>> from npexport import nn
        >>> list(nn.BatchNorm1d(2, affine=False).state_dict())
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        return dict(self._named_arrays(prefix, True, False, PARAMETER, BUFFER))

    @checked
    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False) -> IncompatibleKeys:
        """Copy ``state_dict`` into the module's arrays (with ``assign``, put its arrays in their
        place).

        Nothing is written where anything is wrong: raises ``RuntimeError`` that lists all arrays of
        wrong shape and, if ``strict``, all missing and unexpected keys. Returns these keys.

        >>> from npexport import nn
        >>> layer = nn.Linear(1, 1)
        >>> layer.load_state_dict({"weight": [[2.0]]}, strict=False)
        IncompatibleKeys(missing_keys=['bias'], unexpected_keys=[])
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"state_dict is a {type(state_dict).__name__}, not a dict of arrays")
        own = self.state_dict()
        missing = [key for key in own if key not in state_dict]
        unexpected = [key for key in state_dict if key not in own]
        found = {key: np.asarray(state_dict[key]) for key in own if key in state_dict}
        problems = [
            f"size mismatch for {key}: copying an array of shape {value.shape} where the module has {own[key].shape}."
            for key, value in found.items()
            if value.shape != own[key].shape
        ]
        if strict and unexpected:
            problems.append("Unexpected key(s) in state_dict: " + ", ".join(f'"{key}"' for key in unexpected) + ".")
        if strict and missing:
            problems.append("Missing key(s) in state_dict: " + ", ".join(f'"{key}"' for key in missing) + ".")
        if problems:
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(problems))
        for key, value in found.items():
            if assign:
                path, _, name = key.rpartition(".")
                setattr(self.get_submodule(path), name, value)
            else:
                own[key][...] = value
        return IncompatibleKeys(missing, unexpected)

    # -- modes, conversions, printing

    def train(self, mode: bool = True) -> Self:
        """Set ``training`` to ``mode`` here and in all submodules, and return the module.

        Raises ``ValueError`` where ``mode`` is not a truth.

        >>> from npexport import nn
        >>> nn.Sequential(nn.Dropout()).train(False).get_submodule("0").training
        False
        """
        if not isinstance(mode, (bool, np.bool_)):
            raise ValueError(f"training mode is True or False, not {mode!r}")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self) -> Self:
        """The same as ``train(False)``.

        >>> from npexport import nn
        >>> nn.Dropout().eval().training
        False
        """
        return self.train(False)

    @checked
    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call ``fn`` with every submodule, children first, and with this module last; returns the
        module.

        >>> from npexport import nn
        >>> net = nn.Sequential(nn.ReLU()).apply(lambda module: print(type(module).__name__))
        ReLU
        Sequential
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, dtype: Any) -> Self:
        """Convert all floating-point parameters and buffers to ``dtype``; shared arrays stay
        shared. Returns the module.

        >>> from npexport import nn
        >>> nn.Linear(1, 1).to(np.float64).weight.dtype
        dtype('float64')
        """
        converted: dict[int, Array] = {}
        for module in self.modules():
            for name, value in list(module._own(PARAMETER, BUFFER, TRANSIENT)):
                if value.dtype.kind == "f":
                    object.__setattr__(module, name, converted.setdefault(id(value), value.astype(dtype, copy=False)))
        return self

    def half(self) -> Self:
        """The same as ``to(np.float16)``.

        >>> from npexport import nn
        >>> nn.Linear(1, 1).half().weight.dtype
        dtype('float16')
        """
        return self.to(np.float16)

    def float(self) -> Self:
        """The same as ``to(np.float32)``.

        >>> from npexport import nn
        >>> nn.Linear(1, 1).float().weight.dtype
        dtype('float32')
        """
        return self.to(np.float32)

    def double(self) -> Self:
        """The same as ``to(np.float64)``.

        >>> from npexport import nn
        >>> nn.Linear(1, 1).double().weight.dtype
        dtype('float64')
        """
        return self.to(np.float64)

    def extra_repr(self) -> str:
        """The text in the parentheses of the module's line of ``repr``.

        >>> from npexport import nn
        >>> nn.Linear(2, 3).extra_repr()
        'in_features=2, out_features=3, bias=True'
        """
        return ""

    def _printed_children(self) -> list[tuple[str, str]]:
        return [(name, repr(module)) for name, module in self._own(MODULE)]

    def __repr__(self) -> str:
        lines = self.extra_repr().splitlines()
        children = [f"({label}): " + text.replace("\n", "\n  ") for label, text in self._printed_children()]
        if not children and len(lines) <= 1:
            return f"{type(self).__name__}({''.join(lines)})"
        return f"{type(self).__name__}(\n  " + "\n  ".join([*lines, *children]) + "\n)"


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _once(pairs: Iterable[tuple[str, Any]], remove_duplicate: bool) -> Iterator[tuple[str, Any]]:
    """The pairs without those whose value was seen before."""
    seen: set[int] = set()
    for name, value in pairs:
        if not remove_duplicate or id(value) not in seen:
            seen.add(id(value))
            yield name, value
