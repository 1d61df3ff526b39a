"""Statements around the standard library: functools, itertools, collections, heapq, operator, strings."""

from __future__ import annotations

from tests.fuzz.python_programs.expressions import Expressions


class Library(Expressions):
    SIMPLE = ("functional", "itertools", "collections", "text")
    COMPOUND = ("ordering",)

    def functional(self) -> list[str]:
        a = lambda: self.int_(2)
        return self.pick(
            [
                lambda: ["push = l0.append", f"push({self.int_()})", "del l0[6:]"],
                lambda: [f"i0 = operator.itemgetter(0)({self.list_()} + [1])"],
                lambda: [f"i1 = functools.partial(lambda p, q=2: p - q, q={a()})(i0)"],
                lambda: [f"log.append(functools.reduce(operator.add, {self.list_()}, {a()}))"],
                lambda: [f"log.append(kind_of({self.pick([self.int_(1), 's0', '(l0, i0, s0)', 'True'])}))"],
                lambda: [f"log.append(operator.methodcaller('count', {a()})({self.list_()}))"],
                lambda: [f"log.append(list(map(operator.mul, {self.list_()}, {self.list_()})))"],
                lambda: [f"log.append(max({self.list_()}, default='empty', key=abs))"],
                lambda: [f"log.append(inspect.signature(lambda p, *q, r={a()}: p).parameters['r'].default)"],
                lambda: [f"log.append(attempt(inspect.signature(lambda p, q=1: p).bind, {a()}, z=1))"],
            ]
        )

    def itertools(self) -> list[str]:
        a = lambda: self.int_(2)
        return self.pick(
            [
                lambda: [f"log.append([(k, len(list(g))) for k, g in itertools.groupby({self.list_()}, key=lambda q: q % 2)])"],
                lambda: ["l1 = list(itertools.accumulate(l0[:5], lambda p, q: (p + 2 * q) % 50))"],
                lambda: [f"log.append(list(itertools.zip_longest({self.list_()}, l0, fillvalue={a()})))"],
                lambda: [f"log.append(list(itertools.product({self.list_()}[:2], s0[:2])))"],
                lambda: [f"log.append(list(itertools.starmap(lambda p, q: p - q, zip({self.list_()}, l0))))"],
                lambda: [f"left, right = itertools.tee(q * {a()} for q in l0)", "log.append((next(left, 0), list(right), list(left)))"],
                lambda: [f"log.append(list(itertools.dropwhile(lambda q: q < {a()}, {self.list_()})))"],
                lambda: [f"log.append(list(itertools.pairwise({self.list_()})))"],
                lambda: [f"log.append(list(itertools.compress(l0, {self.list_()})))"],
                lambda: [f"log.append(list(enumerate(reversed({self.list_()}), {a()})))"],
                lambda: [f"log.append(list(zip(*[iter({self.list_()})] * 2)))"],
            ]
        )

    def collections(self) -> list[str]:
        a = lambda: self.int_(2)
        return self.pick(
            [
                lambda: [
                    "groups = collections.defaultdict(list)",
                    f"for q in {self.list_()}: groups[q % 3].append(q)",
                    "log.append(dict(groups))",
                ],
                lambda: [
                    f"queue = collections.deque({self.list_()}, 3)",
                    f"queue.appendleft({a()})",
                    "queue.rotate(1)",
                    "log.append(list(queue))",
                ],
                lambda: [f"log.append(collections.ChainMap({{1: {a()}}}, d0)[1])"],
                lambda: [f"log.append(collections.Counter({self.list_()}).most_common(2))"],
                lambda: [
                    "od = collections.OrderedDict(sorted(d0.items()))",
                    "if od: od.move_to_end(next(iter(od)))",
                    "log.append(list(od))",
                ],
                lambda: [
                    f"heap = list({self.list_()})",
                    "heapq.heapify(heap)",
                    f"heapq.heappush(heap, {a()})",
                    "log.append(heapq.heappop(heap))",
                ],
                lambda: [f"log.append(bisect.bisect(sorted(l0), {a()}))"],
                lambda: [f"log.append(set({self.list_()}) ^ set(l0) == set(l0) - {{{a()}}})"],
                lambda: [f"log.append(sorted(frozenset({self.list_()}) | {{{a()}}} & set(l1)))"],
                lambda: [f"log.append((dict(zip(s0, {self.list_()})), d0.keys() & {{1, {a()}}} == {{1}}))"],
                lambda: ["deep = copy.deepcopy([l0, d0, l0])", "deep[0].append(1)", "log.append((deep, deep[0] is deep[2]))"],
                lambda: [f"log.append(types.SimpleNamespace(p={a()}, q=l0).q[:2])"],
            ]
        )

    def text(self) -> list[str]:
        a = lambda: self.int_(2)
        return self.pick(
            [
                lambda: ["log.append('{:>3}|{!r}'.format(i0, s0))"],
                lambda: [f"log.append(s0.translate(str.maketrans('abn', 'xyz')).find({self.string()}))"],
                lambda: [f"log.append({self.string()}.encode()[:5].hex())"],
                lambda: [f"log.append(re.findall('([a-z])(.?)', {self.string()})[:3])"],
                lambda: [f"log.append([c for c in {self.string()} if c in string.digits])"],
                lambda: [f"log.append(f'{{{a()}:+06.1f}}{{{a()}:x}}{{s0:>{{i0 % 9}}}}')"],
                lambda: [f"log.append(attempt(int, {self.string()}))"],
                lambda: ["s0 = ''.join(sorted(s0))[::-1]"],
                lambda: [f"log.append(s0.split({self.pick([repr('a'), repr('an'), 'None'])}, {a()}))"],
            ]
        )

    def ordering(self) -> list[str]:
        if self.depth >= 2:
            return self.text()
        name = self.fresh("O")
        return [
            "@functools.total_ordering",
            f"class {name}:",
            "    def __init__(self, key): self.key = key",
            "    def __eq__(self, other): return self.key == other.key",
            "    def __lt__(self, other):",
            *("    " + line for line in self.body("def", 1)),
            "        return self.key % 5 < other.key % 5",
            f"o, p = {name}({self.int_(2)}), {name}({self.int_(2)})",
            "log.append((o >= p, o <= p, o > p, max(o, p).key, [q.key for q in heapq.merge([o], [p])], sorted([p, o, p])[0].key))",
        ]
