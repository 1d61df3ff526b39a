"""The interface of exported programs to their laws."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from npexport.ir.call_signatures import ModuleCallEntry
from npexport.ir.call_spec import CallSpec
from npexport.ir.edited import Form
from npexport.ir.graph import Graph
from npexport.ir.signature import ExportGraphSignature, InputSpec
from npexport.symshapes.ranges import ValueRanges


class Program(Protocol):
    """An exported program as its laws see it; :class:`npexport.ir.program.ExportedProgram`
    documents each part.
    """

    graph_signature: ExportGraphSignature
    call_spec: CallSpec
    state_dict: dict[str, Any]
    constants: dict[str, Any]
    ranges: dict[Any, ValueRanges]
    guards: Sequence[Any]
    held: Form

    @property
    def module_call_graph(self) -> list[ModuleCallEntry]: ...

    @property
    def graph(self) -> Graph: ...

    def validate(self) -> None: ...

    def lifted(self, spec: InputSpec) -> Any: ...
