"""The pages of operators are what the records say; each has an example, which runs."""

import doctest
import re
import subprocess
import sys

import numpy as np

from tests.op_samples.examples import documented, entry
from tests.support.paths import DOCS

PAGE = DOCS / "operators.md"
EXAMPLES = DOCS / "operator-examples.md"


def test_the_page_of_operators_is_current():
    # A process of its own: other tests register operators.
    text = subprocess.run([sys.executable, "-m", "npexport.ir.ops.listing"], capture_output=True, text=True, check=True).stdout
    assert PAGE.read_text() == text, "write it anew: python -m npexport.ir.ops.listing > docs/operators.md"


def test_every_operator_has_an_example():
    parts = EXAMPLES.read_text(encoding="utf-8").split("\n### ")[1:]
    told = {part.partition("\n")[0]: f"### {part.partition('```')[0]}".rstrip() for part in parts}
    own = {str(op): entry(op).rstrip() for op in documented()}
    assert {name: told.get(name) for name in own} == own, "write it anew: python -m tests.op_samples.examples > docs/operator-examples.md"
    assert all(re.search(r"^>>> .*\b" + re.escape(name) + r"\(", part, flags=re.MULTILINE) for name, part in zip(told, parts, strict=True))


def test_the_examples_run():
    known = [*map(str, documented())]
    blocks = re.findall(r"```pycon\n(.*?)```", EXAMPLES.read_text(encoding="utf-8"), flags=re.DOTALL)
    # NumPy before 2.4 has fewer functions
    text = "\n".join(block for block in blocks if "import numpy" in block or any(f"{name}(" in block for name in known))
    with np.printoptions():
        test = doctest.DocTestParser().get_doctest(text, {}, EXAMPLES.name, str(EXAMPLES), 0)
        assert doctest.DocTestRunner(verbose=False).run(test).failed == 0
