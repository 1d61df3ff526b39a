"""Standard streams that are closed or full: a command does what it is for, or says why not, and ends with its own code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from npexport import export, save

FULL = Path("/dev/full")
RUN = 'exec "$0" -c "import sys; from npexport.cli import main; sys.exit(main(sys.argv[1:]))" "$@" '


def ended(command, streams, folder):
    """The exit code and what is told of a command, whose streams the shell changes."""
    save(export(lambda x: x + 1, (np.ones(3),)), folder / "f.np2")
    given = [str(folder / part) if part.endswith(".np2") else part for part in command]
    done = subprocess.run(["sh", "-c", RUN + streams, sys.executable, *given], capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    return done


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    ("command", "code"), [(("verify", "f.np2"), 0), (("show", "f.np2"), 0), (("show", "absent.np2"), 2), (("explain", "E103"), 0)]
)
def test_nobody_listens(command, code, form, tmp_path):
    for streams in (">&-", ">&- 2>&-"):
        assert ended([*command, "--format", form], streams, tmp_path).returncode == code


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is full")
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("command", [("verify", "f.np2"), ("show", "f.np2"), ("explain", "E103")])
def test_output_that_does_not_fit_is_an_error(command, form, tmp_path):
    done = ended([*command, "--format", form], f">{FULL}", tmp_path)
    assert done.returncode == 2 and "No space left on device" in done.stderr


def test_a_document_is_alone_where_errors_go_nowhere(tmp_path):
    done = ended(["show", "absent.np2", "--format", "json"], "2>&-", tmp_path)
    assert done.returncode == 2 and json.loads(done.stdout)["error"]["code"] is None
