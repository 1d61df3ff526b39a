"""The programs of the benchmarks, in small sizes: they compute what they should, and exported they compute the same."""

from __future__ import annotations

import copy
import importlib.util

import numpy as np
import pytest

from npexport import export, nn
from tests.support.paths import ROOT


def _loaded(name):
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


programs, random_programs = _loaded("programs"), _loaded("random_programs")

GPT2 = {"layers": 2, "size": 16, "heads": 2, "vocabulary": 32, "length": 6}
SMALL = {
    "gpt2": (programs.gpt2, programs.gpt2_inputs(**GPT2), programs.gpt2_inputs(**GPT2, seed=1)),
    "resnet_block": (programs.resnet_block, programs.resnet_block_inputs(4, 5), programs.resnet_block_inputs(4, 5, seed=1)),
    "mlp": (programs.mlp, programs.mlp_inputs(), programs.mlp_inputs(seed=1)),
    "sin_cos": (programs.sin_cos, (np.ones((3, 3)), np.ones((3, 3))), (np.eye(3), np.tri(3))),
    "chain": (programs.chain, (np.ones((4, 4)), 200), (np.eye(4), 200)),
    "integer_loop": (programs.integer_loop, (np.ones(3), 500), (np.zeros(3), 500)),
}


@pytest.mark.parametrize("name", SMALL)
def test_exported_programs_compute_the_same(name):
    function, example, other = SMALL[name]
    run = export(function, example).module()
    for args in (example, other):
        np.testing.assert_allclose(run(*args), function(*args), rtol=1e-6, atol=1e-6)


def test_the_gpt2_shape_has_the_size_it_is_measured_at():
    program = export(programs.gpt2, programs.gpt2_inputs())
    calls = [node for node in program.graph.nodes if node.op == "call_function"]
    assert 400 <= len(calls) <= 900


def test_gpt2_is_the_network_of_nn():
    tokens, mask, params, heads = programs.gpt2_inputs(**GPT2)
    x = params["wte"][tokens] + params["wpe"][: tokens.shape[1]]
    for block in params["blocks"]:
        attn, mlp = block["attn"], block["mlp"]
        layer = nn.MultiheadAttention(16, heads, batch_first=True)
        layer.in_proj_weight, layer.in_proj_bias = attn["c_attn"]["w"].T, attn["c_attn"]["b"]
        layer.out_proj.weight, layer.out_proj.bias = attn["c_proj"]["w"].T, attn["c_proj"]["b"]
        h = nn.functional.layer_norm(x, (16,), block["ln_1"]["g"], block["ln_1"]["b"])
        x = x + layer(h, h, h, attn_mask=mask < 0)[0]
        h = nn.functional.layer_norm(x, (16,), block["ln_2"]["g"], block["ln_2"]["b"])
        h = nn.functional.gelu(h @ mlp["c_fc"]["w"] + mlp["c_fc"]["b"], "tanh")
        x = x + h @ mlp["c_proj"]["w"] + mlp["c_proj"]["b"]
    x = nn.functional.layer_norm(x, (16,), params["ln_f"]["g"], params["ln_f"]["b"])
    np.testing.assert_allclose(programs.gpt2(tokens, mask, params, heads), x @ params["wte"].T, rtol=1e-3, atol=1e-5)


def test_llama_continues_from_its_caches():
    tokens = np.random.default_rng(0).integers(0, 64, (1, 7))
    whole = programs.Llama()(tokens, 0)
    model = programs.Llama()
    model(tokens[:, :5], 0)
    model(tokens[:, 5:6], 5)
    np.testing.assert_allclose(model(tokens[:, 6:], 6), whole, rtol=1e-4, atol=1e-5)


def test_exported_llama_keeps_caches_of_its_own():
    tokens = np.random.default_rng(0).integers(0, 64, (1, 7))
    model = programs.Llama()
    first = export(model, (tokens[:, :5], 0))
    assert not model.blocks[0].cache_k.any(), "export changes nothing"
    eager = copy.deepcopy(model)
    run = first.module()
    np.testing.assert_allclose(run(tokens[:, :5], 0), eager(tokens[:, :5], 0), rtol=1e-5, atol=1e-6)
    assert not model.blocks[0].cache_k.any() and eager.blocks[0].cache_k.any()
    written = {name: value for name, value in run.named_buffers() if "cache" in name}
    assert len(written) == 4
    for index, block in enumerate(eager.blocks):
        np.testing.assert_allclose(written[f"blocks.{index}.cache_k"], block.cache_k, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(24))
def test_random_programs_compute_the_same_to_the_bit(seed):
    function, arguments, text = random_programs.program(seed, largest=1_000)
    with np.errstate(all="ignore"):
        run = export(function, arguments()).module()
        args, own = arguments(), arguments()
        assert random_programs.same(run(*own), function(*args)) and random_programs.same(own, args), text
