"""The catalogue: one page a code, shipped with the package, whose failing example and rewrite a
test executes.

A page is Markdown with a fixed front::

    # E103 data-dependent-branch
    ## What happened
    ## Why
    ## Example
    ```python
    ...             # raises an error with this code
    ```
    ## Instead
    ```python
    ...             # runs
    ```
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from npexport.symshapes.codes import CODES
from npexport.symshapes.errors import UserError

SECTIONS = ("What happened", "Why", "Example", "Instead")


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page: ``example`` fails with ``code``; ``rewrite`` is what to write instead."""

    code: str
    slug: str
    text: str
    sections: dict[str, str]

    @property
    def example(self) -> str:
        return _program(self.sections["Example"])

    @property
    def rewrite(self) -> str:
        return _program(self.sections["Instead"])


def page(code: str) -> Page:
    """The page of a code such as ``"E103"`` or slug such as ``"data-dependent-branch"``.

    Raises ``UserError`` for an unknown one.

    >>> page("E103").slug
    'data-dependent-branch'
    """
    wanted = code.strip()
    row = CODES.get(wanted.upper()) or next((row for row in CODES.values() if row.slug == wanted.lower()), None)
    if row is None:
        raise UserError("E201", f"there is no error code {code!r}", hint=f"The codes are {', '.join(sorted(CODES))}.")
    from importlib.resources import files  # slow to import

    return parse((files(__package__) / "pages" / f"{row.code}.md").read_text(encoding="utf-8"))


def parse(text: str) -> Page:
    """Read a page. Raises ``ValueError`` unless it has the form in the module's docstring."""
    title, *rest = re.split(r"^## +(.+)$", text, flags=re.MULTILINE)
    heading = re.fullmatch(r"# (E\d{3}) ([a-z0-9-]+)\s*", title)
    if heading is None:
        raise ValueError(f"a page starts with '# <code> <slug>', not {title.strip()!r}")
    sections = {name.strip(): body.strip() for name, body in zip(rest[::2], rest[1::2], strict=True)}
    if tuple(sections) != SECTIONS:
        raise ValueError(f"page {heading[1]} has the sections {tuple(sections)}, not {SECTIONS}")
    return Page(heading[1], heading[2], text, sections)


def _program(section: str) -> str:
    found = re.search(r"```python\n(.*?)```", section, flags=re.DOTALL)
    if found is None:
        raise ValueError("a section Example or Instead holds one block of Python")
    return found[1]
