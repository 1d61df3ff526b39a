"""Fewer instructions for the machine of `_loops.c`: jumps that lead to jumps go on at once, loops
test at their end, and values that are moved from one register to another share one.

Law: where the machine may leave an iteration, the carries are those before it. So whatever may
leave needs all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

_ARITHMETIC = "floordiv mod and or xor lshift rshift fadd fsub fmul fdiv eq ne lt le feq fne flt fle".split()
_OF_ONE = "move neg abs invert not fneg fabs sqrt floor ceil float int finite".split()
_JUMPS = {"jump": "", "if": "a", "unless": "a", "ifeq": "ab", "ifne": "ab", "iflt": "ab", "ifle": "ab"}
_TURNED = {"if": "unless", "unless": "if", "ifeq": "ifne", "ifne": "ifeq", "iflt": "ifle", "ifle": "iflt"}
_READ = {
    **dict.fromkeys(_ARITHMETIC, "bc"), **dict.fromkeys(_OF_ONE, "b"), **dict.fromkeys(("add", "sub", "mul", "place"), "bc"), **_JUMPS,
    "item_i": "c", "item_d": "c", "item_b": "c", "at": "ac", "load_i": "c", "load_d": "c", "load_b": "c", "put_i": "bc", "put_b": "bc",
    "store_i": "bc", "store_b": "bc", "find": "ac", "pick": "c", "drop": "bc", "shift": "bc", "room": "b",
}  # fmt: skip
"""The fields of each instruction that are registers whose values it needs."""
_STAYS = {*_ARITHMETIC, *_OF_ONE, *_JUMPS, "load_i", "load_d", "load_b", "size", "find", "commit"}
"""What never leaves an iteration."""
_WRITES_NONE = {*_JUMPS, "put_i", "put_b", "store_i", "store_b", "drop", "shift", "room", "commit", "tick", "say"}
_MOST = 1500
"""So many instructions are looked at: what is longer has little to gain."""

Code = list[list[int]]


class _Lives:
    """``before``, ``after``: the registers whose values are needed before and behind each
    instruction, a bit each.
    """

    def __init__(self, code: Code, names: Sequence[str], carries: int) -> None:
        self.code, self.names, self.carries = code, names, (1 << carries) - 1
        self.reads = [self._read(each) for each in code]
        self.after = [0] * len(code)
        before = self.before = [0] * (len(code) + 1)
        changed = True
        while changed:
            changed = False
            for place in reversed(range(len(code))):
                after = self._behind(place, before)
                found = (after & ~self.written(place)) | self.reads[place]
                changed |= (after, found) != (self.after[place], before[place])
                self.after[place], before[place] = after, found

    def _read(self, instruction: Sequence[int]) -> int:
        name = self.names[instruction[0]]
        found = self.carries if name not in _STAYS else 0
        for field in _READ.get(name, ""):
            found |= 1 << instruction["oabc".index(field)]
        return found

    def _behind(self, place: int, before: Sequence[int]) -> int:
        name = self.names[self.code[place][0]]
        following = 0 if name in ("jump", "say") else before[place + 1]
        return following | (before[self.code[place][3]] if name in _JUMPS else 0)

    def written(self, place: int) -> int:
        instruction = self.code[place]
        return 0 if self.names[instruction[0]] in _WRITES_NONE else 1 << instruction[1]


def shortened(code: Code, names: Sequence[str], carries: int, given: int, kept: Iterable[int]) -> Code:
    """The code with fewer jumps and moves. ``given``: how many registers hold what was given;
    ``kept``: others that stay.
    """
    if len(code) > _MOST:
        return code
    code = _without(_jumping(code, names), names, lambda place, each: names[each[0]] == "jump" and each[3] == place + 1)
    _share(code, names, carries, given, {*kept})
    return _without(code, names, lambda place, each: names[each[0]] == "move" and each[1] == each[2])


def _jumping(code: Code, names: Sequence[str]) -> Code:
    """The code with jumps that lead where they end, and to behind the test of a loop."""
    numbers = {name: number for number, name in enumerate(names)}
    for each in code:
        seen = set[int]()
        while names[each[0]] in _JUMPS and names[code[each[3]][0]] == "jump" and each[3] not in seen:
            seen.add(each[3])
            each[3] = code[each[3]][3]
    found, moved = Code(), list[int]()
    for each in code:
        moved.append(len(found))
        test = code[each[3]] if names[each[0]] == "jump" else each
        if test is not each and names[test[0]] in _TURNED and each[3] < len(moved):
            turned = names[test[0]]
            operands = test[2:0:-1] if turned in ("iflt", "ifle") else test[1:3]
            found.append([numbers[_TURNED[turned]], *operands, each[3] + 1])
            found.append([each[0], 0, 0, test[3]])
        else:
            found.append(each[:])
    moved.append(len(found))
    for each in found:
        if names[each[0]] in _JUMPS:
            each[3] = moved[each[3]]
    return found


def _without(code: Code, names: Sequence[str], goes: Callable[[int, list[int]], bool]) -> Code:
    """The code without instructions."""
    found, moved = Code(), list[int]()
    for place, each in enumerate(code):
        moved.append(len(found))
        if not goes(place, each):
            found.append(each)
    moved.append(len(found))
    for each in found:
        if names[each[0]] in _JUMPS:
            each[3] = moved[each[3]]
    return found


def _share(code: Code, names: Sequence[str], carries: int, given: int, kept: set[int]) -> None:
    """Give registers of which one is moved to the other, and that are never needed at once, one
    number.
    """
    lives = _Lives(code, names, carries)
    kept |= {register for register in range(given, lives.before[0].bit_length()) if lives.before[0] >> register & 1}
    apart: dict[int, int] = {}
    for place, each in enumerate(code):
        written = lives.written(place)
        if written:
            other = lives.after[place] & ~written & ~(1 << each[2] if names[each[0]] == "move" else 0)
            apart[each[1]] = apart.get(each[1], 0) | other
    for register, others in list(apart.items()):
        while others:
            other = others.bit_length() - 1
            others ^= 1 << other
            apart[other] = apart.get(other, 0) | 1 << register
    one, members = dict[int, int](), dict[int, int]()

    def of(register: int) -> int:
        while register in one:
            register = one[register]
        return register

    for each in code:
        if names[each[0]] != "move":
            continue
        left, right = of(each[1]), of(each[2])
        fixed = [register for register in (left, right) if register < given or register in kept]
        if left == right or len(fixed) > 1 or any(register >= carries or register in kept for register in fixed):
            continue
        keep, gone = (right, left) if right in fixed else (left, right)
        all_ = members.get(gone, 1 << gone)
        if apart.get(keep, 0) & all_ == 0:
            one[gone] = keep
            members[keep] = members.get(keep, 1 << keep) | all_
            apart[keep] = apart.get(keep, 0) | apart.get(gone, 0)
    for each in code:
        for field in {*_READ.get(names[each[0]], ""), *("" if names[each[0]] in _WRITES_NONE else "a")}:
            place = "oabc".index(field)
            each[place] = of(each[place])
