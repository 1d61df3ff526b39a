"""Fixes of sizes that have no name, ``Dim.DYNAMIC``, are set at their places, in every form of inputs and specification."""

from __future__ import annotations

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, export
from npexport import refine_dynamic_shapes_from_suggested_fixes as refine

ANY = Dim.DYNAMIC
CASES = {
    "an item of a dict": (lambda d: d["x"] @ np.ones((4, 2)), ({"x": np.ones((3, 4))},), {}, {"d": {"x": {0: Dim("n"), 1: ANY}}}),
    "an axis of a tuple": (lambda x: x + np.ones((3, 4)), (np.ones((3, 4)),), {}, {"x": (ANY, ANY)}),
    "a specification by place": (lambda x, y: y + np.ones(3), (np.ones(2), np.ones(3)), {}, (None, {0: ANY})),
    "an argument of *args": (lambda *a: a[1] + np.ones(3), (np.ones(2), np.ones(3)), {}, {"a": ({0: ANY}, {0: ANY})}),
    "an argument of **kwargs": (lambda **kw: kw["a"] + np.ones(3), (), {"a": np.ones(3), "b": np.ones(2)}, {"a": {0: ANY}, "b": {0: ANY}}),
    "an item of one": (lambda **kw: kw["a"]["k"] + np.ones(3), (), {"a": {"k": np.ones(3)}}, {"a": {"k": (ANY,)}}),
}


@pytest.mark.parametrize(("f", "args", "kwargs", "spec"), CASES.values(), ids=CASES)
def test_fixes_are_set_where_the_size_stands(f, args, kwargs, spec):
    with pytest.raises(ConstraintViolation) as caught:
        export(f, args, kwargs, dynamic_shapes=spec)
    fixed = caught.value.apply(spec)
    assert fixed == refine(caught.value.msg, spec) and type(fixed) is type(spec)
    run = export(f, args, kwargs, dynamic_shapes=fixed).module()
    np.testing.assert_equal(run(*args, **kwargs), f(*args, **kwargs))
