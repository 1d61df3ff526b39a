"""Keys that one side of a branch on data puts into a dict, or takes out of it: the dict may lack them
from then on, and the program does at run time what eager execution does.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export, load, save
from tests.support.outcomes import outcome


def made(x: Any) -> Any:
    found: dict[str, Any] = {"z": 1.0, "y": "text"}
    if x[0] > 0:
        found["a"] = x * 2
    if x[1] > 0:
        found.pop("y")
    return found


def with_a_default(x: Any) -> Any:
    found: dict[str, Any] = {"z": 1.0}
    if x.sum() > 0:
        found["a"] = x * 2
    return found.get("a", x - 1), found["z"]


def counted(x: Any) -> Any:
    return len(made(x)), list(made(x)), sorted(made(x)), bool(made(x))


def asked_for(x: Any) -> Any:
    found = made(x)
    if "a" in found:
        return found["a"] + len(found)
    return x * 0


def caught(x: Any) -> Any:
    try:
        return made(x)["a"]
    except KeyError:
        return x - 1


def read_without_asking(x: Any) -> Any:
    return made(x)["a"] + 1


def compared(x: Any) -> Any:
    return made(x) == {"z": 1.0, "y": "text"}, [made(x)] == [{"z": 1.0}]


def by_a_method_that_is_kept(x: Any) -> Any:
    found = made(x)
    get = found.get
    return get("a") is None, get("y", 5) == 5


def by_patterns(x: Any) -> Any:
    match made(x):
        case {"a": value}:
            return value + 1
        case {"y": _}:
            return x * 0
        case _:
            return x + 5


def taken_out(x: Any) -> Any:
    found, count = made(x), 0
    key, _ = found.popitem()
    del found["z"]
    while found:
        found.popitem()
        count += 1
    return key == "a", count


def unpacked(x: Any) -> Any:
    first, *others = made(x)
    return first == "z", len(others)


def united(x: Any) -> Any:
    found = made(x)
    other = {"q": 1} | found
    found |= {"w": 1}
    return len(other), len(found)


def under_two_names(x: Any) -> Any:
    found = made(x)
    held = [found, found]
    held[0]["new"] = 1
    return len(held[1]), "a" in held[1]


def in_an_object(x: Any) -> Any:
    holder = types.SimpleNamespace(found=made(x))
    holder.found["k"] = 2
    if x[2] > 0:
        del holder.found["k"]
    return len(holder.found), holder.found.get("k", 0)


class Result(dict[str, Any]):
    def __missing__(self, key: str) -> int:
        return 5

    __getattr__ = dict.__getitem__


def of_its_own_class(x: Any) -> Any:
    result = Result(q=1)
    if x[0] > 0:
        result["a"] = x
    if x[1] > 0:
        result["b"] = 2
    return result["b"], result.q, hasattr(result, "b"), len(result)


def written_over(x: Any) -> Any:
    found = made(x)
    found["a"] = x
    return list(found), found["a"] + 1


def given_a_default(x: Any) -> Any:
    found = made(x)
    value = found.setdefault("a", x + 5)
    return value + 1, len(found)


def array_written_to(x: Any) -> Any:
    found: dict[str, Any] = {"z": 1.0, "y": "text"}
    if x[0] > 0:
        found["w"] = x * 1
    if "w" in found:
        found["w"][0] = 7
        other = found["w"]
        other[1] = 8
    else:
        other = x * 0
    return other + 0, found.get("w", x) * 1


def view_of_earlier_memory(x: Any) -> Any:
    y = x * 2
    found: dict[str, Any] = {"z": 1.0, "v": "text"}
    if x[0] > 0:
        found["w"] = y[1:]
    if "w" in found:
        found["w"][0] = 7
    return y


def dicts_in_dicts(x: Any) -> Any:
    found: dict[str, Any] = {"k": {}}
    if x[0] > 0:
        found["k"]["i"] = 1
    if x[1] > 0:
        found["m"] = found["k"]
    return len(found["k"]), "m" in found and "i" in found["m"]


def read_in_loops(x: Any) -> Any:
    found = made(x)
    for i in range(3):
        if x[i] > 1 and "a" in found:
            found["z"] = found["z"] + found["a"][i]
    return found["z"], len(found)


def chosen_by_length(x: Any) -> Any:
    shortest, longest = sorted([made(x), {}], key=len)
    return len(shortest), len(longest), max(made(x), key=len) == "z"


def cleared(x: Any) -> Any:
    found = made(x)
    found.clear()
    return len(found)


def in_the_order_of_insertion(x: Any) -> Any:
    found = {key: value for key, value in (("a", x[0]), ("b", x[1]), ("a", x[2])) if value > 0}
    return list(found), found


def returned(x: Any) -> Any:
    return made(x)


def returned_with_arrays(x: Any) -> Any:
    found: dict[str, Any] = {"mean": x.mean()}
    if x.std() > 1:
        found["outliers"] = x[np.abs(x - x.mean()) > 1]
    found["size"] = len(x)
    return found, list(found)


def returned_in_containers(x: Any) -> Any:
    found: dict[str, Any] = {}
    if x[0] > 0:
        found["a"] = {"deep": x}
    if x[1] > 0:
        found["b"] = x[1:] if x[2] > 0 else None
    return [found, (found, 1)], {"in": found} if x[2] > 1 else "none"


def iterated(x: Any) -> Any:
    return [key for key, _ in made(x).items()]


def gone_over(x: Any) -> Any:
    found, total, names = made(x), 0.0, []
    for key in found:
        names.append(key)
    for key, value in found.items():
        if key != "y":
            total = total + np.sum(value) * len(names)
    for value in found.values():
        for key in sorted(found):
            total = total + (value != "text") * len(key)
    return total, names


def changed_and_taken_out_while_gone_over(x: Any) -> Any:
    found, other = made(x), {}
    for key in found:
        found[key] = (key, found[key])
    for key in list(found):
        other[key] = found[key]
        if key != "z":
            del found[key]
    return found, list(found), {key: value[0] for key, value in other.items()}


def taken_out_again(x: Any) -> Any:
    found, other = made(x), made(x)
    if "a" in found:
        del found["a"]
    if x[0] > 0:
        other.pop("a")
    return list(found), len(found), "a" in found, list(other), len(other)


def in_the_order_of_another_dict(x: Any) -> Any:
    return list({**{key: value for key, value in (("a", x[0]), ("b", x[1])) if value > 0}, "a": 1})


def of_several_kinds(x: Any) -> Any:
    found: dict[str, Any] = {"n": 0, "mean": 0.0}
    if x[0] > 0:
        found["n"] += 1
        found["first"] = x[0]
    if x[1] > 0:
        found["pair"] = (1, x[1])
    found["data"] = x
    found["text"] = "text"
    return found


def one_of_two(x: Any) -> Any:
    found, other, names = made(x), {"m": 2.0}, []
    which = found if x[1] > 0 else other
    for key, _ in which.items():
        names.append(key)
    for key in which:
        names.append(key)
    return names, which


def known_to_be_one_of_two(x: Any) -> Any:
    found, other = made(x), {"m": 2.0}
    which = found if x[1] > 0 else other
    if x[1] > 0:
        return "a" in which, len(list(which)), sum(len(key) for key in which)
    return "m" in which, len(which), 0


def told_how_it_ended(x: Any) -> Any:
    value, found = np.ones(2) * x[0], {"turns": 0, "state": "none", "rest": 0.0}
    for turn in range(20):
        new = value * 0.5 + x[:2] * 0.25
        size = np.linalg.norm(new)
        if size == 0:
            found["state"] = "zero"
            break
        if np.linalg.norm(new - value) < 1e-2:
            found["state"], found["rest"] = "done", np.linalg.norm(new * 0.5 - x[:2])
            break
        value, found["turns"] = new, turn
    else:
        found["state"] = "most"
    return value, found


PROGRAMS = [
    value
    for name, value in list(globals().items())
    if type(value) is types.FunctionType and value.__module__ == __name__ and name != "made"
]


def data(size: int) -> list[Any]:
    rng = np.random.default_rng(5)
    random = [np.round(rng.normal(size=size) * 1.5, 1) for _ in range(20)]
    return [np.ones(size), -np.ones(size), np.zeros(size), *random]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
def test_what_a_dict_lacks_is_what_it_lacks_in_eager_execution(function: Callable[[Any], Any], dynamic: bool, tmp_path: Path) -> None:
    example = np.array([1.0, -2.0, 3.0, 0.5])
    program = export(function, (example,), dynamic_shapes={"x": {0: Dim("n", min=3)}} if dynamic else None)
    save(program, tmp_path / "program.npe")
    for run in (program.module(), load(tmp_path / "program.npe").module()):
        for x in data(4) + (data(3) + data(7) if dynamic else []):
            np.testing.assert_equal(outcome(run, (x,)), outcome(function, (x,)))


def holds_a_view(x: Any) -> Any:
    found: dict[str, Any] = {"z": 1.0, "y": "text"}
    keys = found.keys()
    if x[0] > 0:
        found["a"] = x
    return len(keys)


def holds_a_view_of_numbers(x: Any) -> Any:
    found = {"z": 1}
    values = found.values()
    if x[0] > 0:
        found["a"] = 2
    return len(values)


def holds_a_proxy(x: Any) -> Any:
    found = {"z": 1}
    proxy = types.MappingProxyType(found)
    if x[0] > 0:
        found["a"] = 2
    return len(proxy)


def holds_an_iterator(x: Any) -> Any:
    found: dict[str, Any] = {"z": 1.0, "y": "text"}
    keys = iter(found)
    if x[0] > 0:
        found["a"] = x
    return len(list(keys))


class Plain:
    pass


def holds_attributes(x: Any) -> Any:
    plain = Plain()
    names = vars(plain)
    if x[0] > 0:
        names["a"] = 2
    return hasattr(plain, "a")


def holds_attributes_in_a_loop(x: Any) -> Any:
    plain = Plain()
    names = vars(plain)
    for value in x:
        if value > 0:
            names["a"] = value
    return hasattr(plain, "a")


class Attributes(dict[str, Any]):
    def __init__(self) -> None:
        self.__dict__ = self


def is_its_own_attributes(x: Any) -> Any:
    found: Any = Attributes()
    found.y = "text"
    if x[0] > 0:
        found.a = x
    return hasattr(found, "a"), len(found)


def becomes_attributes(x: Any) -> Any:
    found: dict[str, Any] = {"z": 1.0, "y": "text"}
    plain: Any = Plain()
    if x[0] > 0:
        plain.__dict__ = found
        plain.a = 3
    return len(found), hasattr(plain, "a")


def in_another_order(x: Any) -> Any:
    found: dict[str, Any] = {}
    if x[0] > 0:
        found["a"], found["b"] = x, 1
    else:
        found["b"], found["a"] = 2, x
    return list(found)


def put_in_while_gone_over(x: Any) -> Any:
    found = made(x)
    for key in found:
        found[key + "z"] = 1
    return len(found)


def taken_out_while_gone_over(x: Any) -> Any:
    found = made(x)
    for key in found:
        if key == "a":
            del found[key]
            found[key] = 1
    return len(found)


def in_the_order_of_another_dict_of_arrays(x: Any) -> Any:
    return list({**{key: value for key, value in (("a", x), ("b", x * 2)) if value[1] > key.count("b")}, "a": 1})


def is_bound_to_an_argument(x: Any) -> Any:
    return functools.partial(len, made(x))()


REFUSED = [
    holds_a_view,
    holds_a_view_of_numbers,
    holds_a_proxy,
    holds_an_iterator,
    holds_attributes,
    holds_attributes_in_a_loop,
    is_its_own_attributes,
    becomes_attributes,
    in_another_order,
    put_in_while_gone_over,
    taken_out_while_gone_over,
    in_the_order_of_another_dict_of_arrays,
    is_bound_to_an_argument,
]


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_whoever_shows_a_dict_otherwise_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(Unsupported) as caught:
        export(function, (np.ones(3),))
    assert caught.value.code in ("E103", "E104", "E115")
