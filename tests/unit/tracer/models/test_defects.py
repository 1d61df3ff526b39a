"""What our own code raises without meaning to is an internal error that tells its place; the program never catches it."""

import numpy as np
import pytest

from npexport import InternalError, export
from npexport.tracer.arrays.api import arguments
from npexport.tracer.models.callables import output
from tests.support.functions import function_of

DEFECTS = ("{}['lost']", "()[3]", "(lambda n: n['lost'])(None)", "None.lost", "lost")


def plant(monkeypatch, module, name, defect):
    """Put a function that fails so, whose code stands in the module's file, in place of one of its own."""
    planted = function_of(
        compile(f"def planted(*args, **kwargs):\n    return {defect}\n", module.__file__, "exec"), {"__name__": module.__name__}
    )
    monkeypatch.setattr(module, name, planted)


def printing(x):
    try:
        print(x.shape)
    except Exception:
        return x * 0
    return x * 2


def partitioning(x):
    y = x * 2
    try:
        y.partition(1)
    except BaseException:
        return x * 0
    return y


@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.parametrize(
    ("program", "module", "name"), [(printing, output, "_pieces"), (partitioning, arguments, "static")], ids=["print", "partition"]
)
def test_a_defect_is_no_exception_of_the_program(monkeypatch, program, module, name, defect):
    plant(monkeypatch, module, name, defect)
    with pytest.raises(InternalError, match=rf"(?s)E901.*in {module.__name__}, line 2") as error:
        export(program, (np.ones(3),))
    assert error.value.code == "E901"
    assert error.value.location.function == program.__name__
