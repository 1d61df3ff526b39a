"""Textbook programs over networks, tables and rows that data exchange, each exported once and held to
eager execution on data of six seeds.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from npexport import export
from tests.support.outcomes import outcome

Draw = Callable[[np.random.Generator], tuple[Any, ...]]
PROGRAMS: dict[str, tuple[Callable[..., Any], Draw]] = {}


def on(draw: Draw) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a program, and how its arguments are drawn."""

    def declared(program: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[program.__name__] = program, draw
        return program

    return declared


def _undirected(n: int) -> Draw:
    def draw(rng: np.random.Generator) -> tuple[Any, ...]:
        half = np.triu(rng.integers(0, 9, (n, n)), 1)
        return (half + half.T,)

    return draw


def _directed(n: int, most: int) -> Draw:
    return lambda rng: (rng.integers(0, most, (n, n)) * (1 - np.eye(n, dtype=int)),)


def _integers(n: int, most: int) -> Draw:
    return lambda rng: (rng.integers(0, most, n),)


def _normal(*shape: int) -> Draw:
    return lambda rng: (rng.normal(size=shape),)


@on(_undirected(4))
def prim(g):
    n = len(g)
    used = [False] * n
    dist = [math.inf] * n
    dist[0] = 0
    total = 0
    parent = [-1] * n
    for _ in range(n):
        u = -1
        for v in range(n):
            if not used[v] and (u == -1 or dist[v] < dist[u]):
                u = v
        used[u] = True
        total += dist[u]
        for v in range(n):
            if not used[v] and g[u, v] < dist[v]:
                dist[v] = g[u, v]
                parent[v] = u
    return (total, parent)


@on(_undirected(3))
def prim_heap(g):
    n = len(g)
    seen = [False] * n
    heap = [(0, 0)]
    total = 0
    while heap:
        w, u = heapq.heappop(heap)
        if seen[u]:
            continue
        seen[u] = True
        total += w
        for v in range(n):
            if not seen[v] and g[u, v] > 0:
                heapq.heappush(heap, (int(g[u, v]), v))
    return total


@on(_normal(3, 3))
def rows_tuple_swap(a):
    a = a.copy()
    for i in range(2):
        if a[i, 0] > a[i + 1, 0]:
            a[i], a[i + 1] = (a[i + 1], a[i])
    return a


@on(_normal(3, 3))
def rows_fancy_swap(a):
    a = a.copy()
    for i in range(3):
        j = i + int(np.argmax(np.abs(a[i:, i])))
        if i != j:
            a[[i, j]] = a[[j, i]]
    return a


@on(_normal(3, 2))
def rows_of_lists(a):
    m = [list(r) for r in a]
    for i in range(3):
        for j in range(2 - i):
            if m[j][0] > m[j + 1][0]:
                m[j], m[j + 1] = (m[j + 1], m[j])
    return m


@on(_normal(4, 4))
def lu(a):
    a = a.copy()
    n = len(a)
    p = list(range(n))
    sign = 1
    for k in range(n):
        m = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[m, k]):
                m = i
        if m != k:
            a[[k, m]] = a[[m, k]]
            p[k], p[m] = (p[m], p[k])
            sign = -sign
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k + 1 :] -= a[i, k] * a[k, k + 1 :]
    return (a, p, sign)


@on(_normal(4))
def dicts_in_list(x):
    out = []
    for v in x:
        if v > 0:
            out.append({"v": v, "n": 0})
        elif out:
            out[-1]["n"] += 1
    return out


@on(_integers(5, 9))
def runs_as_small_lists(x):
    out = []
    for v in x:
        if out and out[-1][0] == v % 2:
            out[-1].append(int(v))
        else:
            out.append([int(v % 2), int(v)])
    return out


