"""Control flow over what is known: ``if``, loops, ``match``, conditional expressions, comprehensions, unpacking."""

import numpy as np


def if_on_shape(x, y):
    if x.shape[0] > 2:
        return x + y
    return x - y


def if_on_dtype(x, y):
    return x * 2 if x.dtype == np.float64 else x


def elif_chain(x, y):
    n = x.ndim
    if n == 0:
        return x
    elif n == 1:
        return x + 1
    elif n == 2:
        return x + 2
    else:
        return x + 3


def nested_if(x, y):
    if x.ndim == 2:
        if y.ndim == 1:
            if x.shape[1] == y.shape[0]:
                return x @ y
    return x


def and_or(x, y):
    flag = x.ndim == 2 and y.ndim == 1 or None
    return x if flag else y


def and_or_values(x, y):
    a = None or x
    b = [] and y
    return a + len(b)


def not_operator(x, y):
    return x if not x.ndim == 3 else y


def chained_comparison(x, y):
    return x if 1 < x.ndim <= 2 < 3 else y


def while_loop(x, y):
    n = 0
    while n < 4:
        x = x * 1.5 + n
        n += 1
    return x


def while_else(x, y):
    n = 3
    while n:
        n -= 1
    else:
        x = x + 10
    return x


def while_break_else(x, y):
    n = 0
    while True:
        n += 1
        if n == 3:
            break
    else:
        x = x * 0
    return x * n


def for_range(x, y):
    for i in range(5):
        x = x + i * y
    return x


def for_range_step(x, y):
    for i in range(10, 0, -3):
        x = x + i
    return x


def for_continue(x, y):
    for i in range(6):
        if i % 2:
            continue
        x = x + i
    return x


def for_else(x, y):
    for i in range(3):
        x = x + i
    else:
        x = x * 2
    return x


def for_break_else(x, y):
    for i in range(9):
        if i == 2:
            break
        x = x + 1
    else:
        x = x * 0
    return x


def for_rows(x, y):
    total = y * 0
    for row in x:
        total = total + row * y
    return total


def for_columns(x, y):
    return [column.sum() for column in x.T]


def for_enumerate(x, y):
    out = []
    for i, row in enumerate(x, start=1):
        out.append(row * i)
    return out


def for_zip(x, y):
    out = []
    for a, b in zip(x, [1, 2, 3]):
        out.append(a * b)
    return out


def for_zip_strict(x, y):
    return [a * b for a, b in zip(x, (1, 2, 3), strict=True)]


def for_reversed(x, y):
    out = y
    for i in reversed(range(4)):
        out = out * 2 + i
    return out


def nested_loops(x, y):
    for i in range(3):
        for j in range(2):
            if j > i:
                break
            x = x + i * j
    return x


def loop_variable_after(x, y):
    for i in range(3):
        pass
    return x * i


def conditional_expression(x, y):
    return (x if y.ndim == 1 else y) + (1 if x.ndim else 2)


def walrus(x, y):
    if (n := x.shape[0]) > 2:
        return x * n
    return x


def walrus_in_comprehension(x, y):
    return [last := row * 2 for row in x], last


def list_comprehension(x, y):
    return [x * i for i in range(3)]


def list_comprehension_filter(x, y):
    return [x * i for i in range(6) if i % 2 if i > 1]


def nested_comprehension(x, y):
    return [[row[j] * i for j in range(2)] for i, row in enumerate(x)]


def double_comprehension(x, y):
    return [x + i * j for i in range(2) for j in range(3)]


def dict_comprehension(x, y):
    return {f"k{i}": x[i] for i in range(3)}


def set_comprehension(x, y):
    sizes = {n % 3 for n in range(7)}
    return x * len(sizes)


def comprehension_scope(x, y):
    i = 7
    rows = [i for i in x]
    return rows[0] * i


def comprehension_closure(x, y):
    fs = [lambda a, i=i: a * i for i in range(3)]
    return [f(x) for f in fs]


def late_binding(x, y):
    fs = [lambda a: a * i for i in range(3)]
    return [f(x) for f in fs]


def generator_expression(x, y):
    return sum(row * 2 for row in x)


def tuple_unpacking(x, y):
    a, b, c = x
    return a + b * c


def star_unpacking(x, y):
    first, *rest = x
    return first, rest


def star_middle(x, y):
    a, *b, c = range(5)
    return x * a + sum(b) + c


def nested_unpacking(x, y):
    (a, b), [c, *d] = (x, y), (1, 2, 3)
    return a * c + b + len(d)


def swap(x, y):
    a, b = x, y
    a, b = b, a
    return a, b


def starred_list(x, y):
    return [*x, y]


def starred_dict(x, y):
    a = {"x": x, "k": 1}
    return {**a, "k": y}


