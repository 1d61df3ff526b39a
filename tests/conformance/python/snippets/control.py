"""Statements: loops, conditions, unpacking, assignment, operators, containers. Every function is one case; it returns or raises."""

# ruff: noqa


def while_else():
    n, seen = 0, []
    while n < 3:
        seen.append(n)
        n += 1
    else:
        seen.append("else")
    return seen


def while_break_skips_else():
    n = 0
    while True:
        n += 1
        if n == 5:
            break
    else:
        n = -1
    return n


def for_else():
    out = []
    for i in range(4):
        if i == 2:
            continue
        out.append(i)
    else:
        out.append("else")
    return out, i


def for_break():
    for i in "abc":
        if i == "b":
            break
    else:
        i = "none"
    return i


def nested_loops():
    return [(i, j) for i in range(3) for j in range(i) if (i + j) % 2]


def loop_over_dict_views():
    d = {"a": 1, "b": 2}
    return [*d], [*d.keys()], [*d.values()], [*d.items()], [k + str(v) for k, v in d.items()]


def dict_changed_while_iterating():
    d = {1: 1}
    for k in d:
        d[k + 1] = 1


def loop_variable_survives():
    for x in [1, 2, 3]:
        pass
    return x


def empty_loop_leaves_variable_unbound():
    for x in []:
        pass
    return x  # noqa: F821


def conditional_expression():
    return [("even" if i % 2 == 0 else "odd") for i in range(3)]


def and_or_values():
    return (0 or "x", 1 and "y", "" or 0 or None, 1 and 2 and 3, [] and 1, not [] and 5)


def and_or_order():
    log = []

    def note(value):
        log.append(value)
        return value

    note(0) and note(1)
    note(2) or note(3)
    if note(0) or (note(4) and not note(0)):
        note("in")
    return log


def chained_comparison():
    log = []

    def note(value):
        log.append(value)
        return value

    return note(1) < note(2) < note(2) < note(9), 3 > 2 >= 2 != 5, log


def not_in_boolean_context():
    return [not x for x in (0, 1, "", "a", None, [], [0], 0.0, {}, {1: 1})]


def is_and_none_jumps():
    out = []
    for x in (None, 0, False):
        if x is None:
            out.append("none")
        if x is not None:
            out.append("some")
    return out


def walrus():
    data = iter([1, 2, 3, 0, 4])
    out = []
    while (x := next(data)) != 0:
        out.append(x)
    return out, x, [y := 1, y + 1], (z := [w := 3])[0] + w + len(z)


def walrus_in_comprehension():
    return [last := i for i in range(4)], last


def unpack_tuple():
    a, b = 1, 2
    a, b = b, a
    (c, (d, e)), f = (3, [4, 5]), 6
    return a, b, c, d, e, f


def unpack_star():
    a, *b = range(4)
    *c, d = "xyz"
    e, *f, g = [1, 2]
    (h, *i), *j = [[1, 2, 3], 4, 5]
    return a, b, c, d, e, f, g, h, i, j


def unpack_generator():
    def gen():
        yield 1
        yield 2
        yield 3

    a, b, c = gen()
    d, *e = gen()
    return a, b, c, d, e


def unpack_too_few():
    a, b, c = [1, 2]


def unpack_too_many():
    a, b = iter("abc")


def unpack_too_few_star():
    a, *b, c = [1]


def unpack_not_iterable():
    a, b = 5


def unpack_error_inside():
    def gen():
        yield 1
        raise KeyError("inside")

    a, b = gen()


def augmented_assignment():
    x = 7
    x += 1
    x -= 2
    x *= 3
    x //= 2
    x **= 2
    x %= 50
    x <<= 2
    x >>= 1
    x |= 1
    x ^= 3
    x &= 0xFF
    y = 7.0
    y /= 2
    return x, y


def augmented_items():
    d = {"a": [1], "b": {"c": 1}}
    d["a"] += [2]
    d["b"]["c"] += 5
    lst = [1, 2, 3]
    lst[-1] *= 10
    lst[0:1] += [9]
    return d, lst


def augmented_attribute():
    class Box:
        value = 1

    box = Box()
    box.value += 4
    return box.value, Box.value


def augmented_tuple_item_fails():
    t = ([],)
    try:
        t[0] += [1]
    except TypeError as error:
        return str(error), t


def slices():
    x = list(range(10))
    s = slice(1, 8, 3)
    y = x[:]
    y[2:4] = "ab"
    del y[:1]
    y[::3] = [0] * len(y[::3])
    return x[1:3], x[::-2], x[s], x[-3:], y, "hello"[1:-1], (1, 2, 3)[::2]


def slice_assignment_of_wrong_size():
    x = [1, 2, 3]
    x[::2] = [1]


def delete_names():
    x = 1
    del x
    return x  # noqa: F821


def delete_items():
    d = {1: 2, 3: 4}
    del d[1]
    lst = [1, 2, 3]
    del lst[1], lst[0]
    return d, lst


def delete_missing_item():
    d = {}
    del d["missing"]


def arithmetic():
    return 7 // 2, -7 // 2, 7 % -3, 2**10, 2**-1, 7 / 2, 1 << 4, 255 >> 3, 6 & 3, 6 | 3, 6 ^ 3, ~5, -(-3), +True, 5 @ 1 if False else None


def division_by_zero():
    return 1 / 0


def bad_operands():
    return 1 + "a"


def bad_comparison():
    return 1 < "a"


def bad_unary():
    return -"a"


def bad_subscript():
    x = 5
    return x[0]


def bad_call():
    x = 5
    return x()


def bad_attribute():
    return (5).nothing


def list_index_error():
    return [1, 2][5]


def key_error():
    return {"a": 1}["b"]


def contains():
    return 1 in [1, 2], 3 not in (1, 2), "a" in "cat", "x" in {"x": 1}, 5 in range(10), None in [None], 1.0 in {1}


def contains_not_iterable():
    return 1 in 5


def identity():
    a = []
    return a is a, a is not [], None is None


def containers():
    a, b = [1, 2], {"k": 1}
    return [*a, 3, *a], (*a, *"xy"), {*a, 2}, {**b, "z": 2, **{"k": 5}}, [], (), {}, set()


def container_spread_not_iterable():
    return [*5]


def dict_spread_not_mapping():
    return {**[1]}


def unhashable_key():
    return {[]: 1}


def unhashable_set():
    return {[]}
