"""What is called before and after ``forward``.

A module keeps the handles of its hooks, in order, in the tuple ``_hooks``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class RemovableHandle:
    """A hook of a module, to be removed with :meth:`remove` or at the end of a ``with`` block."""

    def __init__(self, module: Any, hook: Callable[..., Any], before: bool, prepend: bool, with_kwargs: bool) -> None:
        self.module = module
        self.hook = hook
        self.before = before
        self.with_kwargs = with_kwargs
        module._hooks = (self, *module._hooks) if prepend else (*module._hooks, self)

    def remove(self) -> None:
        """Stop calling the hook."""
        self.module._hooks = tuple([handle for handle in self.module._hooks if handle is not self])

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.remove()


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module.forward``, with the arguments passed through the hooks before it, and the result
    through those after it.
    """
    hooks = module._hooks
    for handle in hooks:
        if handle.before:
            changed = handle.hook(module, args, kwargs) if handle.with_kwargs else handle.hook(module, args)
            if changed is not None:
                args, kwargs = changed if handle.with_kwargs else (changed if isinstance(changed, tuple) else (changed,), kwargs)
    result = module.forward(*args, **kwargs)
    for handle in hooks:
        if not handle.before:
            given = (module, args, kwargs, result) if handle.with_kwargs else (module, args, result)
            changed = handle.hook(*given)
            result = result if changed is None else changed
    return result
