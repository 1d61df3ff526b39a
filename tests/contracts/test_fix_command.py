"""``npexport fix``: the specification that a program needs, as code that exports."""

import numpy as np
import pytest

from npexport import Dim, export
from npexport.cli import main

PROGRAM = """
import numpy as np
from npexport import Dim


def pool(x, y):
    return x.reshape(-1, 4).sum(axis=1) * y


def example_inputs():
    return np.ones(12), np.ones(3)
"""


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("({0: Dim('a', max=40)}, {0: Dim('b')})", "b = Dim('b', max=10)\ndynamic_shapes = ({0: 4*b}, {0: b})"),
        ("{'x': {0: 4 * Dim('b')}, 'y': {0: Dim('b')}}", "b = Dim('b')\ndynamic_shapes = {'x': {0: 4*b}, 'y': {0: b}}"),
        (None, "dynamic_shapes = {'x': {0: Dim.AUTO}, 'y': {0: Dim.AUTO}}"),
    ],
)
def test_fix(spec, code, tmp_path, capsys):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM + (f"\n\ndynamic_shapes = {spec}\n" if spec else ""))
    assert main(["fix", f"{file}:pool"]) == 0
    printed = capsys.readouterr().out
    assert "\n".join(line for line in printed.splitlines() if not line.startswith("#")) == code
    scope = {"Dim": Dim}
    exec(code, scope)

    def pool(x, y):
        return x.reshape(-1, 4).sum(axis=1) * y

    program = export(pool, (np.ones(12), np.ones(3)), dynamic_shapes=scope["dynamic_shapes"])
    np.testing.assert_array_equal(program.module()(np.ones(8), np.ones(2)), [4.0, 4.0])
