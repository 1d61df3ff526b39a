"""Seeds of random programs: fresh for each change of the sources, and the same whenever one commit is tested again."""

from __future__ import annotations

import functools
import hashlib
import os

from tests.support.sources import SOURCES


@functools.cache
def fresh_seed() -> int:
    """A number below 2**30 drawn from the text of the product, or ``NPEXPORT_FRESH_SEED``.

    No two changes run the same random programs, and a failure is seen again by whoever runs the suite of that commit.
    """
    if given := os.environ.get("NPEXPORT_FRESH_SEED"):
        return int(given)
    digest = hashlib.sha256()
    for path in SOURCES:
        digest.update(path.read_bytes())
    return int.from_bytes(digest.digest()[:4]) >> 2
