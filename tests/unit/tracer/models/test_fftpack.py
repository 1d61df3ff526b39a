"""``scipy.fftpack``, which calls C below ``scipy.fft``: with values, and with what is written into."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from npexport import Dim, Unsupported, export
from tests.support.shards import shard

fftpack = pytest.importorskip("scipy.fftpack")

COSINES = [{"type": kind, "norm": norm} for kind, norm in ((1, None), (2, None), (2, "ortho"), (3, "ortho"))]
ONE = [{}, {"n": 3}, {"n": 9}, {"axis": 0}, {"overwrite_x": True}]
SEVERAL = [{}, {"shape": (3, 9)}, {"axes": (0,)}, {"axes": (1, 0)}, {"overwrite_x": True}]
FORMS = [
    *itertools.product(("fft", "ifft", "rfft", "irfft"), ONE, [{}]),
    *itertools.product(("fft2", "ifft2", "fftn", "ifftn"), SEVERAL, [{}]),
    *itertools.product(("dct", "idct", "dst", "idst"), ONE, COSINES),
    *itertools.product(("dctn", "idctn", "dstn", "idstn"), SEVERAL, COSINES),
]
IN_PLACE = [(name, form) for name in ("fft2", "ifft2", "fftn", "ifftn") for form in ({"shape": (3, 9)}, {"overwrite_x": True})]
KINDS = (("float64", ({0: Dim("n", min=3)},)), ("float32", None), ("int16", None), ("complex128", None))


@pytest.mark.parametrize(("name", "form", "kind"), shard(FORMS, 6))
def test_transforms_equal_eager(name: str, form: dict[str, Any], kind: dict[str, Any]) -> None:
    def program(x):
        return getattr(fftpack, name)(x, **form, **kind), x

    compared = 0
    for dtype, shapes in KINDS:
        x = (np.random.default_rng(1).normal(size=(4, 7)) * 9).astype(dtype)
        try:
            program(x.copy())
        except TypeError:  # a real transform of complex numbers
            continue
        if dtype == "complex128" and (name, form) in IN_PLACE:
            with pytest.raises(Unsupported, match="rounds otherwise in place"):
                export(program, (x.copy(),))
            continue
        run = export(program, (x.copy(),), dynamic_shapes=shapes).module()
        for size in (4,) if shapes is None else (3, 4, 6):
            data = np.resize(x, (size, 7))
            for found, wanted in zip(run(data.copy()), program(data.copy()), strict=True):
                assert (found.dtype, found.shape, found.tobytes()) == (wanted.dtype, wanted.shape, wanted.tobytes())
                compared += 1
    assert compared


def test_c_of_other_libraries_is_refused_by_its_own_name() -> None:
    core = pytest.importorskip("scipy.io._fast_matrix_market._fmm_core", reason="this SciPy reads matrices in another way")
    with pytest.raises(Unsupported, match=r"`scipy\.io\._fast_matrix_market\._fmm_core\.open_read_file` is implemented in C"):
        export(lambda x: core.open_read_file(x, 1), (np.eye(3),))