@on(lambda rng: (np.triu(rng.integers(0, 2, (4, 4)), 1)[rng.permutation(4)],))
def topological(g):
    n = len(g)
    deg = g.sum(0).tolist()
    q = deque((i for i in range(n) if deg[i] == 0))
    order = []
    while q:
        u = q.popleft()
        order.append(u)
        for v in range(n):
            if g[u, v]:
                deg[v] -= 1
                if deg[v] == 0:
                    q.append(v)
    return order if len(order) == n else None


@on(lambda rng: (rng.integers(0, 5, (4, 2)),))
def union_rank(e):
    p = list(range(5))
    rank = [0] * 5

    def find(a):
        while p[a] != a:
            a = p[a]
        return a

    for a, b in e:
        a, b = (find(a), find(b))
        if a == b:
            continue
        if rank[a] < rank[b]:
            a, b = (b, a)
        p[b] = a
        if rank[a] == rank[b]:
            rank[a] += 1
    return (p, rank)


@on(lambda rng: (rng.integers(0, 2, (3, 2)),))
def trie(x):
    root = {}
    made = 0
    for w in x:
        node = root
        for c in w:
            c = int(c)
            if c not in node:
                node[c] = {}
                made += 1
            node = node[c]
        node["end"] = True
    return (made, root)


@on(lambda rng: (rng.integers(0, 2, (4, 4)) * 0 + (rng.random((4, 4)) < 0.2),))
def queens_backtracking(block):
    n = 4
    cols = [-1] * n
    r = 0
    while 0 <= r < n:
        cols[r] += 1
        while cols[r] < n and (block[r, cols[r]] or any((cols[q] == cols[r] or abs(cols[q] - cols[r]) == r - q for q in range(r)))):
            cols[r] += 1
        if cols[r] < n:
            r += 1
        else:
            cols[r] = -1
            r -= 1
    return cols if r == n else None


@on(lambda rng: (rng.integers(1, 5, 3), rng.integers(1, 9, 3)))
def knapsack_chosen(w, v):
    cap = 6
    n = len(w)
    t = np.zeros((n + 1, cap + 1), int)
    for i in range(1, n + 1):
        for c in range(cap + 1):
            t[i, c] = t[i - 1, c]
            if w[i - 1] <= c and t[i - 1, c - w[i - 1]] + v[i - 1] > t[i, c]:
                t[i, c] = t[i - 1, c - w[i - 1]] + v[i - 1]
    chosen = []
    c = cap
    for i in range(n, 0, -1):
        if t[i, c] != t[i - 1, c]:
            chosen.append(i - 1)
            c -= int(w[i - 1])
    return (int(t[n, cap]), chosen[::-1])


@on(_integers(5, 3))
def suffix_doubling(s):
    n = len(s)
    rank = [int(c) for c in s]
    k = 1
    sa = list(range(n))
    while k < n:
        key = [(rank[i], rank[i + k] if i + k < n else -1) for i in range(n)]
        sa = sorted(range(n), key=lambda i: key[i])
        new = [0] * n
        for a, b in zip(sa, sa[1:]):
            new[b] = new[a] + (key[a] != key[b])
        rank = new
        if rank[sa[-1]] == n - 1:
            break
        k *= 2
    return sa


@on(lambda rng: (np.array([rng.permutation(3) for _ in range(3)]), np.array([rng.permutation(3) for _ in range(3)])))
def gale_shapley(men, women):
    n = len(men)
    nxt = [0] * n
    wife = [-1] * n
    free = list(range(n))
    rank = np.argsort(women, 1)
    while free:
        m = free.pop()
        w = int(men[m, nxt[m]])
        nxt[m] += 1
        if wife[w] == -1:
            wife[w] = m
        elif rank[w, m] < rank[w, wife[w]]:
            free.append(wife[w])
            wife[w] = m
        else:
            free.append(m)
    return wife


