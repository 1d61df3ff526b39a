"""The opset of a program: the versions of the operator namespaces that it uses."""

from __future__ import annotations

from npexport.ir.graph import CALL, Graph
from npexport.ir.op import REGISTRY, Op

OPSET_VERSION = {"np": 1, "nn": 1, "sym": 1, "py": 1, "random": 1, "control": 1}
"""The version of each namespace of operators; it grows when the meaning of one changes."""
for _namespace, _version in OPSET_VERSION.items():
    REGISTRY.declare(_namespace, _version)


def opset_of(graph: Graph) -> dict[str, int]:
    """The versions of npexport's own namespaces, and of all others that a graph uses."""
    nodes = (node for each in graph.all_graphs() for node in each)
    used = sorted({node.target.namespace for node in nodes if node.op == CALL and isinstance(node.target, Op)})
    return OPSET_VERSION | {name: REGISTRY.version(name) or 1 for name in used if name not in OPSET_VERSION}


def homed(graph: Graph) -> list[Op]:
    """The operators of users that a graph calls, by name."""
    found = {node.target for each in graph.all_graphs() for node in each if isinstance(node.target, Op) and node.target.home}
    return sorted(found, key=str)
