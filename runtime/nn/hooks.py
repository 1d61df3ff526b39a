"""What is called before and after ``forward``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

BEFORE, AFTER = "_hooks_before", "_hooks_after"  # attributes of modules that have any


class RemovableHandle:
    """A hook of a module, to be removed with :meth:`remove` or at the end of a ``with`` block."""

    def __init__(self, hooks: list[RemovableHandle], hook: Callable[..., Any], prepend: bool, with_kwargs: bool) -> None:
        self.hook = hook
        self.with_kwargs = with_kwargs
        self._hooks = hooks
        hooks.insert(0 if prepend else len(hooks), self)

    def remove(self) -> None:
        """Call the hook no more."""
        if self in self._hooks:
            self._hooks.remove(self)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.remove()


def call_with_hooks(module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module.forward`` of what the hooks before it make of the arguments; what those after it make of the result."""
    for handle in list(getattr(module, BEFORE, ())):
        if handle.with_kwargs:
            changed = handle.hook(module, args, kwargs)
            args, kwargs = (args, kwargs) if changed is None else changed
        else:
            changed = handle.hook(module, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
    result = module.forward(*args, **kwargs)
    for handle in list(getattr(module, AFTER, ())):
        given = (module, args, kwargs, result) if handle.with_kwargs else (module, args, result)
        changed = handle.hook(*given)
        result = result if changed is None else changed
    return result
