"""The front of strict export, which loads the rest of this room only when a program is exported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import npexport

if TYPE_CHECKING:
    from npexport.ir.program import ExportedProgram

UNROLLED = 100
"""The largest number of iterations of a loop that is always recorded iteration by iteration."""


def export(
    f: Any,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = True,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
    capture_control_flow: bool = True,
    unroll: int | bool = UNROLLED,
) -> ExportedProgram:
    """Trace ``f(*args, **kwargs)`` into a program valid for all data of these shapes and dtypes.

    The body of ``f`` is interpreted, not run by CPython, and nothing that the caller can see is
    changed, whether the export succeeds or not.

    Parameters
    ----------
    f : callable
        A function, method, lambda, ``functools.partial``, ``nn.Module`` or any object with
        ``__call__``. Its source need not be available.
    args : tuple, optional
        Positional example inputs: arrays of any shape and dtype but object, NumPy scalars, ``int``,
        ``float``, ``bool``, ``str``, ``None``, nested in tuples, lists, dicts, named tuples and
        dataclasses. Arrays are data and are never read; Python values become part of the program,
        which checks at each call that it is given the same ones.
    kwargs : dict of str, optional
        Example inputs by keyword, of the same kinds.
    dynamic_shapes : dict, tuple, list, ShapesCollection, AdditionalInputs or infer, optional
        Which sizes may vary. A structure that mirrors the inputs has for each array a dict from
        axis to size, or a sequence of sizes; a size is a ``Dim``, an expression of one such as
        ``2 * batch + 1``, ``Dim.AUTO``, ``Dim.DYNAMIC``, ``Dim.STATIC``, an integer or ``None``
        (static). By default every size is static.
    strict : bool, default True
        Refuse C functions of which nothing is known, clocks, and what reads files and the
        environment. ``False`` runs them, while the program is exported: what they give then is part
        of the program, and ``program.report.reads`` names it. Arrays are handed, as proxies, to C
        that has something to call or to keep them in. What the function writes outside of the
        exported object and its inputs is lost, and ``program.report.lost`` names it. All else is
        checked as ever.
    preserve_module_call_signature : tuple of str, optional
        Paths of sub-modules of an ``nn.Module``, such as ``"layers.0"``, that `npexport.unflatten`
        is to give as modules that are called as they are called here, and that may be swapped.
    prefer_deferred_runtime_asserts_over_guards : bool, default False
        Keep what the program needs of sizes and no ``Dim`` can say as checks at the call, instead
        of refusing it.
    capture_control_flow : bool, default True
        Turn a branch on data that can be captured soundly into part of the program. ``False``
        refuses it (E103).
    unroll : int or bool, default 100
        A loop of a known number of iterations is recorded iteration by iteration up to this number;
        a longer one is one node, where its iterations record the same; so is one of more than eight
        iterations in each of which data decide. ``True``: every loop iteration by iteration;
        ``False``: none that can be one node.

    Returns
    -------
    ExportedProgram
        The graph, its signature, and read-only copies of the parameters and constants.

    Raises
    ------
    Unsupported
        The program does what cannot be captured soundly; ``explain`` lists all such places.
    UserError
        The call is malformed: its inputs, or ``dynamic_shapes``.
    ConstraintViolation
        The program needs more of the sizes than ``dynamic_shapes`` promises.
    InputMismatch
        One of ``AdditionalInputs`` does not fit the program.
    Exception
        Whatever ``f`` itself raises and does not catch.

    Examples
    --------
    >>> import numpy as np
    >>> from npexport import Dim, export
    >>> batch = Dim("batch")
    >>> shapes = {0: batch}, None
    >>> program = export(lambda x, n: np.sin(x) * n, (np.zeros(3), 2), dynamic_shapes=shapes)
    >>> program.module()(np.zeros(5), 2)
    array([0., 0., 0., 0., 0.])
    """
    exporting: Any = npexport._room("npexport.tracer.driver.exporting")
    deferred, captures, preserved = prefer_deferred_runtime_asserts_over_guards, capture_control_flow, preserve_module_call_signature
    options = exporting.RunOptions(prefer_deferred=deferred, captures=captures, preserved=preserved, strict=strict, unroll=unroll)
    program = exporting.exported(f, args, kwargs, dynamic_shapes, options)
    if not isinstance(program, BaseException):
        return program  # type: ignore[no-any-return]
    try:
        raise program
    finally:
        del program  # its traceback holds this frame


export_for_training = export
"""``torch.export``'s name for exports that keep composite operators whole (``batch_norm_train``):
here all do."""
