"""NumPy's error state in the program: which kinds of floating-point errors it has set itself
(``np.errstate``, ``np.seterr``), and which are still the caller's.

For a kind that is still the caller's, the program sees a text that it can only hand back to NumPy,
as ``old = np.seterr(...); ...; np.seterr(**old)`` does: the caller's setting is known only at the
call.
"""

from __future__ import annotations

import contextvars
from typing import Any, NamedTuple, NoReturn

from npexport.ir.error_states import KINDS
from npexport.ir.numpy_internals import ERROR_STATE, ERROR_STATE_OF_NONE, settings_of_errors
from npexport.symshapes.errors import Unsupported
from npexport.tracer.interpreter.native import named

_CALL = "call"
_HINT = "Use 'ignore' or 'warn', and test the results with np.isfinite where they matter."


class Callers(str):
    """The caller's action for one kind of errors; ``str.__str__`` gives the one at export."""

    def refuse(self, *args: Any) -> NoReturn:
        hint = "Hand the whole state back, np.seterr(**old), or pass the setting that you read in as an argument."
        raise Unsupported("E108", "the program looks at the caller's error state, which may be another in every call", hint=hint)

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __hash__ = __str__ = __repr__ = __format__ = refuse
    __contains__ = __len__ = __iter__ = __getitem__ = __add__ = __mod__ = __reduce_ex__ = refuse


named(Callers, "str")


class InForce(NamedTuple):
    """The state in force: the object, its settings, and the tokens that are used up."""

    state: Any
    says: tuple[Any, ...]
    tokens: int
    spent: frozenset[int]

    def is_left_by(self, later: InForce) -> bool:
        """Whether errors are handled at a later time as at this one."""
        return self.says == later.says and self.spent == self._used(later)

    def are_left_alike(self, one: InForce, other: InForce) -> bool:
        """Whether errors are handled alike at two later times."""
        return one.says == other.says and self._used(one) == self._used(other)

    def _used(self, later: InForce) -> set[int]:
        return {token for token in later.spent if token < self.tokens}


class ErrorStates:
    """The states that the program has made: its own settings in each, by kind.

    A token restores the state before it once. Sides of a branch on data, which run one after the
    other, may both use the same token, so its use is recorded here and restored with everything
    else.
    """

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, dict[str, str]]] = {}  # by identity, which must stay
        self._tokens: dict[int, tuple[Any, int]] = {}  # likewise; with their numbers
        self._spent: frozenset[int] = frozenset()

    def current(self) -> dict[str, str]:
        """The program's settings in the state in force."""
        if not self._made:
            return {}
        _, actions = self._made.get(id(ERROR_STATE.get(None)), (None, {}))
        return actions

    def in_force(self) -> InForce:
        """The state that `put_back` restores."""
        return InForce(ERROR_STATE.get(), (self.current(), settings_of_errors()), len(self._tokens), self._spent)

    def put_back(self, before: InForce) -> None:
        """Put the earlier state in force again."""
        if ERROR_STATE.get() is not before.state:
            ERROR_STATE.set(before.state)
        self._spent = before.spent

    def set(self, state: Any) -> Any:
        """Set the state in force; returns the token that restores the one before it."""
        token = ERROR_STATE.set(state)
        self._tokens[id(token)] = token, len(self._tokens)
        return token

    def reset(self, token: Any) -> None:
        """Restore the state before the one of this token, as the context variable does."""
        _, number = self._tokens.get(id(token), (None, None))
        if number is None:
            ERROR_STATE.reset(token)
            return
        if number in self._spent:
            raise RuntimeError(f"{token!r} has already been used once")
        self._spent |= {number}
        ERROR_STATE.set(ERROR_STATE_OF_NONE if token.old_value is contextvars.Token.MISSING else token.old_value)

    def require_restored(self) -> None:
        """Raises ``Unsupported`` (E112) if settings of the program are still in force."""
        if self.current():
            hint = "Set it in a `with np.errstate(...):`, or put the old state back: np.seterr(**old)."
            raise Unsupported("E112", "the program changes the error state of NumPy (np.seterr)", hint=hint)

    def read(self, found: dict[str, Any]) -> dict[str, Any]:
        """NumPy's description of the state in force, as the program sees it."""
        actions = self.current()
        return {name: Callers(value) if name in KINDS and name not in actions else value for name, value in found.items()}

    def make(self, make: Any, given: dict[str, Any]) -> Any:
        """The state in force with other actions for some kinds; ``make``: NumPy's own function.

        Raises ``Unsupported`` (E101) if an error would call a function.
        """
        actions = dict(self.current())
        every = given.get("all")
        named = {kind: every if given.get(kind) is None else given[kind] for kind in KINDS}
        state = make(**{name: str.__str__(value) if type(value) is Callers else value for name, value in given.items()})
        for kind, action in named.items():
            if type(action) is Callers:
                actions.pop(kind, None)
            elif action is not None:
                actions[kind] = action
        if _CALL in given:
            actions[_CALL] = "set"
        self._require_no_calls(actions)
        self._made[id(state)] = state, actions
        return state

    @staticmethod
    def _require_no_calls(actions: dict[str, str]) -> None:
        called = [f"{kind}={actions[kind]!r}" for kind in KINDS if actions.get(kind) in ("call", "log")]
        if called:
            raise Unsupported("E101", f"`np.errstate({', '.join(called)})` lets floating-point errors call a function", hint=_HINT)
        if _CALL in actions and not all(kind in actions for kind in KINDS):
            problem = "the program sets the function that floating-point errors call where the caller says that they do"
            raise Unsupported("E101", problem, hint=_HINT)
