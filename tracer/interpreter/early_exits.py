"""Where the paths from both sides of a branch meet again, if some of them leave before.

Behind ``if a and b: return x``, one path comes from where ``a`` is false, and another from where
``b`` is. The sides of the branch on ``a`` meet nowhere before the end of the function, since one of
them contains the ``return``. If they run up to there, both contain what follows: each such
statement doubles it. A *section* ends where what the sides have in common begins.
"""

from __future__ import annotations

from types import CodeType
from typing import NamedTuple

from npexport.tracer.bytecode.flow import closure, predecessors
from npexport.tracer.interpreter.flow_graph import reached, resolved, successors
from npexport.tracer.interpreter.join_points import meeting_point
from npexport.tracer.interpreter.loop_analysis import headers_around
from npexport.tracer.interpreter.program import of_code


class Section(NamedTuple):
    """``end``: where the paths meet that do not leave before. ``members``: it, and the instructions
    from which it is reached.
    """

    end: int
    members: frozenset[int]


@of_code
def section_of(code: CodeType, index: int, starts: tuple[int, int]) -> Section | None:
    """The section of the branch at ``index`` whose sides begin at ``starts``; ``None`` if what the
    sides have in common contains no further branch, so that it may be recorded twice.
    """
    join_point = meeting_point(code, index, starts)
    if join_point is None:
        return None
    edges, headers = successors(code), frozenset(headers_around(code, index))
    stops, begins = headers | {join_point}, [resolved(code, start) for start in starts]
    one, other = [frozenset(reached(code, begin, stops)) for begin in begins]
    shared = (one & other) - {join_point}
    if not any(len(set(edges[each])) > 1 or each in headers for each in shared):
        return None
    before = predecessors(edges)
    entries = [each for each in sorted(shared) if each in begins or not (one | other).intersection(before[each]) <= shared]
    ways = [reached(code, entry, stops) for entry in entries]
    end = resolved(code, max(entries, key=lambda entry: sum(entry in way for way in ways)))  # the last of them
    if end == join_point:
        return None
    within = [() if each in stops or each == end else following for each, following in enumerate(edges)]
    ahead = closure(begins, within)
    members = frozenset(closure((end,), predecessors(within))).intersection({*ahead, end}) - stops | {end}
    return Section(end, members)
