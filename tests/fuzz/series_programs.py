# ruff: noqa: E501 -- tables of expressions
"""Random programs over NumPy's polynomials and series: objects made of arrays, whose memory they may share, arithmetic of them, their
attributes read and written, and the functions behind them.
"""

from __future__ import annotations

import random

_CLASSES = ("Polynomial", "Chebyshev", "Legendre", "Hermite", "HermiteE", "Laguerre")
_MADE = (
    "np.polynomial.{cls}(x)", "np.polynomial.{cls}(y)", "np.polynomial.{cls}([1, 2, 3])", "np.polynomial.{cls}(x[:2])", "np.polynomial.{cls}(x, domain=[0, 2])", "np.polynomial.{cls}(x, window=[-2, 2])", "np.polynomial.{cls}(x, symbol='t')", "np.polynomial.{cls}.basis(2)", "np.polynomial.{cls}.identity()", "np.polynomial.{cls}.fit(np.arange(5.), np.concatenate([x, y])[:5], 2)", "np.polynomial.{cls}.fromroots(x[:2])", "np.poly1d(x)", "np.poly1d(y)", "np.poly1d([1,2,3])", "np.poly1d(x, True)", "np.poly1d(x, variable='z')",
)  # fmt: skip
_STEPS = (
    "p(0.5)", "p(x)", "p(x[0])", "p(2)", "p + q", "p - q", "p * q", "p + 1", "2 * p", "p * x[0]", "p / 2", "p // q", "p % q", "divmod(p, q)", "p ** 2", "-p", "+p", "p == q", "p != q", "p == p", "len(p)", "p.coef", "p.deriv()", "p.deriv(2)", "p.deriv(m=1)", "p.integ()", "p.integ(2, [1, 2])", "p.integ(k=x[0])", "p.roots()", "p.r", "p.order", "p.o", "p.c", "p.coeffs", "p[0]", "p[1]", "p[-1]", "p[7]", "list(p)", "[c for c in p]", "p.degree()", "p.trim()", "p.cutdeg(1)", "p.truncate(2)", "p.domain", "p.window", "p.symbol", "p.linspace(4)", "p.mapparms()", "p.convert(kind=np.polynomial.Polynomial)", "p.convert(domain=[-1, 3])", "p.copy()", "p.has_samecoef(q)", "p.has_samedomain(q)", "p.has_sametype(q)", "str(type(p).__name__)", "np.polyval(p, x)", "np.polyadd(p, q)", "np.polymul(p, q)", "np.polyder(p)", "np.polyint(p)", "np.polydiv(p, q)", "np.roots(p)", "p.variable", "hash(p)", "q(p)", "p(q)",
    "p.cast(p)", "np.polynomial.Polynomial.cast(p)", "isinstance(p, np.poly1d)", "np.array(p)", "np.asarray(p) * 2", "x * p", "p * x", "p - x", "x + p", "abs(p.coef).sum()", "p.coef.shape", "np.polyfit(np.arange(4.), np.concatenate([x, y])[:4], 2)", "np.poly(x)", "np.polynomial.polynomial.polyval(0.5, x)", "np.polynomial.chebyshev.chebval(x, y)", "np.polynomial.legendre.legmul(x, y)", "np.polynomial.hermite.hermder(x)", "np.polynomial.laguerre.lagint(x)", "np.polynomial.polyutils.trimseq(x)", "np.polynomial.polyutils.trimcoef(x)", "np.polynomial.polyutils.mapdomain(x, [0, 1], [2, 3])", "np.polynomial.polynomial.polyvander(x, 2)", "np.polynomial.polynomial.polydiv(x, y)", "np.polynomial.polynomial.polyfromroots(x)", "np.polynomial.legendre.leggauss(3)", "np.polynomial.chebyshev.chebfit(np.arange(3.), y[:3], 1)", "np.polynomial.polynomial.polycompanion(x)",
    "np.polynomial.chebyshev.chebpts1(3)", "np.polynomial.polynomial.polygrid2d(x[:2], y[:2], np.ones((2,2)))", "np.polynomial.chebyshev.cheb2poly(x)", "np.polynomial.polynomial.polyline(1, 2)",
)  # fmt: skip
_WRITES = (
    "p.coef[0] = 3", "p[0] = 5", "p[5] = 1", "p = p + q", "q = p", "p, q = q, p", "p.domain = [0, 1]", "p.coef = y", "x[0] = 2", "q = p.deriv()", "p.window[0] = -3", "p += 1", "p *= q", "p.coef *= 2", "q = q.copy()", "p -= q",
)  # fmt: skip


class Writer:
    """Writes one program of two vectors, ``f(x, y)``, from the numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def program(self) -> str:
        choose, chance, failed = self.random.choice, self.random.random, "except Exception as error: "
        cls = choose(_CLASSES)
        other = cls if chance() < 0.8 else choose(_CLASSES)
        made = f"{choose(_MADE).replace('{cls}', cls)}, {choose(_MADE).replace('{cls}', other)}"
        body = ["log = []", f"try: p, q = {made}", f"{failed}return type(error).__name__, str(error)"]
        for _ in range(self.random.randint(1, 5)):
            step = choose(_WRITES) if chance() < 0.25 else f"log.append({choose(_STEPS)})"
            body += [f"try: {step}", f"{failed}log.append((type(error).__name__, str(error)))"]
        return "\n".join(["def f(x, y):", *["    " + line for line in [*body, "return log, x, y, p.coef, q.coef"]]])
