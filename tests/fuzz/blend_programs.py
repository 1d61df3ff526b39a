# ruff: noqa: E501 -- tables of expressions
"""Random programs of what other generators keep apart: the generator behind ``fuzz/blends.py``.

Closures that loops over data change, views that are written on sides of branches, records and dates in loops, integers that wrap around
in carries, arrays without axes beside scalars after branches, casts in place that raise, ``out=`` that is read, sums over memory of
another order, negative steps to bounds that sizes or data decide, texts of data, draws between exceptions. In the tables ``{j}`` is a
bound; the other holes are those of ``function_programs``.
"""

from __future__ import annotations

from tests.fuzz import function_programs

BOUNDS = ("n", "len(x)", "len(x) - 1", "-n", "int(k[0])", "x.shape[1] // 2", "int(np.argmax(w))", "-1", "k.max()", "int(b.sum())")


class Writer(function_programs.Writer):
    """Grows a program of these tables."""

    plain, rare = 0.35, 0.6
    expressions = (
        "np.select([{a} > 0, {a} > 1], [{a}, {c}], {c})", "np.piecewise({a}, [{a} > 0], [lambda q: q * 2, {c}])", "np.where({a} > {c}, {a}, {c})", "np.where({a} > 0, {c}, {c})", "np.choose({a} > 0, [{a}, {c}])",
        "{a}[::-2]", "{a}[{j}::-1]", "{a}[..., ::-1]", "{a}[...][{j}:]", "{a}[:{j}]", "{a}[:{j}:-1]", "{a}[{j}:{j}]", "{a}[::-1][{j}:]", "{a}[..., {j}:]", "{a}[None, ..., ::-2]", "{a}[{j}]", "{a}[[{j}, 0]]",
        "{a}.copy(order='F')", "{a}.T.copy(order='K')", "np.array({a}, order='F')", "np.asfortranarray({a}.T)", "{a}.copy(order='F').sum()", "{a}.T.sum(axis={x})", "np.add.reduce({a}.T * 0.1)", "({a} * 0.1).T.mean(axis={x})",
        "({a}.T * 0.1).cumsum(axis=0)", "({a}[::-1] * 0.1).sum()", "({a}.T.astype('f4') / 3).sum()", "({a}.copy(order='F') / 7).sum(axis={x})", "({a}.T / 7).var()", "({a}.T.astype('f2') / 3).sum(axis=0)", "np.einsum('ij->', {a}.T / 7)",
        "'%.3f' % {a}[0]", "format({a}[0], '.2e')", "str({a}[0])", "repr(float({a}[0]))", "f'{{a}[0]} {len({a})}'", "f'{int({a}[0])}'", "'{:>8}'.format(int({a}[0]))", "str({a}.sum())", "f'{{a}.sum():g}'", "str({a}.dtype) + str({a}.shape)",
        "np.asarray({a}[0])", "np.array({a}.sum())", "{a}[0, ...]", "{a}[...][()]", "np.squeeze({a}[:1])", "np.atleast_1d({a}[0])", "{a}.sum()[()]", "{a}.sum(keepdims=True)", "{a}[0] + np.zeros(())", "np.zeros(()) + {c}", "np.add({a}[0], {c}, out=np.zeros(()))",
        "{a}.strides", "({a}.flags.c_contiguous, {a}.flags.f_contiguous, {a}.flags.writeable)", "{a}.base is None", "np.broadcast_to({a}, {a}.shape)", "{a}[:1] + {a}", "{a}[:, None] * {a}", "{a}[:, :1] - {a}", "{a} + {a}[:1].T",
        "({a} * 100).astype('i1')", "{a}.astype('i1') * np.int8(100)", "{a}.astype('u1') - 1", "-{a}.astype('u1')", "{a}.astype('i8') << {j}", "{a}.astype('i2') ** 3", "np.int8({a}[0]) + np.int8(100)", "abs(np.int8(-128) + {a}.astype('i1'))",
        "t - t[0]", "t + np.arange(len(t))", "(t[1:] - t[:-1]) / np.timedelta64(1, 'h')", "t.astype('M8[h]') + {j}", "np.sort(t)[::-1]", "t.max() - t.min()", "np.where(t > t[0], t, np.datetime64('NaT'))", "t[v > 0]", "t[:1] - t[::-1]", "t == t[::-1]",
        "r['a'] * r['b']", "r[r['a'] > 0]", "r[::-1]['b']", "r[0]['b']", "np.sort(r, order='b')", "r[{j}]", "r[['b']][::-1]", "r.copy()['a'][::-1]", "np.concatenate([r, r[::-1]])", "r[0] == r[-1]", "np.where(b[:, 0], r['b'], r['a'])", "np.unique(r)",
    )  # fmt: skip
    statements = (
        "{n} += 1.5", "{n} /= 2", "{n} **= {c}", "{n} <<= 1", "{n} += {a} * 1j", "{n} -= {c}", "{n} *= {c}", "{n} //= {c}", "{n} %= {c}", "{n}[::-1] += {a}", "{n}[::2] = {a}[1::2]", "{n}[1:] = {n}[:-1]", "{n}[::-1] = {n}", "{n}[{j}:] = {c}",
        "{n}[:{j}:-1] += 1", "{n}[..., {j}] = {c}", "{n}[...] = {n}[::-1]", "{n}.T[...] = {c}", "np.add({n}, {a}, out={n})", "np.cumsum({a}, out={n})", "np.add({n}[:-1], {n}[1:], out={n}[1:])", "np.multiply({a}, {a}, out={n}[::-1])",
        "np.sum({a}, axis=0, out={n})", "np.maximum.accumulate({n}, out={n})", "{n}[::-1].sort()", "{a}.mean(axis=0, out={n})", "np.clip({a}, 0, 1, out={n}[::-1])", "np.copyto({n}[::-1], {n})", "np.negative({n}[1:], out={n}[:-1])", "np.sqrt({a}, out={n}, where={a} > 0)",
        "np.add({n}, {c}, out={n}, casting='unsafe')", "np.divide({a}, {c}, out={n})", "{n}.sort(axis=0)", "{n}[b[:, 0]] = {c}", "{n}[k] += {c}", "{n}[k % len({n})] = {a}", "t[1:] = t[:-1]", "t += 1", "t[v > 0] = np.datetime64('NaT')", "r['a'] += k", "r['b'][::-1] = w",
        "r[0] = ({j}, {c})", "r[-1] = r[0]", "r[r['a'] > 0] = (1, 0.5)", "r['a'], r['b'] = r['b'], r['a']", "np.dot({a}, {a}, out={n})", "{n}.flat[::-1] = {a}.ravel()", "{n}.setflags(write=False)", "{n}.shape = -1", "np.subtract.at({n}, k, {c})",
    )  # fmt: skip
    compound = (
        "def up(q):\n    nonlocal {n}\n    {n} = {n} + q\n    return {n}\nfor q in {a}[:3]:\n    up(q)\n{m} = {n}", "acc = []\ndef put(q):\n    if q > 0: acc.append(q)\nfor q in {a}[:3]: put(q)\n{m} = len(acc), acc",
        "fs = [lambda q, e=e: q * e for e in range(3)]\n{m} = sum(f({a}) for f in fs)", "state = dict(c=0)\ndef step(q):\n    state['c'] += 1 if q > 0 else 2\nfor q in {a}: step(q)\n{m} = state['c']",
        "low = np.inf\ndef seen(q):\n    nonlocal low\n    if q < low:\n        low = q\n        return True\n    return False\n{m} = [seen(q) for q in {a}[:3]], low", "count = 0\ndef tick():\n    nonlocal count\n    count += 1\n    return count\nwhile tick() < {a}.sum() and count < 5: {n} = {n} + 1\n{m} = count",
        "{m} = {n}[1:]\nif {a}.sum() > 0:\n    {m}[:1] = 7\nelse:\n    {m} = {m}.copy()\n{m} = {m} * 2", "{m} = {n}.copy()\nw0 = {m}[::-1]\nif {a}.any():\n    w0[0] = {c}\nelse:\n    w0 += 1", "{m} = {n}.copy()\nfor q in range(len({m})):\n    if {m}[q] > 0:\n        {m}[q:] -= 1",
        "{m} = {n}.copy()\nw0, w1 = {m}[:1], {m}[-1:]\nif {a}.sum() > 0: w0, w1 = w1, w0\nw0 += 3\nw1 *= 2", "{m} = {n}.T.copy()\nif {a}.sum() > 0:\n    {m} = {m}.T\n{m} = ({m} * 0.1).sum(axis=0)", "{m} = {n}\nif {a}.sum() > 0: {m} = {n}.copy(order='F')\n{m} = ({m} / 7).sum(), {m}.flags.f_contiguous",
        "c0 = np.int8(100)\nfor q in range(3):\n    c0 = c0 + np.int8(q * 20)\n{m} = c0", "c0 = {a}[0]\nfor q in range(3):\n    c0 = c0 * c0\n{m} = c0", "c0 = 0\nwhile c0 < int({a}.sum()):\n    c0 += 2\n{m} = c0", "c0 = np.uint8(0)\nfor q in {a}[:4]: c0 += np.uint8(q > 0) * np.uint8(200)\n{m} = c0",
        "c0 = {a}.sum()\nwhile abs(c0) < 50 and c0 != 0:\n    c0 = c0 * np.int16(3)\n{m} = c0", "c0, c1 = 1, 0.5\nfor q in {a}[:4]:\n    if q > 0: c0, c1 = c0 + 1, c1 * q\n    else: c0 = -c0\n{m} = c0, c1", "c0 = {a}[:1]\nfor q in range(len({a})):\n    if {a}[q] > c0[0]: c0 = {a}[q : q + 1]\n{m} = c0 + 1",
        "c0 = t[0]\nfor q in range(len(t)):\n    if t[q] > c0: c0 = t[q]\n{m} = c0", "c0 = np.timedelta64(0, 'D')\nfor q in range(1, len(t)):\n    c0 = c0 + (t[q] - t[q - 1])\n{m} = c0", "{m} = 0\nfor q in t:\n    if q > t[0]: {m} += 1", "for q in range(len(r)):\n    if r[q]['b'] > 0: r[q]['a'] += 1", "c0 = 0.0\nfor q in r:\n    c0 += q['b'] * q['a']\n{m} = c0",
        "for q in range(len(r)):\n    if w[q] > 0: r[q] = (q, w[q])\n    else: r['b'][q] = -1", "{m} = r[0]\nfor q in r:\n    if q['b'] > {m}['b']: {m} = q\n{m} = {m}['a']", "try:\n    {n}[0] = 9\n    if {a}.sum() > 2: raise ValueError('big')\n    {n}[-1] = 8\nexcept ValueError as e:\n    {m} = str(e)\nelse:\n    {m} = 'fine'\nfinally:\n    {n} = {n} * 1",
        "g = np.random.default_rng(5)\n{m} = g.normal(size=len({a}))\nif {a}.sum() > 0: {m} = {m} + g.integers(0, 9)\n{m} = {m} + g.random()", "g = np.random.default_rng(5)\ntry:\n    g.random()\n    if {a}.sum() > 1: raise KeyError(1)\n    g.random()\nexcept KeyError: pass\n{m} = g.random(2)",
        "{m} = {a}.sum()\nif {a}.any(): {m} = np.asarray({m})", "{m} = np.zeros(())\nif {a}.sum() > 0: {m} = {a}.max()", "{m} = np.zeros(())\nfor q in range(2): {m} += {a}.sum()", "{m} = 0\nif {a}.sum() > 0: {m} = {a}.sum()", "{m} = np.float32(1)\nfor q in {a}[:3]:\n    if q > 0: {m} = {m} + q", "{m} = np.zeros((), int)\nfor q in {a}[:3]: {m}[...] = {m} + 1",
        "i0 = len({a}) - 1\nwhile i0 >= 0 and {a}[i0] > 0: i0 -= 1\n{m} = {a}[i0::-1]", "for q in range(len({a}) - 1, -1, -2): {n}[..., q] = {a}[..., q]", "for q in range({j}, 0, -1): {n} = {n} + q", "{m} = []\nfor q in range(0, len({a}), 2): {m}.append({a}[q : q + 2].sum())",
        "with np.errstate(all='raise'):\n    try: {m} = {a} / {a}.sum()\n    except FloatingPointError as e: {m} = str(e)", "it = iter({a})\n{m} = [next(it, None), next(it, None)]", "{m} = [q for q in {a} if q > 0][:2]", "{m} = max({a}, key=lambda q: -q)", "{m} = sorted({a}, reverse=True)[:2]", "{m} = [*zip({a}, {a}[::-1])][:2]",
        "try: {n} += 0.5\nexcept TypeError as e: {m} = type(e).__name__", "try: {n}[{j}] = {c}\nexcept (IndexError, ValueError, TypeError) as e: {m} = str(e)", "try: {m} = {a}[{j}]\nexcept IndexError as e: {m} = str(e)", "try: np.add({n}, {a}, out={n})\nexcept (TypeError, ValueError) as e: {m} = type(e).__name__, {n}", "while {n}.sum() > 9: {n} = {n} - 1\n{m} = {n}.copy()",
    )  # fmt: skip

    def _filled(self, text: str) -> str:
        while "{j}" in text:
            text = text.replace("{j}", self.rng.choice(BOUNDS), 1)
        return super()._filled(text)
