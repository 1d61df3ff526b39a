"""Python numbers that data decide: ``float(x)``, ``x.item()``, ``x.tolist()``; held to eager NumPy on other data, also saved and loaded."""

from __future__ import annotations

import math

import numpy as np
import pytest

from npexport import Dim, Unsupported, export, load, save

PROGRAMS = {
    "float": lambda x: float(x.mean()),
    "0-d": lambda x: (float(x[0]), x[1].item(), x.max().item()),
    "single": lambda x: float(x.astype(np.float32)[0]) * 3,
    "half": lambda x: x.astype(np.float16).tolist(),
    "integers": lambda x: (x.astype(int).tolist(), x.argmax().item(), float(x.argmin())),
    "truths": lambda x: ((x > 1).tolist(), float((x > 0).any()), (x > 0).all().item()),
    "nested": lambda x: x.reshape(1, 3, 1).tolist(),
    "arithmetic": lambda x: (float(x.sum()) / len(x) + 1) ** 2 - abs(float(x[0])) * 0.5,
    "functions": lambda x: (math.tanh(float(x[0])), round(float(x[1]), 2), sum(x.tolist()), float(x[0]) % 2),
    "weak": lambda x: x.astype(np.float32) * float(x[0]) + x[1].item(),
    "operands": lambda x: (
        np.where(x > float(x.mean()), x, 0.0),
        np.full(2, float(x[0])),
        np.array([float(x[0]), 3]),
        np.float32(float(x[1])),
    ),
    "equality": lambda x: float(x[0]) == float(x[1]),
    "loops": lambda x: [v.item() * 2 for v in x],
    "containers": lambda x: {"loss": float(x[0]), "all": np.array(x.tolist())},
    "sizes": lambda x: float(x.sum()) / x.shape[0],
}
DATA = [np.array(data) for data in ([1.5, 2.25, 0.5], [-3.0, 0.0, 7.1], [2.0, 1e100, -0.0])]


@pytest.mark.parametrize("dynamic", [None, ({0: Dim.AUTO},)], ids=["static", "dynamic"])
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(program, dynamic, tmp_path):
    exported = export(program, (DATA[0],), dynamic_shapes=dynamic)
    save(exported, tmp_path / "program.np2")
    for run in (exported.module(), load(tmp_path / "program.np2").module()):
        for x in DATA:
            with np.errstate(over="ignore", invalid="ignore"):
                assert repr(run(x)) == repr(program(x))


def test_not_a_number():
    x = np.array([np.nan, np.inf])
    run = export(lambda x: (float(x[0]), x[1].item() - x[1].item(), float(x[0]) == float(x[0])), (np.ones(2),)).module()
    assert repr(run(x)) == "(nan, nan, False)"
    with pytest.raises(OverflowError, match="Numerical result out of range"):
        export(lambda x: float(x[0]) ** 2, (np.ones(1),)).module()(np.array([1e300]))
    with pytest.raises(ValueError, match="cannot convert float NaN to integer"):
        export(lambda x: int(float(x[0])), (np.ones(2),)).module()(x)


REFUSED = {
    "branch": (lambda x: x if float(x[0]) > 0 else -x, "E103"),
    "divisor": (lambda x: 1 / float(x[0]), "E103"),
    "domain": (lambda x: math.sqrt(x[0].item()), "E103"),
    "order": (lambda x: sorted(x.tolist()), "E103"),
    "text": (lambda x: f"{float(x[0]):.2f}", "E104"),
    "complex": (lambda x: x.astype(complex).tolist(), "E104"),
    "many": (lambda x: np.tile(x, 2000).tolist(), "E104"),
}


@pytest.mark.parametrize(("program", "code"), REFUSED.values(), ids=REFUSED)
def test_refused(program, code):
    with pytest.raises(Unsupported) as raised:
        export(program, (DATA[0],))
    assert raised.value.code == code


def test_errors_are_those_of_numpy():
    for program in (lambda x: float(x), lambda x: x.item()):
        with pytest.raises((TypeError, ValueError)) as eager:
            program(DATA[0])
        with pytest.raises(type(eager.value)) as exported:
            export(program, (DATA[0],))
        assert str(exported.value) == str(eager.value)
