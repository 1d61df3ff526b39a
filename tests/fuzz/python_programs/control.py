"""Simple statements, branches, loops, exceptions, context managers, ``match``."""

from __future__ import annotations

from tests.fuzz.python_programs.expressions import Expressions, indented

RAISED = ["Err", "Sub", "Keyed", "ValueError", "KeyError", "TypeError", "StopIteration"]
HANDLERS = ["Sub", "Err", "Keyed", "(ValueError, KeyError)", "ZeroDivisionError", "IndexError", "LookupError", "Exception", "RuntimeError"]
GROUP_HANDLERS = ["Sub", "Err", "ValueError", "(KeyError, TypeError)", "LookupError", "ExceptionGroup", "ZeroDivisionError"]


class Control(Expressions):
    SIMPLE = ("assign", "augment", "log", "container", "unpack", "raise_", "leave", "suspend", "unbound")
    COMPOUND = ("if_", "for_", "while_", "try_", "try_finally", "try_star", "with_", "match", "match_class")

    # simple statements

    def risky(self, line: str) -> list[str]:
        """A statement that may well raise: mostly the program catches it."""
        if self.rng.random() < 0.2:
            return [line]
        return [
            "try:",
            f"    {line}",
            "except (LookupError, TypeError, ValueError, NameError, AttributeError) as error:",
            "    log.append(story(error))",
        ]

    def assign(self) -> list[str]:
        kind = self.rng.random()
        if kind < 0.5:
            return [f"{self.pick(self.ints[:3])} = {self.int_()}"]
        if kind < 0.8:
            return [f"{self.pick(self.lists)} = {self.list_()}"]
        return [f"{self.pick(self.strings)} = {self.string()}"]

    def augment(self) -> list[str]:
        return [
            f"{self.pick(self.ints[:3])} {self.pick(['+=', '-=', '*=', '^=', '|='])} {self.int_()}",
            *(f"i{j} %= 1009" for j in range(3)),
        ]

    def log(self) -> list[str]:
        return [f"log.append({self.pick([self.int_, self.list_, self.string, self.cond])})"]

    def container(self) -> list[str]:
        d, entries = self.pick(self.dicts), self.pick(self.lists)
        return self.pick(
            [
                lambda: [f"{d}[{self.int_()}] = {self.int_()}"],
                lambda: [f"{entries}.append({self.int_()})", f"del {entries}[6:]"],
                lambda: [f"{entries}[{self.int_(2)}:{self.int_(2)}] = {self.list_()}", f"del {entries}[6:]"],
                lambda: self.risky(f"{entries}[{self.int_(2)}] {self.pick(['=', '+=', '-='])} {self.int_()}"),
                lambda: [f"{d}.pop({self.int_()}, None)"],
                lambda: self.risky(f"del {d}[{self.int_(2)}]"),
                lambda: [f"{d} = {{q: q * {self.int_(2)} for q in {self.list_()}}}"],
                lambda: [f"{d} |= collections.Counter({self.list_()})"],
                lambda: [f"{d} = {{**{d}, {self.int_(2)}: {self.int_(2)}}}"],
                lambda: [f"{d}.setdefault({self.int_(2)}, {self.int_(2)})"],
                lambda: [f"{entries}.sort(key=lambda q: -q)"],
                lambda: [f"{entries} *= {self.int_(2)} % 3"],
                lambda: self.risky(f"{entries}.{self.pick(['remove', 'index'])}({self.int_(2)})"),
            ]
        )

    def unpack(self) -> list[str]:
        return self.pick(
            [
                lambda: [f"i0, *l0, i1 = {self.list_()} + [1, 2]"],
                lambda: self.risky(f"i0, i1 = {self.list_()}"),
                lambda: ["i0, i1 = i1, i0"],
                lambda: [f"(i2, (i1, *l1)) = ({self.int_()}, [{self.int_()}, 3, 4])"],
                lambda: [f"for i1, i2 in enumerate({self.list_()}): pass"],
                lambda: [f"i0 = i1 = {self.int_()}"],
                lambda: self.risky(f"l0[{self.int_(2)}], i2 = {self.int_(2)}, 7"),
                lambda: [f"[i0, *_], i1 = ({self.list_()} or [0]), {self.int_(2)}"],
                lambda: [f"if (i0 := {self.int_()}) > (i1 := {self.int_(2)}): log.append((i0, i1))"],
            ]
        )

    def raise_(self) -> list[str]:
        if self.rng.random() < (0.5 if self.depth else 0.85):
            return self.assign()
        value = self.int_(1)
        error = self.pick(
            [
                lambda: f"{self.pick(RAISED)}({value})",
                lambda: f"{self.pick(RAISED)}",
                lambda: f"ExceptionGroup('group', [{self.pick(RAISED)}({value}), Sub(2), ExceptionGroup('in', [KeyError(1), Err(3)])])",
                lambda: f"noted({value})",
            ]
        )
        if error.startswith("noted"):
            raising = [f"e = {self.pick(RAISED)}({value})", f"e.add_note(f'note {{{self.int_(2)}}}')", "raise e"]
        else:
            raising = [
                f"raise {error if error not in ('Err', 'Sub', 'Keyed') else 'LookupError'}{self.pick(['', '', ' from None', ' from Err(0)'])}"
            ]
        return [f"if {self.cond()}:", *indented(raising)]

    def leave(self) -> list[str]:
        """Leaves the routine or the program's function early."""
        if self.depth == 0 or self.routine == "class" or self.rng.random() < 0.7:
            return self.log()
        value = {"none": f"log, {', '.join(self.names)}", "asyncgen": ""}.get(self.routine, self.int_(1))
        return [f"if {self.cond()}: return {value}"]

    def suspend(self) -> list[str]:
        """``yield`` and ``await`` where they may stand."""
        if self.routine in ("generator", "asyncgen"):
            choices = [[f"yield {self.int_(1)}"], [f"got = yield {self.int_(1)}", "log.append(('got', got))"]]
            if self.routine == "generator":
                choices += [[f"i0 = (yield from {self.list_()}) or 2"], [f"log.append((yield from (q * 2 for q in {self.list_()})))"]]
            return self.pick(choices)
        if self.routine == "async":
            return self.pick(
                [
                    [f"i1 = await Tick({self.int_(2)}, 2)"],
                    [f"log.append([q async for q in ticking(log, {self.int_(2)} % 4) if await Tick(q)])"],
                    [f"log.append({{await Tick(q): q for q in {self.list_()}}})"],
                    [f"log.append(await anext(ticking(log, {self.int_(2)}), 'none'))"],
                ]
            )
        return self.assign()

    def unbound(self) -> list[str]:
        if self.rng.random() < 0.6:
            return self.augment()
        name = self.fresh("u")
        return self.pick(
            [
                [f"if {self.cond()}: {name} = 3", *self.risky(f"log.append({name})")],
                [f"{name} = {self.int_(2)}", f"del {name}", f"log.append(attempt(lambda: {name}))", f"{name} = 2"],
                [f"log.append(attempt(lambda: missing_{name}))"],
            ]
        )

    # branches and loops

    def if_(self) -> list[str]:
        out = [f"if {self.cond()}:", *self.nested()]
        if self.rng.random() < 0.4:
            out += [f"elif {self.cond()}:", *self.nested()]
        if self.rng.random() < 0.5:
            out += ["else:", *self.nested()]
        return out

    def loop_body(self) -> list[str]:
        self.loop_depth += 1
        body = self.nested()
        if self.rng.random() < 0.4:
            body += [f"    if {self.cond()}: {self.pick(['break', 'continue'])}"]
        if self.rng.random() < 0.15:
            jump = self.pick(["break", "continue"])
            body = indented(["try:", *body, "finally:", "    log.append('iteration')", f"    if {self.cond()}: {jump}"])
        self.loop_depth -= 1
        return body

    def otherwise(self) -> list[str]:
        return ["else:", *self.nested(1)] if self.rng.random() < 0.3 else []

    def for_(self) -> list[str]:
        if self.loop_depth >= 2:
            return self.assign()
        sources = [
            f"range({self.rng.randint(0, 4)})",
            f"{self.list_()}[:4]",
            "reversed(l0[:3])",
            "list(d0)[:3]",
            "Countdown(3)",
            "d0",
            "{3, 1}",
        ]
        head = self.pick(
            [
                f"for {self.pick(self.ints[:3])} in {self.pick(sources)}:",
                f"for i0, (i1, *l1) in zip({self.list_()}, [[1, 2], range(2), (3,)]):",
            ]
        )
        return [head, *self.loop_body(), *self.otherwise()]

    def while_(self) -> list[str]:
        if self.loop_depth >= 2:
            return self.assign()
        var = self.fresh("w")
        body = self.loop_body()
        return [f"{var} = 0", f"while {var} < {self.rng.randint(1, 4)} and {self.cond()}:", f"    {var} += 1", *body, *self.otherwise()]

    # exceptions

    def try_(self) -> list[str]:
        out = ["try:", *self.nested()]
        handlers = self.rng.sample(HANDLERS, self.rng.randint(0, 3))
        for handler in handlers:
            name = self.fresh("e")
            out += [f"except {handler} as {name}:", f"    log.append(story({name}))", *self.nested(1)]
            if self.rng.random() < 0.3:
                tails = ["raise", f"raise {name}", f"raise Sub(1) from {name}", "raise KeyError(3)", f"{name}.add_note('seen')\n    raise"]
                out += indented(self.pick(tails).split("\n    "))
        if handlers and self.rng.random() < 0.3:
            out += ["else:", *self.nested(1)]
        if not handlers or self.rng.random() < 0.4:
            out += ["finally:", "    log.append('finally')", *self.nested(1)]
        return out

    def try_finally(self) -> list[str]:
        return ["try:", *self.nested(1), *indented(self.raise_()), "finally:", *indented(self.try_() if self.depth < 2 else self.log())]

    def try_star(self) -> list[str]:
        out = ["try:", *self.nested(1), *indented(self.raise_()), *indented(self.raise_())]
        for handler in self.rng.sample(GROUP_HANDLERS[:5] + GROUP_HANDLERS[6:], self.rng.randint(1, 3)):
            name = self.fresh("e")
            tail = self.pick(["pass", "pass", "pass", "raise", "raise Sub(9)", f"raise ValueError(1) from {name}"])
            out += [f"except* {handler} as {name}:", f"    log.append(story({name}))", *indented(self.assign()), f"    {tail}"]
        if self.rng.random() < 0.3:
            out += ["finally:", *self.nested(1)]
        return out

    # context managers

    def with_(self) -> list[str]:
        if self.routine == "async" and self.rng.random() < 0.4:
            return [f"async with AsyncManaged(log, {self.cond()}) as i1:", *self.nested()]
        head = self.pick(
            [
                f"with Managed(log, {self.cond()}) as i1:",
                f"with managed(log, {self.int_(2)}) as i2:",
                "with Managed(log, True), managed(log, 3) as i0:",
                "with (Managed(log, False) as i0, managed(log, 4) as i1,):",
                "with contextlib.suppress(Err, LookupError):",
                f"with contextlib.nullcontext({self.int_(2)}) as i0:",
            ]
        )
        if self.rng.random() < 0.25:
            steps = [
                "stack.callback(log.append, 'callback')",
                "i0 = stack.enter_context(Managed(log, True))",
                "i1 = stack.enter_context(managed(log, 2))",
            ]
            return ["with contextlib.ExitStack() as stack:", *indented(self.rng.sample(steps, 2)), *self.nested()]
        return [head, *self.nested()]

    # match

    def match(self) -> list[str]:
        subject = self.pick([self.list_, "(i0, i1)", "{'k': i0, 'z': l0}", "i0", "s0", "d0", "[[1, i0], {'k': 2}]"])
        return [
            f"match {subject}:",
            "    case [i1, i2]:",
            *indented(self.nested(1)),
            "    case [[1, i1], {'k': i2}]:",
            "        log.append('nested')",
            "    case [i1, *_] if i1 > 2:",
            "        log.append(('star', i1))",
            "    case [*_, 3] | [3, *_]:",
            "        log.append('or')",
            "    case {'k': i1, **rest}:",
            "        log.append(sorted(rest))",
            "    case int(i2) | str(i2):",
            "        log.append('scalar')",
            "        i2 = 5",
            "    case _:",
            *indented(self.nested(1)),
        ]

    def match_class(self) -> list[str]:
        subject = self.pick(
            [f"Point({self.int_(1)}, {self.int_(2)})", f"Pair({self.int_(2)})", "Color(i0 % 3 + 1)", "(Point(1), i0)", "i0", "None"]
        )
        return [
            f"match {subject}:",
            "    case Point(0 | 1 | 2 as i1, y=2) if i1 % 2:",
            *indented(self.nested(1)),
            "    case Point(x=i1, y=i2):",
            "        log.append(('point', i1, i2))",
            "    case Color.RED | Color.BLUE:",
            "        log.append('color')",
            "    case (left, right) as pair:",
            "        log.append((type(pair).__name__, kind_of(left), right))",
            "    case None | True:",
            "        log.append('singleton')",
            "    case int() as i1 if (i2 := i1 % 7) > 2:",
            "        log.append(i2)",
            "    case other:",
            "        log.append(type(other).__name__)",
        ]
