"""Functions that go on after calls of themselves run as loops with stacks of their own: such a call
puts what the function reads afterwards onto lists, binds the variables anew, and goes back to the
beginning; a return takes it from there again, if there is any. So a recursion of which the data
decide how deep it is becomes a loop on data like any other.

A function gets such code under the same circumstances as one that ends by calling itself
(`npexport.tracer.interpreter.tail_calls`), and as there the call is made as usual if something
else turns out to be called when it runs.

Laws:

1. There is one list for each variable, and for each value on the stack below a call, however many
   calls put something there: the last one in is the first one out.
2. A parameter that the function binds nowhere, and passes on to itself in every such call, is the
   same in all of them: it stays where it is.
3. What is loaded below a call to be called itself, or to be called with what it gives (``max`` in
   ``max(f(i), f(j))``), is the same for all calls, or they are made as usual.
"""

from __future__ import annotations

import functools
from types import CodeType
from typing import Any

from npexport.tracer.bytecode.canonical import Instruction
from npexport.tracer.interpreter.copied_code import Label, Target, Writer, origin_of, own
from npexport.tracer.interpreter.frame import Frame
from npexport.tracer.interpreter.own_calls import Call, Same, kept, loading, nested_calls, values_of
from npexport.tracer.interpreter.program import code_info
from npexport.tracer.interpreter.tail_calls import other, raise_if_deeper

_AGAIN: Label = ("again",)
_BEGIN: Label = ("begin",)
_RETURN: Label = ("end",)


