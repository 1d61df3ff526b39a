"""Parts of blocks that one call of C computes: the bits, warnings and errors of the nodes one by one, whatever declines."""

import numpy as np
import pytest

from npexport import export
from npexport.runtime.blocks import expressions, fusion
from npexport.runtime.blocks.fusion_blocks import Blocks
from npexport.runtime.modules.module import make_module
from tests.support.blocks import observed

pytestmark = pytest.mark.skipif(expressions.engine is None, reason="the C extension was not built")
SMALL = fusion.Policy(block=4096, quick=4096, most=1 << 20, least=0, parallel=0, operators=1, overlapping=1)
STATES = ({"all": "ignore"}, {"all": "warn"}, {"all": "raise"})


def layer_norm(x, weight, bias):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return weight * (centred / np.sqrt(variance + 1e-5)) + bias


def both(x, weight, bias):
    scaled = (x - np.max(x, axis=-1, keepdims=True)) * weight - bias
    total = np.sum(scaled, axis=-1, keepdims=True)
    return scaled / total * 2 - x, np.exp(scaled) - total, scaled * scaled * weight


def changed(x, weight, bias):
    x[...] = (x * weight + bias) / np.sum(x * x, axis=-1, keepdims=True) * 2 - x
    return x * 1


def arguments(shape, dtype, words):
    rng = np.random.default_rng(len(words) + shape[-1])
    x, weight, bias = (rng.standard_normal(each).astype(dtype) for each in (shape, shape[-1:], shape[-1:]))
    if words:
        places = rng.random(shape) < 0.01
        x[places] = rng.choice(np.array(words, dtype), int(places.sum()))
    return x, weight, bias


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", [layer_norm, both, changed])
def test_parts_of_blocks(function, dtype, threads, monkeypatch):
    monkeypatch.setattr(fusion, "POLICY", SMALL)
    runs, call = [], Blocks.__call__

    def counted(self, *given):
        result = call(self, *given)
        runs.append(result is not None)
        return result

    monkeypatch.setattr(Blocks, "__call__", counted)
    for shape in ((300, 17), (64, 64), (130, 5), (7, 1), (4, 40, 65), (1, 3), (0, 4)):
        for words in ((), (np.inf, 0.0, -0.0), (np.nan,), (1e38, 1e-42)):
            args = arguments(shape, dtype, words)
            program = export(function, args)
            run, plain = program.module(threads=threads), make_module(program, True, threads=0)
            for state in STATES:
                with np.errstate(**state):
                    found = observed(run, args)
                    assert found == observed(plain, args), (shape, words, state)
                    expected, _ = observed(function, args)
                    if not isinstance(expected[0][1], str):
                        assert found[0] == expected, (shape, words, state)
    assert any(runs)


def test_layers_have_parts():
    args = arguments((4096, 1024), "f4", ())
    run, seen = Blocks.__init__, []

    def noted(self, *given):
        run(self, *given)
        seen.append(self.text)

    Blocks.__init__ = noted
    try:
        export(layer_norm, args).module()
    finally:
        Blocks.__init__ = run
    assert seen
    assert seen[0].count("is None:") >= 2


def scaled_by_rows(x, v, w):
    t = np.sqrt(x) * 2.0
    t *= t.max(axis=-1, keepdims=True)
    return (t * w - v) * 0.5


def scaled_in_place(x, v, w):
    x *= 2.0
    x -= w
    x /= x.max(axis=-1, keepdims=True)
    x += v
    return x


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("function", [scaled_by_rows, scaled_in_place])
def test_nans_of_two_signs_beside_operands_that_are_stretched(function, dtype):
    """Their rows end where NumPy's buffers do, and elsewhere."""
    for shape in ((1500, 257), (600, 700), (130, 27, 79), (400, 1024)):
        rng = np.random.default_rng(0)
        args = [rng.standard_normal(each).astype(dtype) for each in (shape, shape[-1:], (*shape[:-1], 1))]
        for array in args:
            places = rng.random(array.shape) < 0.3
            array[places] = np.copysign(array.dtype.type(np.nan), rng.standard_normal(places.sum()))
        for threads in (1, 2):
            with np.errstate(all="ignore"):
                run = export(function, tuple(array.copy() for array in args)).module(threads=threads)
                expected, found = [call(args[0].copy(), *args[1:]) for call in (function, run)]
            assert found.tobytes() == expected.tobytes()
