"""The page of core operators is what the decompositions say, and gives a reason for each."""

import subprocess
import sys

from npexport import core_operators
from npexport.ir.decompositions.core import GROUPS
from tests.support.paths import DOCS

PAGE = DOCS / "core-operators.md"


def test_the_page_of_core_operators_is_current():
    # A process of its own: other tests register operators.
    text = subprocess.run([sys.executable, "-m", "npexport.ir.decompositions.listing"], capture_output=True, text=True, check=True).stdout
    assert PAGE.read_text() == text, "write it anew: python -m npexport.ir.decompositions.listing > docs/core-operators.md"


def test_every_core_operator_has_one_reason():
    told = [name for _, names in GROUPS.values() for name in names.split()]
    core = {str(op).removeprefix("ops.") for op in core_operators()}
    assert core - set(told) == set(), "give them a decomposition (ir/decompositions), or a reason in GROUPS of ir/decompositions/core.py"
    assert set(told) - core == set(), "these have a decomposition, so that they need no reason"
    assert len(told) == len(set(told))
    assert all(reason for reason, _ in GROUPS.values())
