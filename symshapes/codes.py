"""The table of error codes: one row a code. A code never changes its meaning; a page ``docs/errors/<code>-<slug>.md`` explains each."""

from __future__ import annotations

from typing import NamedTuple


class Code(NamedTuple):
    """One row: the stable code and slug, and the hint that is shown where the raiser gives no better one."""

    code: str
    slug: str
    hint: str


_ROWS = (
    # E1xx: constructs that strict mode cannot capture (Unsupported)
    Code("E101", "unknown-c-function", "Replace the call by NumPy functions, or call it outside the exported function and pass its result in."),
    Code("E102", "unsupported-instruction", "Rewrite the statement with simpler ones."),
    Code("E103", "data-dependent-branch", "Use np.where(condition, a, b), so that both sides are computed and the data chooses."),
    Code("E104", "data-dependent-value", "Keep the value as an array: the program cannot know it while it is being exported."),
    # E2xx: malformed calls (UserError)
    Code("E201", "bad-argument", "Check the call against the documentation."),
    # E3xx: dynamic shapes (ConstraintViolation and spec errors)
    Code("E301", "constraint-violation", "Apply the suggested fixes."),
    # E4xx: calls of exported programs (InputMismatch)
    Code("E401", "input-mismatch", "Call the program with inputs like the examples, or export it again with a wider specification."),
    # E5xx: archives (LoadError)
    Code("E501", "damaged-archive", "Save the program again and copy the file whole."),
    # E9xx: defects of npexport (InternalError)
    Code("E901", "internal-error", "This is a defect of npexport, not of your program; please report it with the program."),
)

CODES: dict[str, Code] = {row.code: row for row in _ROWS}
if len(CODES) != len(_ROWS):
    raise AssertionError("an error code is declared twice")
