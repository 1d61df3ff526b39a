"""How the suites of ``.ci/run`` divide the tests: what one of them leaves out, others run."""

from tests.support.paths import TESTS
from tests.support.shards import KINDS, UNDIVIDED, is_in_other_half

FILES = sorted(TESTS.rglob("test_*.py"))


def kinds_of(path):
    return {kind for kind in range(KINDS) if not is_in_other_half(path, kind)}


def test_halves_are_halves():
    found = [kinds_of(path) for path in FILES]
    divided = [kinds for kinds in found if len(kinds) < KINDS]
    assert len(divided) > 100
    for kinds in divided:
        assert {kind // 2 for kind in kinds} == {0, 1, 2}, "it runs on every CPython"
        assert len(kinds) == 3 and any(kind % 2 == 0 for kind in kinds), "and without the extension"


def test_files_about_frames_and_files_that_take_shards_run_in_every_suite():
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        if any(path.is_relative_to(room) for room in UNDIVIDED) or "shard(" in text or "frame_hook" in text:
            assert len(kinds_of(path)) == KINDS, path
