# ruff: noqa: E501 -- tables of expressions
"""Random programs over arrays of texts, bytes and ``StringDType``: functions of ``np.strings`` and ``np.char``, comparisons, casts, what
widths results get, and what Python's own texts make of them.
"""

from __future__ import annotations

import random

_VALUES = (
    "np.strings.add(s, r)", "s + r", "s + s[0]", "s * 2", "np.strings.multiply(s, n)", "np.strings.multiply(s, 2)", "np.strings.upper(s)", "np.strings.lower(s)", "np.strings.capitalize(s)", "np.strings.title(s)", "np.strings.swapcase(s)", "np.strings.strip(s)", "np.strings.lstrip(s, 'a')", "np.strings.rstrip(s)", "np.strings.str_len(s)", "np.strings.find(s, 'a')", "np.strings.rfind(s, 'b', 1)", "np.strings.count(s, 'a')", "np.strings.count(s, r)", "np.strings.index(s, '')", "np.strings.startswith(s, 'a')", "np.strings.endswith(s, r)", "np.strings.isalpha(s)", "np.strings.isdigit(s)", "np.strings.isspace(s)", "np.strings.isupper(s)", "np.strings.islower(s)", "np.strings.istitle(s)", "np.strings.isalnum(s)", "np.strings.isnumeric(s)", "np.strings.isdecimal(s)", "np.strings.center(s, 5)", "np.strings.center(s, n + 4, '*')", "np.strings.ljust(s, 4, '-')", "np.strings.rjust(s, 6)", "np.strings.zfill(s, 4)", "np.strings.replace(s, 'a', 'xyz')", "np.strings.replace(s, 'a', '', 1)", "np.strings.replace(s, r, 'q')", "np.strings.expandtabs(s)", "np.strings.translate(s, str.maketrans('a', 'z'))", "np.strings.partition(s, 'a')", "np.strings.rpartition(s, 'b')", "np.strings.slice(s, 2)", "np.strings.slice(s, 1, None)", "np.strings.slice(s, n, n + 1)", "np.strings.mod(s, n)", "np.strings.encode(s)", "np.strings.decode(s)", "np.strings.equal(s, r)", "np.strings.less(s, r)",
    "np.char.add(s, 'x')", "np.char.upper(s)", "np.char.split(s)", "np.char.join('-', s)", "np.char.strip(s)", "np.char.equal(s, r)", "np.char.compare_chararrays(s, r, '<', True)", "np.char.array(s)", "np.char.str_len(s)", "np.char.multiply(s, 3)", "np.char.replace(s, 'a', 'b')", "np.char.zfill(s, 3)",
    "s == r", "s != r", "s < r", "s >= s[0]", "s == 'a'", "(s == 'ab').sum()", "np.isin(s, ['a', 'b'])", "np.sort(s)", "np.argsort(s)", "np.unique(s)", "np.unique(s, return_inverse=True)", "np.unique(s, return_counts=True)", "s.max()", "s.min()", "np.maximum(s, r)", "s.argmax()", "s.tolist()", "s[0]", "str(s[0])", "s[0].upper()", "s[0] + 'z'", "len(s[0])", "s[0][0:1]", "s[0] == 'a'", "s[0] in ('a', 'ab')", "'a' in s", "s[0].startswith('a')", "s[0].item()", "f'{s[0]}!'", "s[0].encode()", "list(s)", "sorted(s)", "[t for t in s]", "[t.strip() for t in s]", "[len(t) for t in s]", "','.join(s)", "''.join(s.tolist())", "max(s)", "s[0] * 2", "set(s.tolist())", "dict(zip(s.tolist(), n.tolist()))", "{t: i for i, t in enumerate(s.tolist())}", "s.item(0)", "hash(s[0]) == hash(s[0])", "s[0] < s[-1]", "s[0].isalpha()", "int(s[0])", "s[0].zfill(4)", "s[0].split('a')",
    "s.astype('U2')", "s.astype('U')", "s.astype('S3')", "s.astype(np.dtypes.StringDType())", "s.astype(str)", "s.astype(object)", "n.astype(str)", "n.astype('U')", "n.astype('S')", "x.astype('U8')", "x.astype(np.dtypes.StringDType())", "n.astype('U1')", "np.array(n, str)", "n.astype(str).astype(int)", "np.strings.add(n.astype(str), 'kg')", "x.astype(str).astype(float)", "np.array(['1', '2']).astype(int) + n[0]", "s.astype(float)", "s.astype(bool)", "(n > 0).astype(str)", "s.dtype", "s.itemsize", "(s + r).dtype", "s.nbytes", "np.result_type(s, r)", "np.result_type(s, n)", "s.dtype.kind", "s.view('U1')", "s.view(np.uint8)", "s.view(np.uint32)", "s.tobytes()", "s.size",
    "np.concatenate([s, r])", "np.stack([s, r])", "np.concatenate([s, ['longer text']])", "np.array([s[0], 'long text'])", "np.array([s[0], n[0]])", "np.array(['a', 'bcd'])[n % 2]", "np.where(n > 0, s, r)", "np.where(s == 'a', 'yes', 'no')", "np.where(s == r, 1, n)", "np.select([s == 'a', s == 'b'], [1, 2], 0)", "s[n > 0]", "s[::-1]", "s[n % 2]", "np.take(s, n % 2)", "np.repeat(s, 2)", "np.tile(s, 2)", "np.full(3, s[0])", "np.full(len(s), 'ab')", "np.zeros(len(s), s.dtype)", "np.empty_like(s).shape", "np.zeros_like(s)", "np.ones(2, 'U3')", "s.reshape(-1, 1) == r", "np.insert(s, 0, 'zz')", "np.append(s, 'hello there')", "np.delete(s, 0)", "np.roll(s, 1)", "np.flip(s)", "np.searchsorted(np.sort(s), 'b')", "np.array_equal(s, r)", "np.intersect1d(s, r)", "np.union1d(s, r)", "np.setdiff1d(s, r)", "np.lexsort((n, s))", "np.partition(s, 0)[0]", "np.char.add(np.char.array(s), 'b').upper()", "np.array2string(s)", "str(s)", "repr(s)", "np.count_nonzero(s)", "s.nonzero()", "np.any(s)", "s.all()", "np.vectorize(len, otypes=[int])(s)", "np.add.reduce(s)", "s.sum()", "s.cumsum()", "np.sum(s.astype(object))", "np.add.outer(s, r)", "np.equal.outer(s, r)", "np.broadcast_to(s[0], 3)", "s.copy()", "np.char.chararray.upper(np.char.array(s))", "np.fromiter((len(t) for t in s), int)", "np.array([t + '!' for t in s])", "np.array([ord(t[0]) if t else 0 for t in s])", "np.mean([len(t) for t in s])", "s.T", "np.ravel(s)", "np.nonzero(s == 'a')[0]", "np.argwhere(s == r)", "np.compress(n > 0, s)", "np.extract(s == r, n)", "np.bincount((s == 'a').astype(int))", "np.pad(s, 1)", "np.digitize(n, [1])", "s.flat[0]", "s[0].lower() == r[0].lower()",
)  # fmt: skip
_WRITES = (
    "s[0] = 'q'", "s[0] = 'a much longer text'", "s[:] = r", "s[n > 0] = 'k'", "s[0] = n[0]", "s[0] = x[0]", "s[1:] = s[:-1]", "s[0] = r[0]", "s, r = r, s", "s = s + r", "s += r", "s += 'a'", "s = np.strings.upper(s)", "s = s[1:]", "r = s[::-1]", "r = s", "s.sort()", "s.fill('w')", "s = s.astype('U9')", "s = np.concatenate([s, r])", "s.put(0, 'p')", "np.copyto(s, r[:1])", "if s[0] == 'a': r = r + s[0]", "if (s == r).any(): n = n + 1", "for t in s: n = n + len(t)", "for t in s.tolist(): n = n + (1 if t == 'a' else 0)", "if s[0].startswith('a'): n = -n", "if len(s[0]) > 1: n = n * 2", "if s[0] in r: n = n + 5", "n = np.strings.str_len(s)", "r = np.where(s == r, s, r)", "s.flat[0] = 'z'", "s[...] = 'u'", "np.add(s, r, out=s)", "s[0] = s[0].upper()", "n = (s == r) * 2", "s[0] = None", "n[0] = s[0]", "match str(s[0]):\n        case 'a': n = n + 1\n        case _: n = n - 1", "s[[0]] = ['y']",
)  # fmt: skip


class Writer:
    """Writes one program of texts and numbers of one length, ``f(s, r, n, x)``, from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self) -> str:
        choose, chance, failed = self.random.choice, self.random.random, "except TypeError as error: "
        body = ["log = []"]
        for _ in range(self.random.randint(1, 5)):
            step = choose(_WRITES) if chance() < 0.3 else f"log.append({choose(_VALUES)})"
            if chance() < 0.2 or step.startswith(("if", "for", "match")):
                body.append(step)
            else:
                body += [f"try: {step}", f"{failed}log.append((type(error).__name__, str(error)))"]
        return "\n".join(["def f(s, r, n, x):", *["    " + line for line in [*body, "return log, s, r, n"]]])
