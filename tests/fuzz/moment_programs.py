# ruff: noqa: E501 -- tables of expressions
"""Random programs over dates and spans of time: arithmetic and comparisons across units, ``NaT``, casts, calendars of business days, and
what Python's own dates make of them.
"""

from __future__ import annotations

import random

_VALUES = (
    "t + d", "t - d", "t - t[::-1]", "d * 2", "d / 2", "d // 2", "d % np.timedelta64(3, 'D')", "-d", "abs(d)", "d / np.timedelta64(1, 'h')", "d // np.timedelta64(1, 'D')", "t + n", "t + 1", "t - n", "d + n", "n + d", "d * n", "n * d", "d / n", "d * 1.5", "d / d", "d // d", "divmod(d, d)", "d % d", "np.sign(d)", "np.multiply(d, x)", "x * d", "d * x[0]", "t + x", "t[0] - t", "t - t[0]",
    "t == t[0]", "t < t.max()", "t >= t[::-1]", "d > 0", "d == np.timedelta64(1, 'D')", "t != u", "t < u", "np.maximum(t, u)", "np.minimum(t, t[::-1])", "np.fmax(t, t[::-1])", "np.isnat(t)", "np.isnat(d)", "np.isfinite(t)", "np.isinf(d)", "np.isnan(d)",
    "t.astype('M8[M]')", "t.astype('M8[Y]')", "t.astype('M8[s]')", "t.astype('M8[h]')", "t.astype('M8[W]')", "t.astype(np.int64)", "t.astype(int) % 7", "d.astype(int)", "d.astype('m8[h]')", "d.astype('m8[W]')", "d.astype(float)", "n.astype('M8[D]')", "n.astype('m8[s]')", "t.astype(str)", "d.astype(str)", "t.astype('U7')", "t.view(np.int64)", "d.view('i8')", "n.view('M8[D]')", "t.astype('M8[M]').astype(int) % 12 + 1", "t.astype('M8[D]') - t.astype('M8[M]')", "t.astype('M8[M]') + np.timedelta64(1, 'M')", "t.astype('M8[Y]').astype(int) + 1970",
    "t.min()", "t.max()", "t.argmin()", "t.argmax()", "np.sort(t)", "np.argsort(t)", "t.sort()", "np.unique(t)", "d.sum()", "d.mean()", "np.cumsum(d)", "np.diff(t)", "np.diff(t, n=2)", "np.diff(t).mean()", "np.median(d)", "np.ptp(t)", "d.std()", "d.prod()", "np.add.reduce(d)", "np.maximum.accumulate(t)", "np.sum(d, axis=0)", "np.average(d)", "t.mean()", "np.percentile(d, 50)", "np.quantile(t, 0.5)", "np.searchsorted(np.sort(t), t[0])", "np.digitize(n, [0, 2])", "np.clip(t, t[0], None)", "np.clip(d, np.timedelta64(0, 'D'), np.timedelta64(9, 'D'))", "np.any(d)", "np.all(d)", "np.count_nonzero(d)", "np.nonzero(d)",
    "np.where(np.isnat(t), t[0], t)", "np.where(t > t[0], t, np.datetime64('NaT'))", "np.where(n > 0, d, -d)", "t[n > 0]", "t[::2]", "t[-1]", "t[0]", "d[0]", "t.tolist()", "d.tolist()", "t[0].item()", "d[0].item()", "str(t[0])", "str(d[0])", "repr(d[0])", "f'{t[0]}'", "int(d[0])", "float(d[0])", "bool(d[0])", "hash(t[0]) == hash(t[0])", "t[0].astype(int)", "d[0] / np.timedelta64(1, 's')", "t[0] + 3", "t[0] - t[-1]", "int(d[0] / np.timedelta64(1, 'D'))", "t[0] == t[-1]", "bool(t[0] < t[-1])", "t[0].dtype", "t.dtype", "np.datetime_data(t.dtype)", "np.datetime_data((t + d).dtype)", "np.result_type(t, d)", "np.promote_types(t.dtype, 'M8[s]')", "np.can_cast(t.dtype, 'M8[s]')", "(t - t[0]).dtype", "t.dtype.kind", "np.issubdtype(t.dtype, np.datetime64)",
    "np.arange(t[0], t[0] + 5)", "np.arange('2000-01', '2000-06', dtype='M8[M]')", "np.arange(t[0], t[0] + 4, np.timedelta64(2, 'D'))", "np.arange(np.datetime64('2000-01-01'), np.datetime64('2000-01-01') + len(t))", "np.timedelta64(len(t), 'D')", "np.datetime64('2000-01-01') + len(t)", "np.datetime64('NaT') - t", "np.timedelta64('NaT') + d", "np.full(3, t[0])", "np.zeros(len(t), 'M8[D]')", "np.empty_like(t).shape", "np.array([t[0], t[-1]])", "np.array(['2001-01-01', '2002-02-02'], 'M8[D]') + d[0]", "np.concatenate([t, u])", "np.stack([t, t + 1])", "np.array([d[0], 1])", "np.linspace(0, 1, 3) * d[0]", "np.repeat(t, 2)", "np.tile(d, 2)", "t.reshape(-1, 1) - t", "np.subtract.outer(t, t[:2])", "np.isin(t, u)", "np.intersect1d(t, u)", "np.array_equal(t, t.copy())", "np.array_equal(t, t, equal_nan=True)",
    "np.is_busday(t.astype('M8[D]'))", "np.busday_count(t.astype('M8[D]'), t[::-1].astype('M8[D]'))", "np.busday_offset(t.astype('M8[D]'), n, roll='forward')", "np.busday_offset(t.astype('M8[D]'), 1, roll='backward', weekmask='1111100')", "np.is_busday(t.astype('M8[D]'), holidays=['2000-01-03'])", "np.busday_offset(t.astype('M8[D]'), 0)", "np.datetime_as_string(t)", "np.datetime_as_string(t, unit='M')", "np.datetime_as_string(t, unit='h')", "np.datetime_as_string(t.astype('M8[s]'), timezone='UTC')", "np.unique(t.astype('M8[M]'), return_counts=True)", "np.bincount(t.astype('M8[D]').astype(int) % 7, minlength=7)", "np.interp(n, np.arange(len(t)), t.astype(float))", "np.add(t, d, dtype='M8[s]')", "np.equal(t, u)", "np.add.accumulate(d)", "np.subtract(t, u)", "t.item(0)", "np.datetime64(t[0], 'h')", "np.datetime64(t.tolist()[0])", "np.timedelta64(d[0], 's')", "d[0].astype('m8[s]').astype(int)", "max(t)", "min(t)", "max(t.tolist())", "sum(d)", "sorted(t.tolist())[0]", "[str(v) for v in t]", "[v.astype(int) for v in d]", "round(d[0])", "np.round(d)", "np.floor(d)", "~d", "d ** 2", "t * 2", "np.dot(d, n)", "np.gcd(d, d)", "np.lexsort((n, t))", "np.partition(d, 0)[0]", "np.take(t, n % 2)", "np.choose(n % 2, [t, t + 1])", "t.flat[0]", "t.nonzero()", "np.trapezoid(x, t)", "np.gradient(x, n)", "np.ediff1d(t)", "np.flip(t)", "np.roll(d, 1)", "np.insert(t, 0, t[0])", "np.append(t, t[0])", "np.delete(d, 0)", "np.pad(d, 1)", "np.histogram(d.astype(int), 2)",
    "t[0].tolist().year", "t.astype('M8[D]')[0].item().weekday()", "d[0].item().days", "t[0].item().isoformat()", "np.datetime64('2000-01-01', 'D') in t", "t.tobytes()[:8]", "t.byteswap().byteswap()", "np.nanmax(t)", "np.nanmin(d)", "np.nanmean(d)", "np.nansum(d)", "np.rint(d)", "np.conj(d)", "np.positive(d)", "np.square(d)", "np.sqrt(d)", "np.hypot(d, d)", "np.heaviside(d, 1)", "np.floor_divide(d, np.timedelta64(2, 'h'))", "np.remainder(d, np.timedelta64(5, 'h'))", "np.divide(d, 0)", "d // np.timedelta64(0, 'D')", "np.nan_to_num(d)", "d.real", "d.imag", "np.isreal(d)", "np.allclose(d, d)", "t.any()", "t.all()", "np.logical_not(d)", "t ^ t",
)  # fmt: skip
_WRITES = (
    "t[0] = '2001-02-03'", "t[0] = np.datetime64('NaT')", "t[0] = 5", "t[0] = u[0]", "t[1:] = t[:-1]", "d[0] = 7", "d[:] = np.timedelta64(2, 'D')", "d[0] = None", "t += d", "t += 1", "d *= 2", "d //= 2", "d -= d[0]", "d /= 2", "t -= t[0]", "t[n > 0] += 1", "t[np.isnat(t)] = t[-1]", "d[0] = x[0]", "t[0] = d[0]", "d[0] = 'NaT'", "t, u = u, t", "t = t.astype('M8[s]')", "d = d.astype('m8[h]')", "t = t[1:]", "d = -d", "d = t - t[0]", "u = t.view()", "u = t[::-1]", "np.add(t, d, out=t)", "t.sort()", "t.fill(u[0])", "t.put(0, u[0])", "np.copyto(t, u[:1])", "t.flat[0] = 3", "if t[0] > u[0]: t = t + 1", "if np.isnat(t).any(): d = d * 0", "if d[0] > np.timedelta64(0): d = -d", "t[0] = '2001-13-01'", "d[0] = t[0]", "for v in t[:2]: u = u + (v - t[0])", "while d[0] > np.timedelta64(1, 'D'): d = d // 2", "t[0] = t[0].item()", "t[:1] = [u[0]]", "t[...] = t[0]", "d.fill(3)", "d.view('i8')[0] = 4",
)  # fmt: skip


class Writer:
    """Writes one program of dates, spans and numbers of one length, ``f(t, d, u, n, x)``, from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self) -> str:
        choose, chance, failed = self.random.choice, self.random.random, "except TypeError as error: "
        body = ["log = []"]
        for _ in range(self.random.randint(1, 5)):
            step = choose(_WRITES) if chance() < 0.3 else f"log.append({choose(_VALUES)})"
            if chance() < 0.2 or step.startswith(("if", "for", "while")):
                body.append(step)
            else:
                body += [f"try: {step}", f"{failed}log.append((type(error).__name__, str(error)))"]
        return "\n".join(["def f(t, d, u, n, x):", *["    " + line for line in [*body, "return log, t, d, u"]]])
