"""Operators of tables: dicts in compiled programs, in the place of an array of keys, the number of
keys and an array of values.

A table is a value of the graph like an array: a write to it is a new value, in the old one's memory
where nothing else uses that afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.facts import Emit
from npexport.ir.node import CALL, Node, value_of
from npexport.ir.op import Op
from npexport.ir.raising import NOTHING
from npexport.runtime.emission.emit import Source
from npexport.runtime.lists.list_calls import LEAST, MOST, calls
from npexport.runtime.lists.list_texts import checked, named
from npexport.runtime.memory.inherited_memory import block_of
from npexport.runtime.planning.plan import Step
from npexport.symshapes.env import known
from npexport.symshapes.symint import SymInt

TABLE = "table"
"""What marks the metadata of a table; what it is, in the words of `ItemLists.kinds`."""


_NAMESPACE = "table"


def _op(name: str, traits: str = "", text: str = "", lists: bool = False) -> Op:
    def unknown(*args: Any) -> Any:
        raise NotImplementedError(f"{name} is written by the compiler")

    return Op(_NAMESPACE, name, unknown, unknown, traits=frozenset(traits.split()), raises=NOTHING, emit=Emit((text,), lists=lists))


NEW = _op("new")
PUT = _op("put", "c_order scatter")
"""Of a table, a key, a value, and what need not be checked: "", "key", "value" or "key value"."""
PUT_DEFAULT = _op("put_default", "c_order scatter")
"""The same where the key is not there yet."""
HAS, MISSES = _op("has", text="({1} in {0})"), _op("misses", text="({1} not in {0})")
VALUE = _op("value", text="{0}[{1}]")
"""The value of a key that is there."""
GET = _op("get", text="{0}.get({1}, {2})")
"""The value of a key, or another one."""
COUNT = _op("count", text="{len}({0})")
KEYS, VALUES = _op("keys", text="{list}({0})", lists=True), _op("values", text="{list}({0}.values())", lists=True)
"""All keys, all values, as a list or an array."""


def is_table(node: Node) -> bool:
    return TABLE in node.meta


def of_table(node: Node) -> bool:
    """Whether a call computes a table, or something of one."""
    return node.op == CALL and node.target.namespace == _NAMESPACE  # type: ignore[union-attr]


def is_whole(node: Node) -> bool:
    """Whether a call gives all keys or all values."""
    return of_table(node) and node.target.emit.lists  # type: ignore[union-attr]


def is_read(node: Node) -> bool:
    """Whether a call gives the value of a key."""
    return node.target in (VALUE, GET)


def fits_64(value: Any) -> bool:
    """Whether an array of integers surely has room for a value."""
    meta = value_of(value)
    if type(meta) is not SymInt:
        return True
    if calls(value, ops.sym.element):
        return bool(np.can_cast(value.args[0].meta["val"].dtype, np.int64))
    return known(meta >= LEAST) is True and known(meta <= MOST) is True


def table_statements(step: Step, in_place: bool, array: bool, names: Mapping[Node, str], source: Source) -> tuple[str, list[str]]:
    """The text of a table, or of what is read of it, and the lines before; ``array``: whether all
    keys or values are an array. A table that ends here is deleted before the branch that follows.
    """
    node = step.node
    if _asks_at_once(node) and node.args[0] not in step.dead:
        return _text(node, names, source), []
    base = "" if node.target is NEW else names[node.args[0]]
    name = base if in_place and is_table(node) and base else source.fresh()
    if node.target is NEW:
        return name, [f"{name} = {{}}"]
    if is_table(node):
        return name, [*([] if name == base else [f"{name} = {base}.copy()"]), *_put(node, name, names, source)]
    text = _text(node, names, source)
    if array:
        text = f"{source.bind(np.array)}({text}, {source.bind(node.meta['val'].dtype)})"
    elif is_whole(node):
        source.lists.add(name)
    return name, [f"{name} = {text}"]


def _put(node: Node, name: str, names: Mapping[Node, str], source: Source) -> Iterator[str]:
    """The lines that write to the table of this name."""
    key, value, sure = source.text(node.args[1], names), source.text(node.args[2], names), node.args[3]
    for number, (text, operand) in enumerate(((key, node.args[1]), (value, node.args[2]))):
        if ("key", "value")[number] not in sure and not fits_64(operand):
            text, lines = named(text, source)
            key, value = (text, value) if number == 0 else (key, text)
            yield from [*lines, checked(text, operand, source)]
    yield f"{name}.setdefault({key}, {value})" if node.target is PUT_DEFAULT else f"{name}[{key}] = {value}"


def _text(node: Node, names: Mapping[Node, str], source: Source) -> str:
    """The text of what is read of a table."""
    texts = [source.text(arg, names) for arg in node.args]
    (template,) = node.target.emit.templates  # type: ignore[union-attr]
    return template.format(*texts, len=source.bind(len), list=source.bind(list))


def _asks_at_once(node: Node) -> bool:
    """Whether a call asks whether a key is there for the branch that follows it, and for nothing
    else.
    """
    if node.target not in (HAS, MISSES) or len(node.users) != 1:
        return False
    (user,) = node.users
    nodes = node.graph.nodes
    block = block_of(user)
    return block is not None and not block.loops and user.args[0] is node and nodes[nodes.index(node) + 1] is user
