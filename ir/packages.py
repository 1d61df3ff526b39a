"""Packages: several programs, by name, in one file; arrays that they share are stored once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from npexport.ir.archive import EXTRA, Arrays, extra_file, read_program, write_archive
from npexport.ir.archive_zip import PROGRAM, PROGRAMS, File, NP2ArchiveReader, is_safe_name
from npexport.ir.program import ExportedProgram
from npexport.symshapes.errors import LoadError, UserError, briefly
from npexport.symshapes.parameters import FLAG, MAPPING, field_kinds, takes
from npexport.symshapes.plain import with_article

MODEL = "model"
"""The name of a single program."""
_SUFFIX = ".json"


@field_kinds(exported_programs=MAPPING, extra_files=MAPPING)
@dataclass(frozen=True, repr=False)
class NP2ArchiveContents:
    """What a package holds.

    Parameters
    ----------
    exported_programs : dict of str to ExportedProgram
        The programs by name; that of `save`, and one that was packed without a name, is
        ``"model"``.
    extra_files : dict of str to str or bytes
        All extra files, as text where they are UTF-8.

    Examples
    --------
    >>> import io, numpy as np, npexport
    >>> buffer = io.BytesIO()
    >>> npexport.save(npexport.export(np.sin, (np.zeros(2),)), buffer)
    >>> npexport.load_np2(buffer)
    NP2ArchiveContents(exported_programs=['model'], extra_files=[])
    """

    exported_programs: dict[str, ExportedProgram]
    extra_files: dict[str, str | bytes] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"NP2ArchiveContents(exported_programs={list(self.exported_programs)}, extra_files={list(self.extra_files)})"


@briefly
@takes(extra_files=MAPPING.optional, opset_version=MAPPING.optional)
def package_np2(
    f: File,
    *,
    exported_programs: ExportedProgram | Mapping[str, ExportedProgram],
    extra_files: Mapping[str, str | bytes] | None = None,
    opset_version: Mapping[str, int] | None = None,
) -> File:
    """Write one program or several to a file, atomically where that is a path.

    Parameters
    ----------
    f : str, os.PathLike or binary file object
        Where they go.
    exported_programs : ExportedProgram or dict of str to ExportedProgram
        The programs; names may have ``/`` between their parts. An array that several programs hold
        is written once.
    extra_files : dict of str to str or bytes, optional
        Further contents, by name.
    opset_version : dict of str to int, optional
        As for `save`.

    Returns
    -------
    str, os.PathLike or binary file object
        ``f``.

    Raises
    ------
    UserError
        There is no program, or a name, a program or a further file cannot be saved (E201, E242).
    OSError
        The file cannot be written; one that was there before is left as it was.

    Examples
    --------
    >>> import io, numpy as np, npexport
    >>> programs = {f.__name__: npexport.export(f, (np.zeros(2),)) for f in (np.sin, np.cos)}
    >>> buffer = npexport.package_np2(io.BytesIO(), exported_programs=programs)
    >>> npexport.load_np2(buffer).exported_programs["cos"].module()(np.zeros(2))
    array([1., 1.])
    """
    if isinstance(exported_programs, Mapping) and set(exported_programs) != {MODEL}:
        programs = {PROGRAMS + name + _SUFFIX: ep for name, ep in exported_programs.items() if _checked_name(name)}
    else:
        programs = {PROGRAM: exported_programs[MODEL] if isinstance(exported_programs, Mapping) else exported_programs}
    other = next((ep for ep in programs.values() if not isinstance(ep, ExportedProgram)), None)
    if other is not None:
        raise UserError(
            "E201",
            f"exported_programs is no ExportedProgram, or dict of them by name: it holds {with_article(type(other).__name__)}",
            hint='Pass exported_programs={"name": program}.',
        )
    if not programs:
        raise UserError("E201", "a package holds at least one program", hint='Pass exported_programs={"name": program}.')
    write_archive(f, programs, extra_files, opset_version)
    return f


def _checked_name(name: object) -> bool:
    if not isinstance(name, str) or not is_safe_name(name):
        raise UserError("E242", f"{name!r} cannot be the name of a program", hint="Use a relative path with /, such as 'encoder'.")
    return True


@briefly
@takes(expected_opset_version=MAPPING.optional, mmap=FLAG)
def load_np2(f: File, *, expected_opset_version: Mapping[str, int] | None = None, mmap: bool = False) -> NP2ArchiveContents:
    """Read all programs and extra files of a package, or of a file that `save` wrote.

    Nothing in the file is executed.

    Parameters
    ----------
    f : str, os.PathLike or binary file object
        The file; a file object must be seekable.
    expected_opset_version : dict of str to int, optional
        As for `load`.
    mmap : bool, default False
        As for `load`.

    Returns
    -------
    NP2ArchiveContents
        The programs and the extra files, by name. An array that was one for several programs is
        one.

    Raises
    ------
    LoadError
        The file is damaged, foreign, too new, or made to do harm.
    OSError
        The file cannot be read.

    Examples
    --------
    >>> import io, numpy as np, npexport
    >>> program = npexport.export(np.sin, (np.zeros(2),))
    >>> buffer = npexport.package_np2(io.BytesIO(), exported_programs={"a": program, "b": program})
    >>> sorted(npexport.load_np2(buffer).exported_programs)
    ['a', 'b']
    """
    with NP2ArchiveReader(f) as archive:
        names = archive.get_file_names()
        entries = {MODEL: PROGRAM} if PROGRAM in names else {}
        entries |= {name[len(PROGRAMS) : -len(_SUFFIX)]: name for name in names if name.startswith(PROGRAMS) and name.endswith(_SUFFIX)}
        if not entries:
            raise LoadError("E501", "the archive holds no program")
        arrays = Arrays(archive, mmap)
        programs = {name: read_program(archive, entry, arrays, expected_opset_version) for name, entry in entries.items()}
        extra = {name.removeprefix(EXTRA): extra_file(archive, name.removeprefix(EXTRA)) for name in names if name.startswith(EXTRA)}
    return NP2ArchiveContents(programs, extra)
