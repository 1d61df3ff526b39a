"""The functions of loops (`npexport.runtime.machine.scalar_loop_code`) as instructions of the
machine of `_loops.c`.

They are Python of few words: names are numbers or arrays, and a name is of one kind. What it says
to Python it says to the machine; only two things are said in other words there: a sum that has
left 64 bits leaves the iteration by itself, and iterations are counted by one instruction.
"""

from __future__ import annotations

import ast
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from npexport.runtime.machine.register_moves import shortened

MOST_AXES = 8
"""The largest rank of arrays."""
_COMPARED = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "lt", ast.GtE: "le"}
_OTHERWISE = {"eq": "ne", "ne": "eq", "lt": "le", "le": "lt"}
_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
           ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift"}  # fmt: skip
_CALLS = {"fabs": "d", "sqrt": "d", "floor": "d", "ceil": "d", "abs": "i", "finite": "i"}
"""Instructions of one operand, and what they give: integers (truths are 0 and 1) or floats."""


class Given(NamedTuple):
    """A parameter that is an array: its number, the kind of its elements, and its rank."""

    number: int
    kind: str
    rank: int


class Register(NamedTuple):
    number: int
    kind: str


class Label:
    """A place in the code, which jumps to it learn when it is known."""

    def __init__(self) -> None:
        self.place = -1
        self.jumps: list[int] = []


