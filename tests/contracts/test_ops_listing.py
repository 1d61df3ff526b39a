"""The pages of operators are what the records say; each has an example, which runs."""

import doctest
import re
import subprocess
import sys

import numpy as np
import pytest

from tests.op_samples.examples import documented, documented_of_scipy, entry
from tests.support.paths import DOCS

PAGE = DOCS / "operators.md"
EXAMPLES, OF_SCIPY = DOCS / "operator-examples.md", DOCS / "scipy-operators.md"


def test_the_page_of_operators_is_current():
    # A process of its own: other tests register operators.
    text = subprocess.run([sys.executable, "-m", "npexport.ir.ops.listing"], capture_output=True, text=True, check=True).stdout
    assert PAGE.read_text() == text, "write it anew: python -m npexport.ir.ops.listing > docs/operators.md"


def entries(page):
    """The texts under the headings of a page, by operator."""
    parts = page.read_text(encoding="utf-8").split("\n### ")[1:]
    return {part.partition("\n")[0]: f"### {part}" for part in parts}


def has_example(name, text):
    return bool(re.search(r"^>>> .*\b" + re.escape(name) + r"\(", text, flags=re.MULTILINE))


def test_every_operator_has_an_example():
    told = entries(EXAMPLES)
    own = {str(op): entry(op).rstrip() for op in documented()}
    found = {name: told.get(name, "").partition("```")[0].rstrip() for name in own}
    assert found == own, "write it anew: python -m tests.op_samples.examples > docs/operator-examples.md"
    assert all(map(has_example, told, told.values()))


def test_operators_of_scipy_have_examples():
    """… but for those of C that trusts its arguments."""
    scipy = pytest.importorskip("scipy", minversion="1.18")
    told, own = entries(OF_SCIPY), documented_of_scipy()
    missing = {str(op) for op in own}.difference(told)
    assert not missing or scipy.__version__ >= "1.19", "write it anew: python -m tests.op_samples.examples scipy > docs/scipy-operators.md"
    for op in own:
        assert str(op) in missing or has_example(str(op), told[str(op)]) is ("unchecked" not in op.traits), op


def test_the_examples_run():
    known = [*map(str, documented())]
    blocks = re.findall(r"```pycon\n(.*?)```", EXAMPLES.read_text(encoding="utf-8"), flags=re.DOTALL)
    # NumPy before 2.4 has fewer functions
    text = "\n".join(block for block in blocks if "import numpy" in block or any(f"{name}(" in block for name in known))
    with np.printoptions():
        test = doctest.DocTestParser().get_doctest(text, {}, EXAMPLES.name, str(EXAMPLES), 0)
        assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
