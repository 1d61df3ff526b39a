"""What a hint says to write is exported, and gives what the refused program gives."""

import json
import struct
import types

import numpy as np
import pytest

from npexport import ExportError, check, export

X = np.array([1.0, 2.0, 3.0, -1.0, -2.0, -3.0])
TABLE: dict[str, object] = {}
SEEN: list[object] = []


def a_text_as_key(x):
    return x * {"k1": 1.0, "k2": 4.0}[f"k{int(x[1])}"]


def a_number_as_key(x):
    return x * {1: 1.0, 2: 4.0}[int(x[1])]


def keys_of_texts(x):
    return {str(int(x[0])): 3, "mean": float(x.mean())}["1"]


def keys_of_numbers(x):
    return {int(x[0]): 3, 100: float(x.mean())}[1]


def a_text_of_json(x):
    return json.loads(json.dumps([float(x.mean()), 1.0]))


def what_json_is_given(x):
    return [float(x.mean()), 1.0]


def packed(x):
    return list(struct.unpack("dd", struct.pack("dd", x[0], x[1])))


def what_pack_is_given(x):
    return [float(x[0]), float(x[1])]


def compressed(x):
    out = np.empty(3)
    return np.compress(x > 0, x, out=out)


def compressed_first(x):
    out = np.empty(3)
    out[...] = np.compress(x > 0, x)
    return out


def compressed_where_the_length_is_checked(x):
    out = np.empty(3)
    check(np.compress(x > 0, x).shape[0] == 3)
    return np.compress(x > 0, x, out=out)


def doubled(x):
    return x if x.max() > 100 else [doubled(y) for y in (x * 2,)][0]  # the call stands in a loop


def doubled_in_a_loop(x):
    while not x.max() > 100:
        x = x * 2
    return x


def of_objects(x):
    return np.frompyfunc(lambda v: v + 1 if v > 0 else 0.0, 1, 1)(x)


def of_numbers(x):
    return np.vectorize(lambda v: v + 1 if v > 0 else 0.0)(x)


def taken_by_next(x):
    items = zip([1, 2, 3], strict=True)
    while x.max() > 0:
        x = x - next(items)[0]
    return x


def taken_by_an_index(x):
    items, i = [1, 2, 3], 0
    while x.max() > 0:
        item = items[i]
        i += 1
        x = x - item
    return x


def counted_per_row(x):
    counts = []
    for row in (x.astype(int) + 3).reshape(3, 2):
        counts.append(np.bincount(row, minlength=7))
        if not (row > 1).any():
            break
    return np.array(counts)


def counted_up_to_a_length(x):
    counts = []
    for row in (x.astype(int) + 3).reshape(3, 2):
        counts.append(np.bincount(row, minlength=7)[:7])
        if not (row > 1).any():
            break
    return np.array(counts)


HOLDER = types.SimpleNamespace(inner=types.SimpleNamespace(w=None))


def kept_in_an_attribute(x):
    HOLDER.inner.w = x * 2
    return x


def kept_in_a_table(x):
    TABLE["best"] = x.max()
    return x


def appended(x):
    SEEN.append(x.max())
    return x


def a_float_as_key(x):
    table = {0.0: 2.5, 1.0: 3.5}
    return np.float64(table[float(x[0] > 0)]) + x


def a_float_compared(x):
    key = np.float64(x[0] > 0)
    return np.select([key == 0.0, key == 1.0], [2.5, 3.5]) + x


def in_columns(x):
    table = np.asfortranarray(x.reshape(2, 3))
    while table.max() < 50:
        table = table * 2
    return table


def in_rows(x):
    table = np.ascontiguousarray(np.asfortranarray(x.reshape(2, 3)))
    while table.max() < 50:
        table = table * 2
    return table


def turned_around(x):
    while x.max() < 50:
        x = (x * 2)[::-1]
    return x


def turned_around_in_c_order(x):
    while x.max() < 50:
        x = np.ascontiguousarray((x * 2)[::-1])
    return x


FOLLOWED = [
    (in_columns, "E103", "x = np.ascontiguousarray(x) before the loop", in_rows),
    (turned_around, "E103", "of what an iteration leaves", turned_around_in_c_order),
    (a_float_as_key, "E104", "np.select([key == 1.0, key == 3.0], [a, b])", a_float_compared),
    (a_text_as_key, "E104", "table[n] in place of", a_number_as_key),
    (keys_of_texts, "E104", "table[n] in place of", keys_of_numbers),
    (a_text_of_json, "E104", "Return what json.dumps is given", what_json_is_given),
    (packed, "E104", "Return what struct.pack is given", what_pack_is_given),
    (compressed, "E103", "out[...] = result", compressed_first),
    (compressed_where_the_length_is_checked, "E103", "out[...] = result", compressed_first),
    (doubled, "E103", "`while todo: each = todo.pop()`", doubled_in_a_loop),
    (of_objects, "E122", "np.vectorize", of_numbers),
    (taken_by_next, "E103", "`item = items[i]` and `i += 1`", taken_by_an_index),
    (counted_per_row, "E103", "np.bincount(x, minlength=n)[:n]", counted_up_to_a_length),
]


@pytest.mark.parametrize(("refused", "code", "hint", "instead"), FOLLOWED, ids=[row[0].__name__ for row in FOLLOWED])
def test_what_the_hint_says_is_exported_and_gives_the_same(refused, code, hint, instead):
    with pytest.raises(ExportError) as caught:
        export(refused, (X,))
    assert caught.value.code == code and hint in caught.value.hint
    expected, found = refused(X.copy()), export(instead, (X,)).module()(X.copy())
    np.testing.assert_array_equal(np.asarray(found, float), np.asarray(expected, float))
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (kept_in_a_table, "result, TABLE['best'] = f(...)"),
        (appended, "result, new = f(...); SEEN.append(new)"),
        (kept_in_an_attribute, "result, HOLDER.inner.w = f(...)"),
    ],
)
def test_what_is_written_outside_is_named_by_its_place(program, said):
    with pytest.raises(ExportError) as caught:
        export(program, (X,))
    assert caught.value.code == "E112" and said in caught.value.hint


def test_an_array_of_data_length_written_first_is_checked_at_the_call():
    run = export(compressed_first, (X,)).module()
    with pytest.raises(ValueError, match="could not broadcast"):
        run(np.abs(X) + 1)
