"""Every program of the corpora keeps what it computes, to the last bit, on each way there and back.

They are taken apart, written as NumPy, saved and mapped, printed and parsed, drafted, exported with ``strict=False``.
"""

from __future__ import annotations

import copy
import itertools
import pickle
import subprocess
import sys
import warnings

import pytest

from npexport import ExportError, UserError, diff, draft_export, export, frame_hook, load, save, unflatten
from npexport.ir.parsing import parse_graph
from npexport.ir.printing import graph_code
from tests.support import plain_run
from tests.support.corpora import BY_CHAPTER
from tests.support.shards import shard

PARTS = 4
"""A chapter is taken in so many parts: the longest would be the last that a suite waits for."""


def exported(chapter, part):
    """The programs in a part of a chapter that are exported, with their cases; those that raise at the example have none, nor have loops of
    textbooks that are refused."""
    for case in BY_CHAPTER[chapter]()[part::PARTS]:
        try:
            yield case, export(case.program, copy.deepcopy(case.args), dynamic_shapes=case.spec)
        except ExportError as error:
            assert chapter == "textbook" or (error.code == "E119" and frame_hook() == "settrace"), case.name
        except Exception:
            continue


RAISING = {"ops.control.check", "ops.control.raised"}
"""Operators of exceptions that data decide, which have no plain form in branches and loops."""


def leaves(run, args):
    return [pickle.dumps(leaf) for leaf in plain_run.called(run, copy.deepcopy(args))]


def parsed(program):
    environments = program.graph.environments()
    again = parse_graph(graph_code(program.graph), environments[0] if environments else None)
    return [line for line in graph_code(again).splitlines() if line.strip()]


def printed(program):
    return [line for line in graph_code(program.graph).splitlines() if line.strip() and not line.strip().startswith("#")]


@pytest.mark.slow
@pytest.mark.parametrize(("chapter", "part"), shard(itertools.product(BY_CHAPTER, range(PARTS)), 3))
def test_round_trips(chapter, part, tmp_path):
    warnings.simplefilter("ignore")
    expected, programs = {}, list(exported(chapter, part))
    for number, (case, program) in enumerate(programs):
        expected[number] = case.name, leaves(program.module(), case.args)
        assert leaves(unflatten(program), case.args) == expected[number][1], case.name
        path = tmp_path / "program.np2"
        save(program, path)
        again = load(path, mmap=True)
        assert not diff(program, again) and leaves(again.module(), case.args) == expected[number][1], case.name
        assert parsed(program) == printed(program), case.name
        draft = draft_export(case.program, copy.deepcopy(case.args), dynamic_shapes=case.spec)
        assert draft.report.success and not diff(program, draft), case.name
        loose = export(case.program, copy.deepcopy(case.args), dynamic_shapes=case.spec, strict=False)
        assert not diff(program, loose), case.name
        try:
            program.to_python(tmp_path / f"m{number}.py")
        except UserError as refusal:
            assert refusal.code == "E244" and RAISING & {str(node.target) for graph in program.graph.all_graphs() for node in graph.nodes}
            del expected[number]
            continue
        (tmp_path / f"m{number}.args").write_bytes(pickle.dumps(case.args))
    assert programs
    subprocess.run([sys.executable, plain_run.__file__, str(tmp_path)], check=True, cwd=tmp_path)
    for number, (name, result) in expected.items():
        found = pickle.loads((tmp_path / f"m{number}.result").read_bytes())
        assert [pickle.dumps(leaf) for leaf in found] == result, name