def augmented_name(x, y):
    x = x + 0
    x += y
    x *= 2
    x -= 1
    x /= 3
    x **= 2
    return x


def augmented_item(x, y):
    d = {"a": 1}
    d["a"] += 2
    l = [1, 2]
    l[0] *= 5
    return x * d["a"] + l[0]


def augmented_attribute(x, y):
    class Box:
        v = 1

    box = Box()
    box.v += 4
    return x * box.v


def delete_name(x, y):
    z = x + 1
    del x
    try:
        return x  # noqa: F821
    except UnboundLocalError:
        return z


def delete_item(x, y):
    d = {"a": x, "b": y}
    del d["a"]
    return d


def delete_slice(x, y):
    items = [x, y, x, y]
    del items[1:3]
    return items


def assert_static(x, y):
    assert x.ndim == 2, "two dimensions"
    return x


def assert_fails(x, y):
    try:
        assert x.ndim == 3, f"rank {x.ndim}"
    except AssertionError as error:
        return x, str(error)


def multiple_targets(x, y):
    a = b = x + 1
    return a, b, a is b


def identity_tests(x, y):
    z = x
    return x if z is x and z is not y and x is not None else y


def membership(x, y):
    return x if "a" in {"a": 1} and 3 not in [1, 2] and x.ndim in (1, 2) else y


def short_circuit_calls(x, y):
    calls = []

    def note(value):
        calls.append(value)
        return value

    note(0) and note(1)
    note(2) or note(3)
    return x * len(calls)


def match_literal(x, y):
    match x.ndim:
        case 1:
            return x
        case 2:
            return x * 2
        case _:
            return y


def match_or(x, y):
    match x.shape[0]:
        case 1 | 2:
            return x
        case 3 | 4:
            return x * 3
    return y


def match_sequence(x, y):
    match x.shape:
        case (a,):
            return x * a
        case (a, b):
            return x * a + b


def match_star(x, y):
    match [1, 2, 3, 4]:
        case [first, *rest, last]:
            return x * first + sum(rest) * last


def match_mapping(x, y):
    match {"kind": "add", "value": 3, "more": 1}:
        case {"kind": "mul", "value": v}:
            return x * v
        case {"kind": "add", "value": v, **rest}:
            return x + v + len(rest)


def match_class(x, y):
    class Point:
        __match_args__ = ("a", "b")

        def __init__(self, a, b):
            self.a, self.b = a, b

    match Point(x, 2):
        case Point(a, 3):
            return a
        case Point(a, b=2):
            return a * 2


def match_guard(x, y):
    match x.shape:
        case (a, b) if a > b:
            return x
        case (a, b) if a < b:
            return x * b


def match_capture_type(x, y):
    out = []
    for item in (1, "s", 2.5, None, [1], x):
        match item:
            case int(n):
                out.append(n)
            case str() as s:
                out.append(s)
            case float():
                out.append("float")
            case None:
                out.append("none")
            case [n]:
                out.append(n)
            case np.ndarray():
                out.append(item + 1)
    return out


def match_value(x, y):
    class Kind:
        A = 1
        B = 2

    match 2:
        case Kind.A:
            return x
        case Kind.B:
            return x * 5


def match_nested(x, y):
    match {"op": ("scale", [2, {"by": 3}])}:
        case {"op": ("scale", [int(a), {"by": b}])}:
            return x * a * b


def fizzbuzz(x, y):
    out = x
    for i in range(1, 16):
        match (i % 3, i % 5):
            case (0, 0):
                out = out + 15
            case (0, _):
                out = out + 3
            case (_, 0):
                out = out + 5
            case _:
                out = out - 1
    return out


def early_returns(x, y):
    for i in range(10):
        for j in range(10):
            if i * j == 42:
                return x * i + j
    return x


def collatz(x, y):
    n, steps = 27, 0
    while n != 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return x + steps


def sieve(x, y):
    flags = [True] * 50
    for i in range(2, 8):
        if flags[i]:
            for j in range(i * i, 50, i):
                flags[j] = False
    primes = [i for i in range(2, 50) if flags[i]]
    return x * primes[-1] + len(primes)


def big_integers(x, y):
    return x * (2**70 % 1000003), 2**70


def integer_semantics(x, y):
    return [7 // 2, -7 // 2, 7 % -3, divmod(-7, 2), 1 << 10, 0xFF & 0x0F, 5 ^ 3, ~5, True + True], x


def float_semantics(x, y):
    return [0.1 + 0.2, 1e300 * 1e10, float("inf") - 1, 7.5 // 2, -7.5 % 2, round(2.5), round(0.125, 2)], x


def complex_numbers(x, y):
    z = (1 + 2j) * (3 - 1j)
    return x * z.real + z.imag, abs(3 + 4j)
