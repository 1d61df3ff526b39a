"""The exported program: graph, signature, state and contract in one object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from npexport.ir.atomic import replace_file
from npexport.ir.call_signatures import ModuleCallEntry
from npexport.ir.call_spec import CallSpec
from npexport.ir.edited import Form
from npexport.ir.graph import Graph, GraphModule
from npexport.ir.layout_copies import Held
from npexport.ir.module_calls import whole_call, with_arguments
from npexport.ir.op import Op
from npexport.ir.opset import opset_of
from npexport.ir.program_text import program_text
from npexport.ir.report import Report
from npexport.ir.running import RunningProgram, module_of
from npexport.ir.signature import ExportGraphSignature, InputKind, InputSpec
from npexport.ir.verifier import verify
from npexport.ir.weights import replace_state
from npexport.symshapes.errors import UserError, briefly
from npexport.symshapes.expr import Expr
from npexport.symshapes.parameters import PATH, FilePath, instance, takes
from npexport.symshapes.sympy_interop import from_sympy, to_sympy

Array = np.ndarray[Any, Any]
NUMPY = "NUMPY"
"""The dialect of programs as exported; decomposed ones are ``"CORE"`` or ``"CUSTOM-…"``."""
# what rooms above do for a program, and reports of it, are imported by name when they are asked for
_DOT, _HTML, _PLAIN = "npexport.ir.dot", "npexport.ir.html", "npexport.runtime.plain.to_python"
_INDEPENDENCE, _TRACER = "npexport.runtime.entry.independence", "npexport.tracer.driver.decompose"


class ExportedProgram:
    """A program that ``export`` made.

    Build one by hand only from a graph that satisfies ``validate``. An exported program is not
    called itself: ``module()`` gives a callable.

    Parameters
    ----------
    graph : Graph
        The straight-line graph.
    signature : ExportGraphSignature
        What its inputs and outputs are.
    state_dict : dict of str to array
        Dotted path to array of the parameters and the persistent buffers. ``export`` gives
        read-only copies; to give later modules another array, replace it in the dict.
    constants : dict of str to object
        The same for constant arrays and the other buffers.
    call_spec : CallSpec
        The calling convention.
    range_constraints : dict, optional
        Size expression to range.
    guards : sequence, optional
        Further conditions that the sizes satisfy, each with its source.
    module_call_graph : sequence of ModuleCallEntry, optional
        The calls of submodules; the first entry, that of the whole program, is made here.
    example_inputs : tuple, optional
        ``(args, kwargs)`` of the example call.
    report : Report, optional
        What else export has to say; the cost in it is always that of this program.
    opset_version : dict of str to int, optional
        The versions of the operators' namespaces; by default those of this package.
    dialect : str, optional
        ``"NUMPY"``: as it was exported; ``"CORE"`` or ``"CUSTOM-…"``: what `run_decompositions`
        made of it.

    Attributes
    ----------
    graph_module : GraphModule
        The bare graph as a callable.
    graph_signature : ExportGraphSignature
        The signature.
    ranges : dict
        Size expression, in npexport's own normal form, to range.

    Examples
    --------
    >>> import numpy as np, npexport
    >>> program = npexport.export(np.sin, (np.zeros(3),))
    >>> program.module()(np.zeros(3))
    array([0., 0., 0.])
    """

    def __init__(
        self,
        *,
        graph: Graph,
        signature: ExportGraphSignature,
        state_dict: Mapping[str, Array],
        constants: Mapping[str, Any],
        call_spec: CallSpec,
        range_constraints: Mapping[Any, Any] | None = None,
        guards: Sequence[Any] = (),
        module_call_graph: Sequence[ModuleCallEntry] = (),
        example_inputs: tuple[tuple[Any, ...], dict[str, Any]] | None = None,
        report: Report | None = None,
        opset_version: Mapping[str, int] | None = None,
        dialect: str = NUMPY,
    ) -> None:
        self.graph_module = GraphModule(graph)
        self.graph_signature = signature
        self.state_dict: dict[str, Array] = Held(state_dict)
        self.constants: dict[str, Any] = Held(constants)
        self.call_spec = call_spec
        graph.signature = signature
        self.ranges = {key if isinstance(key, Expr) else from_sympy(key): found for key, found in (range_constraints or {}).items()}
        self.guards = guards
        graph.asked = frozenset(symbol for guard in guards for symbol in guard.truth.symbols)
        self._module_calls = [entry for entry in module_call_graph if entry.fqn]
        self.example_inputs = example_inputs
        self.report = Report(graph=graph) if report is None else replace(report, graph=graph)
        self.dialect = dialect
        self.held = Form()  # as its laws were last held
        self._namespace: Any = None  # what computes by default, where it is not NumPy
        self.opset_version = dict(opset_of(graph) if opset_version is None else opset_version)

    @property
    def range_constraints(self) -> dict[Any, Any]:
        """The range of each symbol and of each derived input size, by SymPy expression; SymPy is
        imported where there are any.

        >>> import numpy as np, npexport, sympy
        >>> program = npexport.export(np.sin, (np.zeros(3),), dynamic_shapes=({0: npexport.Dim("n", max=8)},))
        >>> program.range_constraints[sympy.Symbol("s0", integer=True)]
        VR[0, 8]
        """
        return {to_sympy(size): found for size, found in self.ranges.items()}

    @property
    def graph(self) -> Graph:
        """The straight-line graph."""
        return self.graph_module.graph

    @property
    def module_call_graph(self) -> list[ModuleCallEntry]:
        """The calls of submodules in their order: the whole program's under ``""``, then each by
        its path, ``path@1`` where it is called again.

        Those that ``preserve_module_call_signature`` named have a signature.

        >>> import numpy as np, npexport
        >>> net = npexport.nn.Sequential(npexport.nn.Linear(2, 2), npexport.nn.ReLU())
        >>> x = np.zeros((1, 2), np.float32)
        >>> program = npexport.export(net, (x,), preserve_module_call_signature=("1",))
        >>> [(entry.fqn, entry.signature is not None) for entry in program.module_call_graph]
        [('', True), ('0', False), ('1', True)]
        """
        return [whole_call(self.graph_signature, self.call_spec), *with_arguments(self._module_calls, self.graph)]

    @property
    def tensor_constants(self) -> dict[str, Any]:
        """Another name of ``constants``."""
        return self.constants

    @takes(spec=instance(InputSpec))
    def lifted(self, spec: InputSpec) -> Any:
        """The array (or object) that the lifted input ``spec`` stands for.

        Raises ``KeyError`` where the program does not hold it.

        >>> import numpy as np, npexport
        >>> program = npexport.export(npexport.nn.Linear(2, 1), (np.ones((1, 2), np.float32),))
        >>> [(spec.arg.name, program.lifted(spec).shape) for spec in program.graph_signature.input_specs[:2]]
        [('p_weight', (1, 2)), ('p_bias', (1,))]
        """
        is_state = spec.kind is InputKind.PARAMETER or (spec.kind is InputKind.BUFFER and spec.persistent)
        return (self.state_dict if is_state else self.constants)[spec.target or ""]

    @briefly
    def module(
        self,
        check_guards: bool = True,
        *,
        threads: int | None = 1,
        fast_math: bool = False,
        chunks: Mapping[str, int] | None = None,
        namespace: Any = None,
    ) -> RunningProgram:
        """Make a callable with the original calling convention and its own copy of the state.

        Parameters
        ----------
        check_guards : bool, default True
            Check the guards on sizes at every call. Structure, dtypes, ranks, static sizes, ranges
            and Python values are always checked.
        threads : int or None, default 1
            How many threads compute on large arrays, over blocks of rows; ``None`` takes all cores.
            Results, warnings and errors do not depend on it.
        fast_math : bool, default False
            Allow results that differ by rounding, where NumPy's are given to the bit: convolutions
            by up to ``1e-4`` of the largest in single precision; products of matrices, and `sum`
            and `mean` over the last axis, by another order of adding; powers by small integers.
        chunks : mapping of str to int, optional
            Named dims and how many rows a part has along each: a call runs part by part, so that
            inputs, and arrays for the results (``out=``), may be larger than memory
            (``np.memmap``). Each dim must be one of `independent_dims`.
        namespace : module, optional
            An array-API namespace that computes in NumPy's place: ``cupy``, ``jax.numpy``,
            ``torch`` (by way of ``array_api_compat``), ``array_api_strict``. The module takes and
            gives its arrays, of the dtypes that the graph says; state and constants are converted
            once. Operators that it lacks are decomposed where they can be.

        Returns
        -------
        RunningProgram
            Calling it raises ``InputMismatch`` for inputs that the program is not valid for. It has
            ``code``, ``check_inputs``, ``state_dict``, ``load_state_dict``, ``named_parameters``
            and ``named_buffers``.

        Raises
        ------
        UserError
            ``threads`` is neither ``None`` nor a positive integer (E201).
            Rows along a dim of ``chunks`` are coupled: it names the operator and the line (E260).
            ``namespace`` lacks what it names, or the program writes to its inputs (E245).
            Arrays that were put into the program do not fit (E241).
        InternalError
            An edit broke a law of the program (E902).

        Examples
        --------
        >>> import numpy as np, npexport
        >>> run = npexport.export(lambda x, scale=2.0: x * scale, (np.ones(3),)).module()
        >>> run(np.ones(3))
        array([2., 2., 2.])
        """
        return module_of(self, check_guards, threads, fast_math, chunks, namespace)

    def named_parameters(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and array of every parameter, in input order.

        >>> import numpy as np, npexport
        >>> [path for path, array in npexport.export(npexport.nn.BatchNorm1d(2), (np.ones((3, 2), np.float32),)).named_parameters()]
        ['weight', 'bias']
        """
        return ((name, self.state_dict[name]) for name in self.graph_signature.parameters)

    def parameters(self) -> Iterator[Array]:
        """The array of every parameter, in input order.

        >>> import numpy as np, npexport
        >>> sum(array.size for array in npexport.export(npexport.nn.BatchNorm1d(2), (np.ones((3, 2), np.float32),)).parameters())
        4
        """
        return (array for _, array in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Array]]:
        """Dotted path and array of every buffer, in input order.

        >>> import numpy as np, npexport
        >>> [path for path, array in npexport.export(npexport.nn.BatchNorm1d(2), (np.ones((3, 2), np.float32),)).named_buffers()]
        ['running_mean', 'running_var', 'num_batches_tracked']
        """
        specs = [spec for spec in self.graph_signature.input_specs if spec.kind is InputKind.BUFFER]
        return ((spec.target or "", self.lifted(spec)) for spec in specs)

    def buffers(self) -> Iterator[Array]:
        """The array of every buffer, in input order.

        >>> import numpy as np, npexport
        >>> [array.dtype.name for array in npexport.export(npexport.nn.BatchNorm1d(2), (np.ones((3, 2), np.float32),)).buffers()]
        ['float32', 'float32', 'int64']
        """
        return (array for _, array in self.named_buffers())

    @briefly
    def load_state_dict(self, state_dict: Mapping[str, Array] | FilePath, strict: bool = True) -> None:
        """Take over the values of these parameters and persistent buffers; modules made from now on
        have them.

        Parameters
        ----------
        state_dict : dict of str to array, or path
            Arrays by dotted path, or the ``.npz`` or ``.safetensors`` file that holds them. They
            are copied; where one does not fit, all stay as they are.
        strict : bool, default True
            Refuse missing and unknown names.

        Raises
        ------
        UserError
            A shape, a dtype or, where ``strict``, a name does not fit (E241).
        LoadError
            The file is damaged.

        Examples
        --------
        >>> import numpy as np, npexport
        >>> layer = npexport.nn.Linear(2, 1, bias=False)
        >>> program = npexport.export(layer, (np.ones((1, 2), np.float32),))
        >>> program.load_state_dict({"weight": np.full((1, 2), 3, np.float32)})
        >>> program.module()(np.ones((1, 2), np.float32))
        array([[6.]], dtype=float32)
        """
        replace_state(self, state_dict, strict)

    @takes(path=PATH.optional)
    def to_html(self, path: FilePath | None = None) -> str:
        """The report of the program: one HTML file that needs no network.

        It shows the source beside the graph, lines and nodes lit together; inputs, outputs, sizes,
        guards with the lines that asked for them; arrays, the tree of modules, and what lines make.

        Parameters
        ----------
        path : str or os.PathLike, optional
            Where to write it.

        Returns
        -------
        str
            The text of the file.

        Examples
        --------
        >>> import numpy as np, npexport
        >>> npexport.export(np.sin, (np.zeros(3),)).to_html().startswith("<!doctype html>")
        True
        """
        text: str = import_module(_HTML).report(self)
        if path is not None:
            replace_file(path, text.encode())
        return text

    def _repr_html_(self) -> str:
        """The program as a notebook shows it: the short form of `to_html`."""
        return import_module(_HTML).short(self)  # type: ignore[no-any-return]

    def to_dot(self) -> str:
        """The graph in Graphviz' language, modules as clusters: ``dot -Tsvg`` draws it.

        >>> import numpy as np, npexport
        >>> print(npexport.export(np.sin, (np.zeros(3),)).to_dot().splitlines()[-3])
          n0 -> n1;
        """
        return import_module(_DOT).graph_dot(self.graph)  # type: ignore[no-any-return]

    @briefly
    @takes(path=PATH.optional)
    def to_python(self, path: FilePath | None = None) -> str:
        """The program as a module of plain NumPy, which runs without npexport.

        Its function ``forward`` has the original calling convention, and raises ``ValueError`` for
        inputs that the program is not valid for. Names and comments are those of the user's source;
        what the program calls of npexport is taken along, dataclasses of the result are made anew;
        functions of SciPy and scikit-learn, and your own operators, are imported from their homes.

        Parameters
        ----------
        path : str or os.PathLike, optional
            Where to write the module; its arrays go to an ``.npz`` beside it, of the same name. One
            that belongs to no such module is not replaced: ``FileExistsError``.

        Returns
        -------
        str
            The text of the module, which reads its arrays, if any, from the ``.npz`` beside it.

        Raises
        ------
        UserError
            Something has no form in plain NumPy (E244), or ``path`` does not name a module (E201).

        Examples
        --------
        >>> import numpy as np, npexport
        >>> text = npexport.export(lambda x: np.sin(x) + 1, (np.zeros(3),)).to_python()
        >>> exec(text)
        >>> forward(np.zeros(3))
        array([1., 1., 1.])
        """
        return import_module(_PLAIN).to_python(self, path)  # type: ignore[no-any-return]

    @briefly
    def independent_dims(self) -> dict[str, Any]:
        """The named dims along which every output row is proved to depend only on the same rows of
        the inputs.

        Along such a dim the program may be called with parts of the rows, in any order and
        anywhere: ``module(chunks=…)`` and `npexport.dask.apply` do so, unless it writes to state or
        inputs, which each call does once.

        Returns
        -------
        dict of str to IndependentDim
            By the name of the ``Dim``: the axes of the ``inputs`` and ``outputs`` that hold rows,
            and whether parts are ``exact``, bit for bit. Why a dim is missing, `coupling` says.

        Examples
        --------
        >>> import numpy as np, npexport
        >>> batch, time = npexport.dims("batch", "time")
        >>> program = npexport.export(lambda x: np.cumsum(x, 1), (np.ones((4, 3)),), dynamic_shapes=({0: batch, 1: time},))
        >>> list(program.independent_dims())
        ['batch']
        """
        return import_module(_INDEPENDENCE).independent_dims(self)  # type: ignore[no-any-return]

    @briefly
    def coupling(self, dim: str) -> Any:
        """What couples the rows along a named dim, as far as npexport can tell: the first operator
        that is not proved to keep them apart.

        Parameters
        ----------
        dim : str
            The name of the ``Dim``.

        Returns
        -------
        Coupling or None
            ``what``, ``reason`` and ``location``; ``None`` where rows are independent.

        Raises
        ------
        UserError
            No size of the program has this name (E201).

        Examples
        --------
        >>> import numpy as np, npexport
        >>> program = npexport.export(lambda x: np.cumsum(x, 0), (np.ones((4, 3)),), dynamic_shapes=({0: npexport.Dim("n")},))
        >>> program.coupling("n").reason
        'it goes along axis 0, along which the rows stand'
        """
        return import_module(_INDEPENDENCE).coupling(self, dim)

    @briefly
    def run_decompositions(self, table: Mapping[Op, Any] | None = None, *, decomp_table: Mapping[Op, Any] | None = None) -> ExportedProgram:
        """A new program in which composite operators are written in simpler ones.

        Results are equal but for the rounding of another formula. Signature, mutations, guards and
        source lines are kept; ``dialect`` says what was done: ``"CORE"``, or ``"CUSTOM-…"`` with a
        fingerprint of the table.

        Parameters
        ----------
        table, decomp_table : mapping of Op to callable, optional
            What to decompose, and how, by either name: `npexport.default_decompositions`, after
            which operators of ``np`` and ``nn`` are core operators. A call whose sizes are not
            proved for its decomposition stays (a warning names yours). ``{}`` decomposes nothing.

        Returns
        -------
        ExportedProgram
            The program; this one stays as it is.

        Raises
        ------
        UserError
            A decomposition of the table leads back to itself, or gives other shapes or dtypes, or
            writes to other arguments, than its operator; or a table is given by both names (E201).

        Examples
        --------
        >>> import numpy as np, npexport
        >>> program = npexport.export(np.square, (np.arange(3.0),))
        >>> core = program.run_decompositions()
        >>> core.dialect, [str(node.target) for node in core.graph.find_nodes(op="call_function")]
        ('CORE', ['ops.np.multiply'])
        """
        return import_module(_TRACER).decompose(self, table, decomp_table)  # type: ignore[no-any-return]

    @property
    def verifiers(self) -> list[Callable[[ExportedProgram], None]]:
        """The functions that hold a program to its laws, all of which `validate` calls."""
        return [verify]

    @property
    def verifier(self) -> Callable[[ExportedProgram], None]:
        """The first of ``verifiers``."""
        return self.verifiers[0]

    @briefly
    def validate(self) -> None:
        """Check every law of the graph and of its signature. Raises ``InternalError`` that shows
        the neighbourhood of the bad node.

        >>> import numpy as np, npexport
        >>> npexport.export(np.sin, (np.zeros(3),)).validate()
        """
        for verifier in self.verifiers:
            verifier(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """An exported program is not called: its :meth:`module` is. Raises ``UserError``."""
        raise UserError("E240", "an ExportedProgram cannot be called directly")

    def __str__(self) -> str:
        return program_text(self)

    __repr__ = __str__
