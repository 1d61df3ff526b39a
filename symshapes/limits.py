"""How far this package looks before it gives up: every bound on work and on size, and what reaching
it means.

None of them decides an answer: where a search stops early, a truth stays undecided, so a guard is
recorded or a promise is given up. They bound the time of one question to milliseconds.
"""

from __future__ import annotations

# Sizes as values (symint, floats, env, membership)

SIZE_WEIGHT = 1000
"""Operators in the expression of a size, written out; beyond, the size becomes a constant."""
SIZE_DEPTH = 40
"""Nested operators in the expression of a size; beyond, the size becomes a constant."""
DATA_WEIGHT = 24
"""Operators in the expression of a number or truth that only data know; beyond, it is one of its
own. Rules of operators make larger ones of these.
"""
EXTREMA_WEIGHT = 8
"""Operators in an extremum of numbers that only data know; beyond, it is a number of its own."""
FLOAT_DENOMINATOR = 1 << 10
"""The denominator of a float constant that is taken as an exact quotient."""
EXACT_FLOATS = 1 << 53
"""Up to here every integer is a float (IEEE 754 binary64)."""
EXACT_NUMERATOR = 1 << 52
"""Up to here what is asked of a rounded quotient is what is asked of the exact one."""
MEMORY = 1 << 40
"""The elements of an array: more than memory holds."""
MEMBERSHIP_ITEMS = 64
"""Items of a container for which ``n in container`` is a disjunction of equalities."""
GUARD_STACK = 64
"""Frames that a guard remembers of the user's call chain, the innermost ones."""

# Text (parsing)

PARSED_TEXT = 100_000
"""Characters of an expression."""
PARSED_BITS = 2048
"""Bits of a number: far more than any size has, and few enough to be printed."""
PARSED_EXPONENT = 65536
"""An exponent or shift beyond which no power but those of -1, 0 and 1 is computed anyhow."""

# Decision (decide, elimination, witnesses)

DECIDED_WEIGHT = 64
"""Operators of an expression that is put in for a symbol, times its uses: beyond, it is not put in.
"""
ELIMINATION_ROWS = 160
"""Inequalities that one elimination of a variable may leave; beyond, nothing is refuted."""
ELIMINATION_ATOMS = 24
"""Atoms whose facts and meanings are added to a question."""
ELIMINATION_SPLITS = 3
"""Nested case distinctions (``min``, ``max``, ``!=``, ``or``) in one question."""
WITNESSES = 5
"""Points of values that a new environment starts with: the example, and four others."""
WITNESS_POINTS = 9
"""Points that are kept."""
WITNESS_STARTS = 2
"""Points near which a search for further ones starts."""
WITNESS_MOVES = 6
"""Symbols of a truth that are moved in such a search."""

# Exact sets (regions)

REGION_SPLITS = 64
"""Combinations of remainders that are looked at one by one; also the largest modulus of a set."""
REGION_ENUMERATION = 4096
"""Points of bounded symbols that are enumerated."""
REGION_WINDOW = 6000
"""Consecutive values of one symbol that are counted, up to where its truths have become periodic.
"""
REGION_MEMBERS = 16
"""Members of a finite set that is listed."""

# Fixes (repair)

REPAIR_ATTEMPTS = 24
"""Sets of given-up promises that are tried in order of their number; then the search goes straight
on.
"""
REPAIR_FAILURES = 6
"""Failing requirements beyond which one promise of each is given up at once."""
REPAIR_ROUNDS = 4
"""Times that a repair is filled in again with what it implies."""
