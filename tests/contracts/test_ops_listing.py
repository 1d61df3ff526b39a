"""The page of operators is what the records say."""

import subprocess
import sys

from tests.support.paths import DOCS

PAGE = DOCS / "operators.md"


def test_the_page_of_operators_is_current():
    # A process of its own: other tests register operators.
    text = subprocess.run([sys.executable, "-m", "npexport.ir.ops.listing"], capture_output=True, text=True, check=True).stdout
    assert PAGE.read_text() == text, "write it anew: python -m npexport.ir.ops.listing > docs/operators.md"
