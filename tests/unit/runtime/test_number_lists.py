"""Programs that take every number of an array make one list of them."""

import numpy as np
import pytest

from npexport import export

FLOATS, ROWS = np.arange(5.0), np.arange(6.0).reshape(3, 2)

LISTS = {
    "floats": (lambda x: x.tolist(), FLOATS, 1),
    "halves": (lambda x: x.tolist(), FLOATS.astype(np.float16), 1),
    "integers": (lambda x: x.tolist(), np.arange(5, dtype=np.uint8), 1),
    "truths": (lambda x: x.tolist(), FLOATS > 2, 1),
    "rows": (lambda x: x.tolist(), ROWS, 1),
    "rows of one": (lambda x: x.tolist(), ROWS[:, :1], 1),
    "numbers of rows of one": (lambda x: [row.item() for row in x], ROWS[:, :1], 0),
    "a row": (lambda x: x[1].tolist(), ROWS, 1),
    "a row and all": (lambda x: [x[1].tolist(), x.tolist()], ROWS, 1),
    "all and a row": (lambda x: [x.tolist(), x[-1].tolist()], ROWS, 1),
    "a computed array": (lambda x: (x * 2).tolist(), ROWS, 1),
    "twice": (lambda x: (x.tolist(), x.tolist()), FLOATS, 1),
    "one list twice": (lambda x: [x.tolist()] * 2, FLOATS, 1),
    "a tuple": (lambda x: tuple(x.tolist()), FLOATS, 1),
    "backwards": (lambda x: x.tolist()[::-1], FLOATS, 1),
    "one by one": (lambda x: [float(number) for number in x], FLOATS, 1),
    "a sum": (lambda x: (sum(x.tolist()), x.tolist(), x), FLOATS, 1),
    "scalars that are used again": (lambda x: (lambda a, b: [float(a), float(b), a + b])(*(x[:2] * 2)), FLOATS, 0),
    "not all": (lambda x: x.tolist()[1:], FLOATS, 0),
    "one": (lambda x: x.tolist(), FLOATS[:1], 0),
}


def ids_of(result):
    """The structure of lists, each by the number of the first place where it is."""
    seen = {}

    def ids(part):
        return (seen.setdefault(id(part), len(seen)), [ids(item) for item in part]) if isinstance(part, (list, tuple)) else None

    return ids(result)


@pytest.mark.parametrize("name", LISTS)
def test_numbers_are_items_of_one_list(name):
    function, x, lists = LISTS[name]
    module = export(function, (x.copy(),)).module()
    for data in (x, x[::-1] if x.dtype == bool else x + x.dtype.type(1)):
        result, expected = module(data.copy()), function(data)
        assert repr(result) == repr(expected)
        assert ids_of(result) == ids_of(expected)
    assert module.code.count(".tolist()") == lists
    assert module.code.count("item()") == {"numbers of rows of one": 3}.get(name, 0)


def test_numbers_are_those_before_a_write():
    def f(x):
        numbers = x.tolist()
        x += 1
        return numbers, x.tolist()

    module, x = export(f, (FLOATS.copy(),)).module(), FLOATS.copy()
    assert module(x) == ([0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0, 5.0])
    assert x[0] == 1


def test_numbers_decide_branches():
    def f(x):
        first, second = x.tolist()
        return x * 2 if first > second else x + second

    module = export(f, (FLOATS[:2],)).module()
    for x in (FLOATS[:2], FLOATS[1::-1]):
        assert module(x).tobytes() == f(x).tobytes()


def test_elements_are_not_held_to_the_range_of_their_dtype():
    module = export(lambda x: int(x[0]) + 1, (np.arange(3, dtype=np.int16),)).module()
    assert "32767" not in module.code
    assert module(np.array([32767, 0, 0], np.int16)) == 32768
