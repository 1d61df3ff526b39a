"""Calls of all methods of ``ndarray`` and of scalars in many forms: by place, by name, too few, too many, twice, unknown."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

RECEIVERS = {
    "matrix": "a", "vector": "a[0]", "integers": "i", "one": "a[:1, :1]", "no axes": "a[0, 0:1].reshape(())", "float": "a[0, 1]",
    "int": "i[2]", "truth": "a[0, 0] > i[1]", "complex": "(a[1, 1] + 1j * i[0])",
}  # fmt: skip
PARAMETERS: dict[str, tuple[str, ...]] = {
    "all": ("axis=0", "out=None", "keepdims=True", "*", "where=True"),
    "any": ("axis=None", "out=None", "keepdims=False", "*", "where=True"),
    "argmax": ("axis=0", "out=None", "*", "keepdims=True"),
    "argmin": ("axis=-1", "out=None", "*", "keepdims=False"),
    "argpartition": ("kth!=0", "axis=-1", "kind='introselect'", "order=None"),
    "argsort": ("axis=-1", "kind='stable'", "order=None", "*", "stable=None"),
    "astype": ("dtype='f4'", "order='K'", "casting='unsafe'", "subok=True", "copy=True"),
    "byteswap": ("inplace=False",),
    "choose": ("choices=[1, 2, 3, 4, 5, 6]", "out=None", "mode='clip'"),
    "clip": ("min=1", "max=3", "out=None"),
    "compress": ("condition=[True]", "axis=0", "out=None"),
    "conj": (),
    "conjugate": (),
    "copy": ("order='C'",),
    "cumprod": ("axis=0", "dtype='f8'", "out=None"),
    "cumsum": ("axis=0", "dtype=None", "out=None"),
    "diagonal": ("offset=0", "axis1=0", "axis2=1"),
    "dot": ("other!=2.0", "out=None"),
    "fill": ("value=3",),
    "flatten": ("order='C'",),
    "getfield": ("dtype='i2'", "offset=0"),
    "item": ("*args=0",),
    "max": ("axis=0", "out=None", "keepdims=True", "initial=2", "where=True"),
    "mean": ("axis=0", "dtype='f8'", "out=None", "keepdims=True", "*", "where=True"),
    "min": ("axis=None", "out=None", "keepdims=False", "initial=2", "where=True"),
    "nonzero": (),
    "partition": ("kth!=0", "axis=-1", "kind='introselect'", "order=None"),
    "prod": ("axis=0", "dtype='f8'", "out=None", "keepdims=True", "initial=2", "where=True"),
    "put": ("indices!=0", "values!=7", "mode='raise'"),
    "ravel": ("order='C'",),
    "repeat": ("repeats!=2", "axis=0"),
    "reshape": ("*shape=-1",),
    "round": ("decimals=1", "out=None"),
    "searchsorted": ("v!=2", "side='left'", "sorter=None"),
    "setfield": ("val!=1", "dtype='i2'", "offset=0"),
    "setflags": ("*", "write=None", "align=None", "uic=None"),
    "sort": ("axis=-1", "kind=None", "order=None", "*", "stable=None"),
    "squeeze": ("axis=0",),
    "std": ("axis=0", "dtype='f8'", "out=None", "ddof=0", "keepdims=True", "where=True"),
    "sum": ("axis=0", "dtype='f8'", "out=None", "keepdims=True", "initial=2", "where=True"),
    "swapaxes": ("axis1!=0", "axis2!=-1"),
    "take": ("indices=0", "axis=0", "out=None", "mode='wrap'"),
    "to_device": ("device!='cpu'", "*", "stream=None"),
    "tolist": (),
    "trace": ("offset=0", "axis1=0", "axis2=1", "dtype='f8'", "out=None"),
    "transpose": ("*axes=0",),
    "var": ("axis=0", "dtype='f8'", "out=None", "ddof=0", "keepdims=True", "where=True"),
    "view": ("dtype='i8'", "type=np.ndarray"),
    "__array_wrap__": ("array!=np.ones(2)",),
    "__round__": ("ndigits=1",),
    "__copy__": (),
    "__deepcopy__": ("memo!={}",),
    "__len__": (),
    "__getitem__": ("index!=0",),
    "__contains__": ("item!=1",),
}
"""Parameters in order, with a value each; ``!=``: by place alone; ``*``: those after it by name alone; ``*name=``: any number."""
MORE = {
    "reshape": ("", "()", "(-1,)", "-1, 1", "[-1]", "(1, -1), order='F'", "-1, order='A'", "None", "(-1)",
        "shape=(-1,)", "6", "2, 3", "3, 2", "(3, 2)", "1",
        "(1, 1)", "-1, copy=True", "-1, copy=None", "copy=True", "order='C'", "1.0", "(2, -1), 'F'", "np.int64(-1)",
        "newshape=-1"),
    "transpose": ("", "()", "None", "1, 0", "(1, 0)", "[1, 0]", "-1, 0", "0", "(0,)", "axes=(1, 0)", "1, 1", "2, 0",
        "(1, 0), None", "1.0, 0"),
    "sum": ("-1", "(0, 1)", "()", "None", "[0]", "axis=(0,)", "0, float", "'f'", "keepdims=1", "0.0", "initial=None",
        "where=False", "where=[True]", "axis=np.int64(0)"),
    "max": ("-1", "(0, 1)", "()", "5", "initial=100", "where=False", "where=False, initial=0"),
    "item": ("", "0, 0", "(0, 0)", "-1", "100", "(1, 1)", "0.5", "[0]", "(0,)", "()", "index=0", "np.int64(0)", "True", "None"),
    "squeeze": ("", "(0, 1)", "None", "()", "1", "5"),
    "take": ("[0, 0]", "[[0]]", "-1", "100", "(0,)", "True", "0.5", "0, mode='clip'", "0, None", "[0], 0", "np.array([0])"),
    "repeat": ("[1]", "(2,)", "0", "-1", "2.0", "2, None", "[1, 2]", "repeats=2", "True"),
    "astype": ("float", "np.float32", "dtype='i4'", "'i4', 'F'", "'i4', casting='safe'", "'f4', copy=False",
        "a.dtype", "None", "'nonsense'", "int, 'X'"),
    "view": ("", "'f4'", "np.int64", "type=np.ndarray", "np.ndarray", "None", "dtype=np.dtype('u8')",
        "'i8', np.ndarray", "'i3'", "dtype=None"),
    "clip": ("", "0", "None, 3", "max=3", "min=0, max=None", "None, None", "3, 0", "0, 3, None, 1", "a_min=0",
        "0, 3, dtype='f4'", "[0], 3"),
    "round": ("", "-1", "1.5", "None", "decimals=0", "ndigits=1", "True", "np.int64(1)"),
    "copy": ("'F'", "order='K'", "'A'", "None", "'X'", "1", "order=None"),
    "ravel": ("'F'", "order='K'", "'A'", "None", "'X'", "0"),
    "flatten": ("'F'", "order='K'", "'A'", "None", "'X'", "0"),
    "fill": ("True", "2.5", "[1]", "None", "'a'", "1j", "np.int8(4)", "a[0, 0]", "a[0]"),
    "dot": ("[1, 2]", "a", "a[0]", "a.T", "b=2", "None", "'a'", "i[0]"),
    "sort": ("0", "None", "kind='quicksort'", "kind='nonsense'", "stable=True", "5", "order='x'", "axis=None"),
    "argsort": ("0", "None", "kind='quicksort'", "kind='nonsense'", "stable=True", "5", "order='x'", "axis=None"),
    "partition": ("1", "[0, 1]", "kth=0", "100", "1.0", "0, 0", "0, None"),
    "argpartition": ("1", "[0, 1]", "kth=0", "100", "1.0", "0, 0", "0, None"),
    "searchsorted": ("[1, 2]", "2, 'right'", "2, side='middle'", "a", "'a'", "None"),
    "put": ("[0], [1]", "100, 1", "-1, 1", "[0, 1], 5, 'clip'", "0", "ind=0, v=1", "0, 1, mode='nonsense'", "[], []"),
    "choose": ("[1]", "[[1, 2, 3]] * 6", "1", "[]", "[1, 2], mode='wrap'"),
    "compress": ("[False]", "[True, False]", "True", "[1, 0, 1]", "[True] * 9", "[[True]]"),
    "diagonal": ("1", "-1", "0, 1, 0", "axis1=0, axis2=0", "5", "offset='a'"),
    "trace": ("1", "-1", "0, 1, 0", "axis1=0, axis2=0", "5"),
    "swapaxes": ("0, 1", "0, 5", "0", "0.0, 1", "None, 0"),
    "getfield": ("'f4'", "'f4', 4", "'f8', 4", "'i1', offset=7", "'i1', -1", "int", "'f4', 4.0"),
    "setflags": ("True", "write=True", "1, 1, 0", "write=False", "uic=True", "True, True, True", "align=False"),
    "byteswap": ("True", "inplace=True", "1", "None"),
    "conj": ("None",), "conjugate": ("None",), "tolist": ("1",), "nonzero": ("1",),
    "any": ("1", "(0,)", "where=a > 2"), "all": ("(0, 1)", "where=[True]"), "mean": ("-1", "(0, 1)",
        "where=a > 0"), "std": ("ddof=1", "1, None, None, 1", "correction=1"),
    "var": ("ddof=1", "correction=1", "mean=0"), "cumsum": ("1", "None", "-5", "0, 'i4'"), "cumprod": ("1",
        "None"), "argmax": ("", "1", "None", "5", "(0,)"), "argmin": ("", "None"),
    "__getitem__": ("()", "None", "...", "-1", "(0, 0)", "slice(None)", "100", "'x'", "1.0", "True", "[0]"),
    "__contains__": ("'a'", "None", "2.0"), "__round__": ("", "None", "-1"), "to_device": ("'gpu'", "None"), "__len__": ("1",),
}  # fmt: skip
METHODS = sorted(PARAMETERS)


def forms(method: str) -> Iterator[str]:
    """The arguments of a call, as text."""
    given: list[tuple[str, str, str]] = []  # how, name, value
    how = "both"
    for text in PARAMETERS[method]:
        name, _, value = text.partition("=")
        if text == "*":
            how = "name"
        elif name.startswith("*"):
            given.append(("any", name[1:], value))
        else:
            given.append(("place" if name.endswith("!") else how, name.rstrip("!"), value))
    places = [value for way, _, value in given if way != "name"]
    yield from MORE.get(method, ())
    for count in range(len(places) + 1):
        yield ", ".join(places[:count])
    yield ", ".join([*places, "None"])
    yield ", ".join([*places, "nonsense=1"])
    first = [value for way, _, value in given if way == "place"]
    for way, name, value in given:
        if way != "place":
            yield ", ".join([*first, f"{name}={value}"])
    yield ", ".join([*first, *[f"{name}={value}" for way, name, value in given if way in ("both", "name")]])
    if places and given[0][0] == "both":
        yield f"{places[0]}, {given[0][1]}={places[0]}"
    if given and given[0][0] == "place":
        yield f"{given[0][1]}={given[0][2]}"
    yield "*()"
    yield "**{}"


def arrays() -> tuple[np.ndarray, np.ndarray]:
    """``a`` and ``i``."""
    return np.arange(6.0).reshape(2, 3) + 0.5, np.array([2, 0, 1])
