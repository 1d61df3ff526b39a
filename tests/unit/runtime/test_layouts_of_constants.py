"""Arrays that a program holds lie in memory as those of the exported object do: NumPy's sums and products of them have the same bits."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from npexport import LoadError, export, load, save
from npexport.ir.layout_copies import alike, laid, strides_of
from tests.support.archive_parts import rewritten, set_at
from tests.support.comparison import steps
from tests.support.forms import reloaded
from tests.support.outcomes import outcome

N = 40
_G = np.random.default_rng(0)
_B, _V, _T = _G.normal(size=(2 * N, 2 * N)), _G.normal(size=2 * N), _G.normal(size=(N // 2, 4, N // 4))
_R = np.zeros(N, [("a", "f8"), ("b", "f4")])
_R["a"] = _V[:N]
HELD = {
    "gaps": _V[::2], "reversed": _V[N - 1 :: -1], "column": _B[:N, 3], "steps": _B[::2, ::2], "turned": _B[:N, :N].T,
    "part": _B[:N, 1 : N + 1], "rows reversed": _B[N - 1 :: -1, :N], "columns reversed": _B[:N, N - 1 :: -1], "axes": _T.transpose(1, 2, 0),
    "other axes": _T.transpose(2, 0, 1), "stretched": np.broadcast_to(_V[:N], (N, N)), "one": np.broadcast_to(_V[0], (N,)),
    "stretched columns": np.broadcast_to(_V[:N, None], (N, N)), "singles": _V.astype("f4")[::2], "complex": (_V + 1j)[::2],
    "swapped": _V.astype(">f8")[::2], "field": _R["a"], "one row": _B[3:4, :N], "none": _B[:0, ::2],
}  # fmt: skip
SUMS = (
    "C.sum()", "(C * s).sum()", "(C * s).sum(0)", "C.sum(-1)", "(C - s).std()", "np.prod(C * s)", "np.cumsum(C * s)", "C * s",
    "C @ np.ones((C.shape[-1], 3)) * s", "np.dot(C, x[:C.shape[-1]])", "np.vdot(C, C * s)", "np.inner(C, x[:C.shape[-1]])",
    "np.tensordot(C, x[:C.shape[-1]], (-1, 0))", "np.einsum('i...,i->...', C, x[:len(C)])", "np.einsum('...i,...i->...', C, C * s)",
    "x[:len(C)] @ C if C.ndim < 3 else 0",
)  # fmt: skip


class Holder:
    def __init__(self, array, source):
        self.array, self.sum = array, eval(f"lambda C, x, s: {source}", {"np": np})

    def __call__(self, x, s):
        return self.sum(self.array, x, s)


@pytest.mark.parametrize("name", HELD)
def test_bits(name):
    array, x, s = HELD[name], _G.normal(size=100), np.float64(1.37)
    source = f"[{', '.join(SUMS if array.size else SUMS[:8])}]"
    program = export(Holder(array, source), (x, s))
    wanted = outcome(Holder(array, source), (x, s), memory=True)
    for form in (program, reloaded(program), pickle.loads(pickle.dumps(program)), copy.deepcopy(program), copy.copy(program)):
        assert outcome(form.module(), (x, s), memory=True) == wanted
    assert outcome(copy.deepcopy(program.module()), (x, s), memory=True) == wanted


class Kept:
    def __init__(self, array):
        self.array = alike(array)

    def __call__(self, x):
        self.array[...] += x
        return self.array * x, abs(self.array).max()


@pytest.mark.parametrize("name", ["gaps", "reversed", "column", "steps", "turned", "part", "singles", "field"])
def test_state(name):
    x = np.linspace(0, 1, N).astype(HELD[name].dtype)
    program, eager = export(Kept(HELD[name]), (x,)), Kept(HELD[name])
    modules = program.module(), reloaded(program).module()
    for call in range(4):
        wanted = outcome(eager, (x * call,))
        for module in modules:
            assert outcome(module, (x * call,)) == wanted
            (array,) = dict(module.named_buffers()).values()
            assert steps(array) == steps(eager.array)
        modules = (*modules[:2], copy.deepcopy(modules[0]))


def test_copies():
    for array in HELD.values():
        copied = alike(array)
        np.testing.assert_array_equal(copied, array)
        assert copied.flags.writeable
        assert copied.nbytes == array.nbytes
        strides = strides_of(array)
        if strides is not None:
            again = laid(array, strides)
            np.testing.assert_array_equal(again, array)
            assert again.strides == strides == (strides_of(again) or again.strides)
    for array in (HELD["gaps"], HELD["part"], HELD["steps"]):
        assert steps(alike(array)) == steps(array)
    wide = alike(np.zeros((1000, 4000))[::-7, ::1000])
    assert (wide.strides[0] < 0, wide.base.nbytes < 3 * wide.nbytes) == (True, True)
    deep = np.zeros((8,) * 7)[(slice(None, None, 4),) * 7]
    assert alike(deep).base.nbytes <= 6 * deep.nbytes


@pytest.mark.parametrize(
    "strides", [[8], [8, 8], [16, 4], [1 << 70, 8], [-(1 << 62), 1 << 62], ["8", 8], [True, 8], [8.0, 8], [None, None], {}, "K"]
)
def test_hostile_strides(strides, tmp_path):
    path = tmp_path / "held.np2"
    save(export(Holder(HELD["steps"], "C * s"), (np.ones(3), np.float64(2))), path)
    changed = tmp_path / "changed.np2"
    changed.write_bytes(rewritten(path.read_bytes(), set_at("arrays", 0, 2, value=strides)))
    try:
        (array,) = load(changed).constants.values()
    except LoadError as refused:
        assert refused.code == "E501"
    else:
        assert array.base.nbytes <= 6 * array.nbytes
