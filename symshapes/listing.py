"""The page ``docs/errors/README.md``: every error code with its slug and what to write instead.

``python -m npexport.symshapes.listing > docs/errors/README.md`` writes it anew.
"""

from __future__ import annotations

from npexport.symshapes.codes import CODES

_HEAD = """# Errors

Generated from `symshapes/codes.py`; write it anew with `python -m npexport.symshapes.listing > docs/errors/README.md`.

Every error has a stable code. `npexport explain E103` prints its page; the pages ship with the package, and a test executes
the example (it is refused with the code) and the rewrite (it runs) of each.

| code | slug | what to write instead |
| --- | --- | --- |
"""


def listing() -> str:
    """The text of the page."""
    rows = [f"| [{row.code}](../../tracer/diagnostics/pages/{row.code}.md) | {row.slug} | {row.hint} |\n" for row in CODES.values()]
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    print(listing(), end="")