class _Writer(Writer):
    """Writes the code of a function with a loop in place of calls of itself."""

    def __init__(self, code: CodeType, limit: int, sized: bool) -> None:
        super().__init__(code)
        info, self.sized = code_info(code), sized
        self.calls, self.limit = {call.place: call for call in nested_calls(code)}, limit
        self.numbers = {place: number for number, place in enumerate(self.calls, 1)}
        self.parameters, self.first_free, self.kept = info.argcount + info.keyword_only, info.first_free, kept(code)
        self.named = dict[Any, int]()
        self.own = list(self.own)
        for index in self.calls:
            self.own[index] = Instruction("NESTED_CALL", other(index), self.own[index].offset)

    def add(self, name: str, arg: Any = None) -> None:
        """Append an instruction; where the function returns, the last call that waits goes on."""
        super().add(*("JUMP", _RETURN) if name == "RETURN_VALUE" else (name, arg))

    def slot(self, *key: Any) -> int:
        """A variable of the loop's own."""
        if key not in self.named:
            self.named[key] = len(self.slots)
            self.slots.append(f"({' '.join(map(str, key))})")
        return self.named[key]

    def same(self, value: Same) -> int:
        """The variable of what is the same below all calls."""
        if value not in self.named:
            self.named[value] = len(self.slots)
            self.slots.append(value.name)
        return self.named[value]

    def insert(self, index: int, target: Target) -> None:
        if index == 0:
            self._begin(target)
        if index - 1 in self.calls:
            self._go_deeper(self.calls[index - 1], target)

    def _begin(self, target: Target) -> None:
        """Make the lists, go on where the last call or return says, and return."""
        self.at(0, target)
        for each in dict.fromkeys((("calls",), ("results",), *[name for call in self.calls.values() for name in self._lists(call)])):
            self.add("BUILD_LIST", 0)
            self.add("STORE_FAST", self.slot(*each))
        places = {each.place for call in self.calls.values() for each in call.below if type(each) is Same}
        for place in sorted(places):
            instructions = loading(self.code, place)
            self.add("LOAD_SAME", instructions)
            for part in reversed(range(values_of(instructions))):
                self.add("STORE_FAST", self.same(Same(place, part)))
        self._set("place", 0)
        if self.sized:
            self.add("BEGIN_CALLS")
        self.mark(_AGAIN)
        self.add("LOAD_FAST", self.slot("place"))
        self.add("POP_JUMP_IF_FALSE", _BEGIN)
        *others, last = self.calls
        for place in others:
            self.add("LOAD_FAST", self.slot("place"))
            self.add("LOAD_CONST", self.numbers[place])
            self.add("COMPARE_OP", "==")
            self.add("POP_JUMP_IF_TRUE", ("return to", place))
        self.add("JUMP", ("return to", last))
        for call in self.calls.values():
            self._return_to(call)
        self.at(0, target)
        self.mark(_RETURN)
        self.add("STORE_FAST", self.slot("result"))
        self._put(self.slot("result"), "results")
        self._unbind()
        self.add("LOAD_FAST", self.slot("calls"))
        self.add("POP_JUMP_IF_TRUE", ("return",))
        self._take("results")
        super().add("RETURN_VALUE")
        self.mark(("return",))
        self._take("calls")
        self.add("STORE_FAST", self.slot("place"))
        self.add("JUMP_BACKWARD", _AGAIN)
        self.mark(_BEGIN)

    def _lists(self, call: Call) -> list[tuple[Any, ...]]:
        """The lists that get what is read after a call."""
        values = [("values", depth) for depth, each in enumerate(call.below) if each is None]
        return [*[("earlier", self.slots[slot]) for slot in call.saved], *values]

    def _set(self, name: str, value: Any) -> None:
        self.add("LOAD_CONST", value)
        self.add("STORE_FAST", self.slot(name))

    def _put(self, slot: int, *key: Any) -> None:
        """Put the value of a variable onto a list."""
        self.add("LOAD_FAST", self.slot(*key))
        self.add("LOAD_METHOD", "append")
        self.add("LOAD_FAST", slot)
        self.add("CALL", 1)
        self.add("POP_TOP")

    def _unbind(self) -> None:
        """Unbind the variables of a call that are no parameters."""
        for slot in range(self.parameters, self.first_free):
            self.add("PUSH_NULL")
            self.add("STORE_FAST", slot)

    def _take(self, *key: Any) -> None:
        """Take a value from a list."""
        self.add("LOAD_FAST", self.slot(*key))
        self.add("LOAD_METHOD", "pop")
        self.add("CALL", 0)

    def _go_deeper(self, call: Call, target: Target) -> None:
        """Put away what is read after a call whose arguments are on the stack, and begin again."""
        self.at(call.place, target)
        for slot in reversed(range(self.parameters)):
            self._move(None if slot in self.kept else self.slot("argument", slot))
        for depth, value in reversed([*enumerate(call.below)]):
            self._move(self.slot("value", depth) if value is None else None)
        for slot in call.saved:
            self._put(slot, "earlier", self.slots[slot])
        for depth, value in enumerate(call.below):
            if value is None:
                self._put(self.slot("value", depth), "values", depth)
        self._set("place", self.numbers[call.place])
        self._put(self.slot("place"), "calls")
        self._set("place", 0)
        for slot in set(range(self.parameters)) - self.kept:
            self.add("LOAD_FAST", self.slot("argument", slot))
            self.add("STORE_FAST", slot)
        self._unbind()
        self.add("LOAD_CONST", len)
        self.add("PUSH_NULL")
        self.add("LOAD_FAST", self.slot("calls"))
        self.add("CALL", 1)
        raise_if_deeper(self, self.limit, ("again", call.place))
        self.add("JUMP_BACKWARD", _AGAIN)
        self.mark(target(other(call.place)))
        self.add(*self.calls[call.place].instruction)

    def _move(self, slot: int | None) -> None:
        """Bind a variable to the top of the stack, or drop it."""
        self.add("POP_TOP") if slot is None else self.add("STORE_FAST", slot)

    def _return_to(self, call: Call) -> None:
        """What follows a call, with the variables and the stack as they were."""
        self.at(call.place, own)
        self.mark(("return to", call.place))
        for slot in call.saved:
            self._take("earlier", self.slots[slot])
            self.add("STORE_FAST", slot)
        for depth, value in enumerate(call.below):
            if value is None:
                self._take("values", depth)
            elif type(value) is Same:  # it may be the marker of an absent self
                self.add("LOAD_FAST_AND_CLEAR", self.same(value))
                self.add("COPY", 1)
                self.add("STORE_FAST", self.same(value))
            else:
                self.add(*value[:2])
        self._take("results")
        self.add("JUMP", own(call.place + 1))


@functools.lru_cache(256)
def as_stacked_loop(code: CodeType, limit: int, sized: bool) -> CodeType:
    """The code with a loop in place of the calls, of which at most so many are nested. ``sized``:
    whether sizes decide how many.
    """
    return _Writer(code, limit, sized).write(("as a loop with stacks", limit, sized))


def is_one_of_nested(frame: Frame, values: list[Any], stack: list[Any]) -> bool:
    """Whether a call of the frame's own function leaves alone what all such calls share.

    ``values``: those of its parameters; ``stack``: what is below it.
    """
    origin = origin_of(frame.code, frame.pc - 1)
    if any(values[slot] is not frame.fast[slot] for slot in kept(origin.code)):
        return False
    call = next(call for call in nested_calls(origin.code) if call.place == origin.place)
    slots, same = frame.info.slots, [(each.name, value) for each, value in zip(call.below, stack, strict=True) if type(each) is Same]
    return all(frame.fast[slots.index(name)] is value for name, value in same)
