"""What a call is asked once, before its nodes: may results lie where the plan wants them?"""

from __future__ import annotations

from collections.abc import Mapping

from npexport.ir.error_states import actions_of
from npexport.ir.graph import Graph, Node
from npexport.runtime.emission.emit import Source
from npexport.runtime.error_state import errors_pass, warnings_pass
from npexport.runtime.planning.plan import Plan, When


def assumptions(plan: Plan, graph: Graph, names: Mapping[Node, str], source: Source) -> tuple[dict[When, str], list[str]]:
    """The variables that say whether the call is quiet, and whether it is as assumed, as far as
    steps ask for that; and their lines.
    """
    written, ordered = ({f"{names[node]}.flags.c_contiguous": None for node in nodes} for nodes in (plan.written, plan.ordered))
    if plan.exact:
        states = [node.meta.get("errors") for each in graph.all_graphs() for node in each.nodes]
        asked = [errors_pass, warnings_pass] if "warn" in actions_of(states) else [errors_pass]
        written |= {f"{source.bind(question)}()": None for question in asked}
    found: dict[When, str] = {}
    lines = []
    if any(step.is_quiet for step in plan.steps):
        found["quiet"] = source.fresh()
        lines.append(f"{found['quiet']} = {' and '.join(written) or True}")
        ordered = {found["quiet"]: None} | {term: None for term in ordered if term not in written}
    else:
        ordered |= written
    if any(step.is_assumed for step in plan.steps):
        found["assumed"] = source.fresh()
        lines.append(f"{found['assumed']} = {' and '.join(ordered) or True}")
    return found, lines
