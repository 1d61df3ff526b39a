"""Archives taken apart and put together by ``zipfile``, as anyone could, with a digest that is right."""

import hashlib
import io
import json
import zipfile

DIGEST = "digest"


def zip_of(entries, **options):
    """A zip of these entries."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **options) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def sealed(entries, **options):
    """A zip of these entries with a digest of its own, written after what ``docs/archive.md`` says."""
    entries = {name: data.encode() if isinstance(data, str) else data for name, data in entries.items() if name != DIGEST}
    digest = hashlib.sha256()
    for name, data in entries.items():
        digest.update(len(name.encode()).to_bytes(8, "little") + name.encode() + len(data).to_bytes(8, "little") + data)
    return zip_of({**entries, DIGEST: f"sha256:{digest.hexdigest()}"}, **options)


def entries_of(data):
    """Name and content of every entry."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(data, change=None, **options):
    """The archive with its document changed."""
    entries = entries_of(data)
    document = json.loads(entries["program.json"])
    if change is not None:
        document = change(document) or document
    return sealed(entries | {"program.json": json.dumps(document)}, **options)


def set_at(*path, value):
    """A change of a document: another value at this place."""

    def change(document):
        place = document
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


def paths_of(value, path=()):
    """Where values are in a document."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in pairs:
        yield from paths_of(item, (*path, key))
