"""``set_logs`` and ``NPEXPORT_LOG``: what exports do, through ``logging``."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys

import numpy as np
import pytest

from npexport import ConstraintViolation, Dim, UserError, export, ops, set_logs
from npexport.tracer.diagnostics import logs
from tests.support.paths import ROOT


def doubled(x):
    return x[: len(x)] * 2 if x.shape[0] > 2 else x


def exported():
    return export(doubled, (np.ones(4),), dynamic_shapes={"x": {0: Dim.AUTO}})


TOLD = {
    "bytecode": f"doubled:{doubled.__code__.co_firstlineno + 1} LOAD_FAST",
    "graph": "class GraphModule",
    "guards": "x.shape[0] >= 3",
    "sizes": "s0: VR",
    "models": "call of builtins.len",
}


@pytest.mark.parametrize("topic", TOLD)
def test_each_topic_has_a_logger(topic, caplog):
    try:
        set_logs(topic)
        exported()
    finally:
        set_logs()
    assert {record.name for record in caplog.records} == {f"npexport.{topic}"}
    assert any(TOLD[topic] in record.getMessage() for record in caplog.records)
    caplog.clear()
    exported()
    assert not caplog.records and logging.getLogger(f"npexport.{topic}").level == logging.NOTSET


def test_a_refused_program_is_told_as_far_as_it_came(caplog):
    try:
        set_logs("graph", "guards")
        with pytest.raises(ConstraintViolation):
            export(lambda x, y: np.sin(x) + y, (np.ones(4), np.ones(4)), dynamic_shapes=({0: Dim("n")}, {0: Dim("m")}))
    finally:
        set_logs()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2 and "ops.np.sin" in told[0] and "x.shape[0] == y.shape[0]" in told[1]


def test_models_are_told_by_the_names_that_users_know(caplog):
    try:
        set_logs("models")
        export(lambda x: ops.nn.relu(x.sum(axis=0)).reshape(-1), (np.ones((4, 3)),))
    finally:
        set_logs()
    told = {record.getMessage() for record in caplog.records}
    assert told >= {"call of numpy.ndarray.sum", "call of ops.nn.relu", "call of numpy.ndarray.reshape"}


def test_unknown_topics():
    with pytest.raises(UserError) as refused:
        set_logs("graph", "speed")
    assert refused.value.code == "E201" and "sizes" in refused.value.hint


@pytest.mark.parametrize("wanted, told", [("graph, guards", True), ("", False)])
def test_environment(wanted, told):
    program = "import numpy as np, npexport; npexport.export(np.sin, (np.ones(3),))"
    environment = {**os.environ, "NPEXPORT_LOG": wanted}
    ran = subprocess.run([sys.executable, "-c", program], env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    assert ("npexport.graph: ExportedProgram" in ran.stderr) is told and ran.stdout == ""


def test_the_environment_is_read_once_and_named(monkeypatch):
    monkeypatch.setenv("NPEXPORT_LOG", "graph,speed")
    monkeypatch.setattr(logs._logs, "read", False)
    with pytest.raises(UserError, match=r"NPEXPORT_LOG: there is no log of 'speed'") as refused:
        exported()
    assert [entry.name for entry in refused.traceback][1:] in (["exported", "export"], ["exported", "export", "exported"])
    assert exported().graph is not None


def test_reports_are_data():
    def shown(x):
        print("once")
        return x * SCALE

    report = exported().report.as_dict()
    assert report["seconds"] > 0
    printed = export(shown, (np.ones(2),)).report.as_dict()
    assert json.loads(json.dumps(printed)) == printed
    assert "".join(row["text"] for row in printed["emitted"]) == "once\n"
    assert any("SCALE" in row["path"] and row["value"] == "3.0" for row in printed["reads"])


SCALE = 3.0
