"""The nodes of a graph."""

from __future__ import annotations

import keyword
import unicodedata
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from npexport.ir.arguments import leaves_of, map_leaves
from npexport.ir.op import Op
from npexport.symshapes.errors import UserError
from npexport.symshapes.plain import with_article

PLACEHOLDER, CALL, OUTPUT = "placeholder", "call_function", "output"


def map_nodes(arg: Any, fn: Callable[[Node], Any]) -> Any:
    """``arg`` with ``fn`` applied to every node in it; containers are rebuilt, everything else is
    kept.
    """
    return map_leaves(arg, lambda leaf: fn(leaf) if type(leaf) is Node else leaf)


class SubGraph:
    """A graph among the arguments of a call of a control operator, known by its name."""

    name: str
    graph: Any


def sub_graphs(nodes: Iterable[Node]) -> list[Any]:
    """The graphs among the arguments of these nodes, in order."""
    return [arg for node in nodes for arg in node.args if type(arg) is not Node and isinstance(arg, SubGraph)]


class Node:
    """One node; ``target`` is an ``Op`` for calls, the placeholder's own name or ``"output"``
    otherwise.

    ``users`` are the nodes with this one among their arguments, in order of creation: assigning
    ``args`` or ``kwargs`` of a node keeps them up to date. Lists and dicts in arguments that are
    changed in place are read again by the methods of the graph and by whatever uses the program.
    Nodes are removed by ``Graph.keep``, and are not users any more.
    """

    __slots__ = ("_args", "_kwargs", "_operands", "graph", "meta", "name", "op", "place", "target", "users")

    def __init__(self, name: str, op: str, target: Op | str, args: tuple[Any, ...], kwargs: dict[str, Any], meta: dict[str, Any]) -> None:
        self.name = name
        self.op = op
        self.target = target
        self.meta = meta
        self.graph: Any = None  # the one that it was last put into
        self.place = 0  # a number that tells `Graph.position` where to look
        self.users: dict[Node, None] = {}
        self._operands: dict[Node, None] = {}
        self._take(args, kwargs)

    @property
    def args(self) -> tuple[Any, ...]:
        """The positional arguments."""
        return self._args

    @args.setter
    def args(self, args: tuple[Any, ...]) -> None:
        if type(args) not in (tuple, list):
            raise _refused(f"the arguments of {self.name} are {with_article(type(args).__name__)}, not a tuple")
        if self.op == OUTPUT and [*map(type, args)] != [tuple]:
            raise _refused(f"the output of a graph has one argument, the tuple of its values, not {args!r}")
        self._take(tuple(args), self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """The keyword arguments."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs: dict[str, Any]) -> None:
        if type(kwargs) is not dict:
            raise _refused(f"the keyword arguments of {self.name} are {with_article(type(kwargs).__name__)}, not a dict")
        self._take(self._args, kwargs)

    def _take(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.release()
        self._args, self._kwargs = args, kwargs
        if self.op == OUTPUT:
            self.meta["val"] = map_nodes(args[0], lambda operand: operand.meta.get("val"))
        self._operands = self._standing_in_arguments()
        self.claim()
        if self.graph is not None:
            self.graph.watch(self)

    def _standing_in_arguments(self) -> dict[Node, None]:
        leaves = leaves_of((self._args, self._kwargs) if self._kwargs else self._args)
        return dict.fromkeys([leaf for leaf in leaves if type(leaf) is Node])

    def refresh(self) -> None:
        """Take note of lists and dicts in the arguments that were changed in place."""
        if [*self._standing_in_arguments()] != [*self._operands]:
            self._take(self._args, self._kwargs)

    def claim(self) -> None:
        """Be a user of the operands."""
        for operand in self._operands:
            operand.users[self] = None

    def release(self) -> None:
        """Be no user of the operands any more."""
        for operand in self._operands:
            operand.users.pop(self, None)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes that stand in the arguments, each once, in order."""
        return list(self._operands)

    def replace_all_uses_with(self, replacement: Node, delete_user_cb: Callable[[Node], bool] = lambda user: True) -> list[Node]:
        """Let all users of this node use another one, which does not use itself instead.

        Where the graph's output is among them, the signature of the program names the other node.

        Parameters
        ----------
        replacement : Node
            A node of the same graph that stands before the users.
        delete_user_cb : callable, optional
            Of a user, whether it is to be changed.

        Returns
        -------
        list of Node
            The users that were changed.

        Raises
        ------
        UserError
            A user stands before the replacement (E243); nothing is changed.

        Examples
        --------
        >>> import numpy as np, npexport
        >>> program = npexport.export(lambda x: np.sin(x) + 1, (np.zeros(3),))
        >>> (sin,) = program.graph.find_nodes(target=npexport.ops.np.sin)
        >>> with program.graph.inserting_after(sin):
        ...     cos = program.graph.call_function(npexport.ops.np.cos, sin.args)
        >>> sin.replace_all_uses_with(cos)
        [add]
        >>> program.module()(np.zeros(3))
        array([2., 2., 2.])
        """
        return editing().replace_uses(self, replacement, delete_user_cb)  # type: ignore[no-any-return]

    def replace_input_with(self, old: Node, new: Node) -> None:
        """Let this node use ``new`` where it uses ``old``; raises as
        `replace_all_uses_with` does.
        """
        if not isinstance(old, Node):
            raise UserError("E243", f"{old!r} is not a node, which {self.name} could use", hint="Take one of node.all_input_nodes.")
        old.replace_all_uses_with(new, lambda user: user is self)

    def row(self, place: Callable[[Node], Any]) -> tuple[Any, ...]:
        """What `Node` takes to make this one, with what ``place`` gives for the operands."""
        args, kwargs = map_nodes((self._args, self._kwargs), place)
        return self.name, self.op, self.target, args, kwargs, self.meta

    def __reduce__(self) -> Any:
        """A copy of a node stands in a copy of its graph."""
        index = None if self.graph is None else self.graph.position(self)
        if index is not None:
            return _standing, (self.graph, index)
        return Node, self.row(lambda operand: operand)

    def __repr__(self) -> str:
        return self.name


def _refused(problem: str) -> UserError:
    return UserError("E243", problem, hint="Assign what graph.call_function takes: node.args = (x, 1); node.kwargs = {}.")


def _standing(graph: Any, index: int) -> Any:
    return graph.nodes[index]


def editing() -> Any:
    """The room for edits by hand, which knows the laws of graphs and the rules of operators;
    imported at the first use.
    """
    return import_module("npexport.ir.editing")


def is_name(text: str) -> bool:
    """Whether Python reads a text as one identifier, and as this very one."""
    if not text.isidentifier() or keyword.iskeyword(text):
        return False
    return text.isascii() or unicodedata.is_normalized("NFKC", text)


def value_of(arg: Any) -> Any:
    """The value of a node's argument: the meta of a node, or the argument itself."""
    return arg.meta["val"] if type(arg) is Node else arg
