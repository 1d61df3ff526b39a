"""What C callables mean while tracing stands in one registry, a row each: a builtin is added in one place."""

import _stat
import types

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, Unsupported, export
from npexport.tracer.models import registry
from npexport.tracer.models.callables import modelled_functions
from npexport.tracer.models.registry import DECLINED, Refusal, rows
from tests.support.sources import modules_of

ROOMS = ("symshapes", "ir", "runtime", "tracer")
DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
C_CALLABLES = (types.BuiltinFunctionType, *DESCRIPTORS, np.ufunc, type(np.sum))
REGISTRY = {
    "npexport.tracer.models.registry.ROWS": "the rows, by name",
    "npexport.tracer.models.registry.OF_NUMPY": "the rows of NumPy's callables, which have no reliable names",
    "npexport.tracer.interpreter.calls.SPECIALS": "what the VM does itself, with or without a tracer: `@special` declares it in one place",
    "npexport.tracer.arrays.api.ufuncs._MODELS": "a cache: what was made of the records, by the callables that they model",
    "npexport.symshapes.functions.MODELS": "the functions of sizes; a row that says nothing of sizes means these",
    "npexport.tracer.models.numbers.mixed_numbers.TAKES": "what makes the same of Python's numbers and of NumPy's, whose names say little",
    "npexport.tracer.models.numbers.complex_numbers.OPERATIONS": "what computes the functions of `cmath`",
    "npexport.runtime.memory.blank.INSTEAD": "the kernels that fill what they make, and those that leave that out",
    "npexport.ir.ops.python_numbers.OPERATION": "the operators that compute Python's numbers, by their kernel",
}
"""Tables keyed by C callables -> what they are."""


def is_callable_of_c(key):
    if isinstance(key, tuple) and len(key) == 2 and all(type(part) is str for part in key):
        return key in registry.ROWS
    made_by_an_extension = isinstance(getattr(key, "__self__", None), tuple)  # of ours: `in_order_or` of runtime/_checks.c
    return isinstance(key, C_CALLABLES) and not made_by_an_extension


def found_tables():
    found = {}
    for module in modules_of(ROOMS):
        for name, value in vars(module).items():
            if type(value) in (dict, set, frozenset) and any(map(is_callable_of_c, value)):
                found.setdefault(id(value), []).append(f"{module.__name__}.{name}")
    return [next((name for name in names if name in REGISTRY), names[0]) for names in found.values()]


@pytest.fixture
def table(monkeypatch):
    """The registry, which forgets after the test what the test declares."""
    monkeypatch.setattr(registry, "ROWS", dict(registry.ROWS))
    monkeypatch.setattr(registry, "OF_NUMPY", dict(registry.OF_NUMPY))
    return registry


def mode(x):
    """`_stat.S_IMODE(n)` is `n % 4096`; no module of the product names it."""
    return x * _stat.S_IMODE(x.shape[0])


def test_no_other_table_is_keyed_by_callables_of_c():
    export(np.sin, (np.ones(2),))  # caches are filled
    assert sorted(found_tables()) == sorted(REGISTRY)


def test_a_callable_without_a_row_is_refused(table):
    with pytest.raises(Unsupported, match="S_IMODE") as caught:
        export(mode, (np.ones(3),))
    assert caught.value.code == "E101"


def test_a_builtin_is_added_by_one_row(table):
    rows("_stat", "S_IMODE", pure=True, sizes=lambda n: n % 4096)
    run = export(mode, (np.ones(3),), dynamic_shapes={"x": {0: Dim("n", min=2)}}).module()
    for size in (2, 3, 5000):
        x = np.arange(float(size))
        np.testing.assert_array_equal(run(x), mode(x))


def test_what_a_row_does_not_say_is_taken_on_the_safe_side(table):
    rows("_stat", "S_IMODE", pure=True)
    with pytest.raises(ConstraintViolation, match="S_IMODE"):
        export(mode, (np.ones(3),), dynamic_shapes={"x": {0: Dim("n", min=2)}})


def test_a_row_refuses(table):
    rows("_stat", "S_IMODE", refused=Refusal("E108", "asks the machine"))
    with pytest.raises(Unsupported, match="asks the machine") as caught:
        export(mode, (np.ones(3),))
    assert caught.value.code == "E108"


def test_a_model_that_declines_leaves_the_call_to_the_rest_of_its_row(table):
    seen = []

    def model(world, vm, fn, args, kwargs):
        seen.append(args)
        return "seen" if args[0] is None else DECLINED

    rows("_stat", "filemode", model=model, calls=filemode)
    run = export(lambda x: (x, _stat.filemode(None), _stat.filemode(0o777)), (np.ones(1),)).module()
    assert run(np.ones(1))[1:] == ("seen", "?rwxrwxrwx")
    assert seen == [(None,), (0o777,)]


def filemode(value, /):
    raise AssertionError("nothing in the call leads to Python")


def test_functions_of_a_module_that_the_program_imports_have_their_rows(table, tmp_path, monkeypatch):
    (tmp_path / "imported_late.py").write_text("def twice(x):\n    return x * 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(modelled_functions, "PYTHON", modelled_functions.PYTHON | {"imported_late"})
    rows("imported_late", "twice", model=lambda world, vm, fn, args, kwargs: args[0] + args[0])

    def program(x):
        import imported_late

        return imported_late.twice(x)

    assert export(program, (np.ones(1),)).module()(np.ones(1)) == 2  # the function itself was called by the first export of a process


def test_a_callable_has_one_row(table):
    with pytest.raises(ValueError, match="two rows"):
        rows("math", "*", pure=True)
    with pytest.raises(ValueError, match="two rows"):
        registry.of_numpy({np.where: np.where})