class Assembler:
    """The instructions and registers of one function. ``parameters``: its kinds, or of arrays what
    they are, of which so many are ``carries``; ``constants``: floats that have names; ``tables``:
    the items of each.
    """

    def __init__(
        self,
        operations: Sequence[str],
        parameters: Mapping[str, str | Given],
        constants: Mapping[str, float],
        tables: Mapping[str, Sequence[str]],
        carries: int,
    ) -> None:
        self._operations = {name: number for number, name in enumerate(operations)}
        self._code: list[list[int]] = []
        self._first: list[int | float] = [0] * len(parameters)
        self._names: dict[str, Register] = {}
        self._arrays = {name: kind for name, kind in parameters.items() if type(kind) is Given}
        self._constants: dict[tuple[type, bytes], Register] = {}
        self._named = constants
        self._carries, self._given = carries, len(parameters)
        self._items = tables
        self._tables: dict[str, Register] = {}
        self._says: dict[int, Label] = {}
        self._breaks: list[Label] = []
        self._uses: Counter[str] = Counter()
        for number, (name, kind) in enumerate(parameters.items()):
            if type(kind) is str:
                self._names[name] = Register(number, kind)

    def assemble(self, text: str) -> tuple[bytes, bytes]:
        """The instructions of a function, and what the registers hold before it."""
        (function,) = ast.parse(text).body
        self._uses.update(each.id for each in ast.walk(function) if type(each) is ast.Name and type(each.ctx) is ast.Load)
        self._block(function.body)  # type: ignore[attr-defined]
        for says, label in self._says.items():
            self._put(label)
            self._emit("say", says)
        first = b"".join(map(_bytes, self._first))
        code = shortened(self._code, [*self._operations], self._carries, self._given, self._kept())
        return array("i", [number for each in code for number in each]).tobytes(), first

    def _kept(self) -> Iterator[int]:
        """The registers that hold constants or are in tables."""
        yield from [register.number for register in self._constants.values()]
        for name, table in self._tables.items():
            yield from range(table.number, table.number + 1 + len(self._items[name]))
            yield from [int(item) for item in self._first[table.number + 1 : table.number + 1 + len(self._items[name])]]

    # Statements

    def _block(self, statements: Sequence[ast.stmt]) -> None:
        place = 0
        while place < len(statements):
            place += self._statement(statements[place], statements[place + 1] if place + 1 < len(statements) else None)

    def _statement(self, statement: ast.stmt, following: Any) -> int:
        """Write a statement; how many it was with those that it is one with."""
        if type(statement) is ast.AugAssign:  # of `iterations`, and the test of whether there are more
            self._emit("tick")
            return 2
        if type(statement) is ast.If:
            self._choice(statement)
        elif type(statement) is ast.While:
            self._loop(statement)
        elif type(statement) is ast.Break:
            self._jump(self._breaks[-1])
        elif type(statement) is ast.Return:
            self._jump(self._said(statement))
        elif type(statement) is ast.Expr:
            self._done(statement.value)
        elif type(statement) is ast.Assign:
            return self._assignment(statement.targets[0], statement.value, following)
        return 1

    def _assignment(self, target: Any, value: Any, following: Any) -> int:
        if type(target) is ast.Name:
            if self._is_tested(target, following):
                following.test = _replaced(following.test, value)
                return 1
            self._value(value, target.id)
            return 1
        if type(value) is ast.Call:  # a sum, and whether it has left 64 bits, and the test of that
            self._emit(value.func.id, self._named_register(target.elts[0].id, "i"), *self._numbers(value.args))  # type: ignore[attr-defined]
            return 2
        names, values = [each.id for each in target.elts], [self._value(each) for each in value.elts]
        written: set[int] = set()
        for number, (name, given) in enumerate(zip(names, values, strict=True)):
            own = self._named_register(name, given.kind)
            written.add(own)
            later = [place for place, other in enumerate(values) if place > number and other.number == own]
            if later:
                kept = self._fresh(values[later[0]].kind)
                self._emit("move", kept.number, own)
                values = [kept if place in later else each for place, each in enumerate(values)]
            if own != values[number].number:
                self._emit("move", own, values[number].number)
        return 1

    def _is_tested(self, target: ast.Name, following: Any) -> bool:
        """Whether all that a value is for is the test of the next statement."""
        if self._uses[target.id] != 1 or type(following) is not ast.If:
            return False
        test = following.test.operand if type(following.test) is ast.UnaryOp and type(following.test.op) is ast.Not else following.test
        return type(test) is ast.Name and test.id == target.id

    def _choice(self, statement: ast.If) -> None:
        only: Any = statement.body[0]
        if type(only) is ast.Return:
            self._branch(statement.test, self._said(only), when=True)
            return
        if type(only) is ast.Break:
            self._branch(statement.test, self._breaks[-1], when=True)
            return
        otherwise, end = Label(), Label()
        self._branch(statement.test, otherwise, when=False)
        self._block(statement.body)
        if any(type(each) is not ast.Pass for each in statement.orelse):
            self._jump(end)
        self._put(otherwise)
        self._block(statement.orelse)
        self._put(end)

    def _loop(self, statement: ast.While) -> None:
        start, end = Label(), Label()
        self._put(start)
        self._breaks.append(end)
        self._block(statement.body)
        self._breaks.pop()
        self._jump(start)
        self._put(end)

    def _said(self, statement: ast.Return) -> Label:
        value: Any = statement.value
        return self._says.setdefault(value.elts[0].value, Label())

    def _done(self, call: Any) -> None:
        """What is called for what it does to arrays."""
        if call.func.id == "commit":
            self._emit("commit")
            return
        if call.func.id == "drop":
            self._emit("drop", self._table(call.args[0].id).number, *self._numbers(call.args[1:]))
            return
        of: Any = self._arrays[call.args[0].id]
        if call.func.id in ("room", "shift"):
            self._emit(call.func.id, of.number, *self._numbers(call.args[1:]))
            return
        *places, value = self._numbers(call.args[1:])
        letter = "b" if of.kind == "b" else "i"
        if len(places) == 1:
            self._emit(f"put_{letter}", of.number, places[0], value)
        else:
            self._emit(f"store_{letter}", of.number, self._offset(of, places), value)

    # Jumps

    def _branch(self, test: Any, label: Label, *, when: bool) -> None:
        """Jump if a condition is as it says."""
        if type(test) is ast.UnaryOp and type(test.op) is ast.Not:
            self._branch(test.operand, label, when=not when)
        elif type(test) is ast.BoolOp:
            if (type(test.op) is ast.Or) is when:
                for each in test.values:
                    self._branch(each, label, when=when)
                return
            beside = Label()
            for each in test.values[:-1]:
                self._branch(each, beside, when=not when)
            self._branch(test.values[-1], label, when=when)
            self._put(beside)
        elif type(test) is ast.Compare:
            self._compare(test, label, when=when)
        else:
            self._to(label, "if" if when else "unless", self._value(test).number)

    def _compare(self, test: ast.Compare, label: Label, *, when: bool) -> None:
        operands: list[Any] = [test.left, *test.comparators]
        if len(operands) > 2:
            pairs: list[ast.expr] = [ast.Compare(operands[at], [op], [operands[at + 1]]) for at, op in enumerate(test.ops)]
            self._branch(ast.BoolOp(ast.And(), pairs), label, when=when)
            return
        name, (a, b) = self._compared(test)
        if a.kind == "d":
            self._to(label, "if" if when else "unless", self._result(f"f{name}", "i", None, a.number, b.number).number)
            return
        if not when:
            name, (a, b) = _OTHERWISE[name], (a, b) if name in ("eq", "ne") else (b, a)
        self._to(label, f"if{name}", a.number, b.number)

    def _compared(self, test: ast.Compare) -> tuple[str, tuple[Register, Register]]:
        """The comparison of two numbers, the smaller one first."""
        a, b = self._alike(test.left, test.comparators[0])
        return _COMPARED[type(test.ops[0])], (b, a) if type(test.ops[0]) in (ast.Gt, ast.GtE) else (a, b)

    def _jump(self, label: Label) -> None:
        self._to(label, "jump")

    def _to(self, label: Label, name: str, a: int = 0, b: int = 0) -> None:
        label.jumps.append(len(self._code))
        self._emit(name, a, b, label.place)

    def _put(self, label: Label) -> None:
        label.place = len(self._code)
        for jump in label.jumps:
            self._code[jump][3] = label.place

    # Numbers

    def _numbers(self, values: Sequence[Any]) -> list[int]:
        return [self._value(value).number for value in values]

    def _value(self, value: Any, name: str | None = None) -> Register:
        """The register of a number: that of the name, where one is given."""
        if type(value) is ast.Name or type(value) is ast.Constant:
            found = self._known(value)
            if name is None:
                return found
            return self._result("move", found.kind, name, found.number)
        if type(value) is ast.UnaryOp:
            return self._unary(value, name)
        if type(value) is ast.BinOp:
            a, b = self._alike(value.left, value.right)
            return self._result(("f" if a.kind == "d" else "") + _BINARY[type(value.op)], a.kind, name, a.number, b.number)
        if type(value) is ast.Compare:
            compared, (a, b) = self._compared(value)
            return self._result(("f" if a.kind == "d" else "") + compared, "i", name, a.number, b.number)
        if type(value) is ast.BoolOp:
            return self._result("and" if type(value.op) is ast.And else "or", "i", name, *self._numbers(value.values))
        if type(value) is ast.IfExp:
            return self._chosen(value, name)
        if type(value) is ast.Subscript:  # a size
            base: Any = value.value
            return self._result("size", "i", name, self._arrays[base.value.id].number, value.slice.value)  # type: ignore[attr-defined]
        return self._called(value, name)

    def _alike(self, left: Any, right: Any) -> tuple[Register, Register]:
        """Two numbers of one kind: a float beside an integer makes a float of it."""
        a, b = self._value(left), self._value(right)
        if a.kind != b.kind:
            a, b = (each if each.kind == "d" else self._result("float", "d", None, each.number) for each in (a, b))
        return a, b

    def _known(self, value: Any) -> Register:
        if type(value) is ast.Name and value.id in self._names:
            return self._names[value.id]
        number: Any = self._named[value.id] if type(value) is ast.Name else value.value
        number = int(number) if type(number) is bool else number
        key = (type(number), _bytes(number))  # floats that are equal, or no numbers, may differ
        if key not in self._constants:
            self._constants[key] = self._fresh("i" if type(number) is int else "d")
            self._first[self._constants[key].number] = number
        return self._constants[key]

    def _unary(self, value: ast.UnaryOp, name: str | None) -> Register:
        if type(value.op) is ast.USub and type(value.operand) is ast.Constant:
            return self._value(ast.Constant(-value.operand.value), name)  # type: ignore[operator]
        operand = self._value(value.operand)
        if type(value.op) is ast.Not:
            return self._result("not", "i", name, operand.number)
        if type(value.op) is ast.Invert:
            return self._result("invert", "i", name, operand.number)
        return self._result("fneg" if operand.kind == "d" else "neg", operand.kind, name, operand.number)

    def _chosen(self, value: ast.IfExp, name: str | None) -> Register:
        """One of two names or constants."""
        first, second = self._value(value.body), self._value(value.orelse)
        otherwise, end = Label(), Label()
        self._branch(value.test, otherwise, when=False)
        result = self._result("move", first.kind, name, first.number)
        self._jump(end)
        self._put(otherwise)
        self._emit("move", result.number, second.number)
        self._put(end)
        return result

    def _called(self, call: Any, name: str | None) -> Register:
        if call.func.id == "item":
            of: Any = self._arrays[call.args[0].id]
            places = self._numbers(call.args[1:])
            letter, kind = of.kind, "d" if of.kind == "d" else "i"
            if len(places) == 1:
                return self._result(f"item_{letter}", kind, name, of.number, places[0])
            return self._result(f"load_{letter}", kind, name, of.number, self._offset(of, places))
        if call.func.id == "pick":
            table = self._table(call.args[0].id)
            return self._result("pick", table.kind, name, table.number, *self._numbers(call.args[1:]))
        if call.func.id == "place":
            return self._result("place", "i", name, *self._numbers(call.args))
        if call.func.id == "find":  # the register of the result holds the count before
            result = self._value(call.args[2], name)
            self._emit("find", result.number, self._arrays[call.args[0].id].number, self._value(call.args[1]).number)
            return result
        operand = self._value(call.args[0])
        function = {"isfinite": "finite"}.get(call.func.id, call.func.id)
        if function in ("float", "int"):
            kind = "d" if function == "float" else "i"
            return self._result("move" if operand.kind == kind else function, kind, name, operand.number)
        return self._result(function, _CALLS[function], name, operand.number)

    def _table(self, name: str) -> Register:
        """Where a table begins, and the kind of its items: the registers from there on hold how
        many there are, and the register of each.
        """
        if name not in self._tables:
            items = [self._value(ast.parse(text, mode="eval").body) for text in self._items[name]]
            self._tables[name] = Register(len(self._first), items[0].kind)
            self._first += [len(items), *[item.number for item in items]]
        return self._tables[name]

    def _offset(self, of: Given, places: Sequence[int]) -> int:
        """The register of where an element lies."""
        offset = self._fresh("i").number
        for axis, place in enumerate(places):
            self._emit("at", offset, of.number * MOST_AXES + axis, place)
        return offset

    # Instructions

    def _emit(self, name: str, a: int = 0, b: int = 0, c: int = 0) -> None:
        self._code.append([self._operations[name], a, b, c])

    def _result(self, operation: str, kind: str, name: str | None, *operands: int) -> Register:
        number = self._fresh(kind).number if name is None else self._named_register(name, kind)
        self._emit(operation, number, *operands)
        return Register(number, kind)

    def _named_register(self, name: str, kind: str) -> int:
        if name not in self._names:
            self._names[name] = self._fresh(kind)
        return self._names[name].number

    def _fresh(self, kind: str) -> Register:
        self._first.append(0)
        return Register(len(self._first) - 1, kind)


def _bytes(number: int | float) -> bytes:
    return array("q" if type(number) is int else "d", [number]).tobytes()


def _replaced(test: Any, value: Any) -> Any:
    return ast.UnaryOp(ast.Not(), value) if type(test) is ast.UnaryOp else value