@on(_directed(4, 4))
def edmonds_karp(g):
    c = g.copy()
    n = len(c)
    flow = 0
    while True:
        par = [-1] * n
        par[0] = 0
        q = deque([0])
        while q and par[n - 1] == -1:
            u = q.popleft()
            for v in range(n):
                if par[v] == -1 and c[u, v] > 0:
                    par[v] = u
                    q.append(v)
        if par[n - 1] == -1:
            return flow
        b = math.inf
        v = n - 1
        while v != 0:
            b = min(b, c[par[v], v])
            v = par[v]
        v = n - 1
        while v != 0:
            u = par[v]
            c[u, v] -= b
            c[v, u] += b
            v = u
        flow += b


@on(lambda rng: (rng.uniform(0.5, 3, (2, 2)), rng.uniform(1, 5, 2), rng.normal(1, 1, 2)))
def simplex(A, b, c):
    m, n = A.shape
    T = np.zeros((m + 1, n + m + 1))
    T[:m, :n] = A
    T[:m, n : n + m] = np.eye(m)
    T[:m, -1] = b
    T[-1, :n] = -c
    basis = list(range(n, n + m))
    while True:
        j = int(np.argmin(T[-1, :-1]))
        if T[-1, j] >= -1e-12:
            break
        rows = [i for i in range(m) if T[i, j] > 1e-12]
        if not rows:
            return (math.inf, basis)
        i = min(rows, key=lambda r: T[r, -1] / T[r, j])
        T[i] /= T[i, j]
        for k in range(m + 1):
            if k != i:
                T[k] -= T[k, j] * T[i]
        basis[i] = j
    return (T[-1, -1], basis)


@on(lambda rng: (rng.integers(0, 2, 8), rng.integers(0, 2, 3)))
def kmp(t, p):
    m = len(p)
    f = [0] * m
    k = 0
    hits = []
    for i in range(1, m):
        while k and p[i] != p[k]:
            k = f[k - 1]
        if p[i] == p[k]:
            k += 1
        f[i] = k
    k = 0
    for i in range(len(t)):
        while k and t[i] != p[k]:
            k = f[k - 1]
        if t[i] == p[k]:
            k += 1
        if k == m:
            hits.append(i - m + 1)
            k = f[k - 1]
    return hits


@on(lambda rng: (np.sort(rng.integers(0, 12, (4, 2)), 1),))
def intervals(iv):
    out = []
    for s, e in sorted(iv.tolist()):
        if out and s <= out[-1][1]:
            out[-1][1] = max(out[-1][1], e)
        else:
            out.append([s, e])
    return out


@on(lambda rng: (rng.normal(size=3), rng.normal(size=3)))
def one_array_of_two(x, y):
    a = x.copy()
    c = y.copy()
    for i in range(3):
        if y[i] > 0:
            c = a
        else:
            a = c
    return (a, c)


@on(_integers(5, 7))
def next_greater(x):
    st = []
    out = [-1] * len(x)
    for i, v in enumerate(x):
        while st and x[st[-1]] < v:
            out[st.pop()] = int(v)
        st.append(i)
    return out


@on(lambda rng: (rng.integers(0, 4, 6),))
def brackets(x):
    st = []
    for v in x:
        if v < 2:
            st.append(int(v))
        elif st and st[-1] == v - 2:
            st.pop()
        else:
            return (False, len(st))
    return (not st, len(st))


@on(_normal(4))
def heap_of_rows(x):
    h = []
    for i, v in enumerate(x):
        if v > 0:
            heapq.heappush(h, (-v, i))
        elif h:
            heapq.heappop(h)
    return [i for _, i in h]


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_textbook_programs_give_what_they_give_eagerly(name: str) -> None:
    program, draw = PROGRAMS[name]
    calls = [draw(np.random.default_rng(seed)) for seed in range(6)]
    run = export(program, draw(np.random.default_rng(0))).module()
    found = []
    for number, arguments in enumerate(calls):
        given = draw(np.random.default_rng(number))
        found.append(outcome(program, arguments))
        assert outcome(run, given) == found[-1]
    assert len(set(map(repr, found))) > 1  # data decide
