"""Textbook programs over lists, tables, stacks, queues and dicts of numbers, whose loops data lead; at
a small and at a larger size, as parts of the user's own function, of rounds in turn.

python benchmarks/textbook.py [NAME ...]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport import Unsupported, export

ROUNDS, SECONDS = 9, 0.004
PROGRAMS: dict[str, tuple[Callable[..., Any], Callable[[int, Any], tuple[Any, ...]], tuple[int, int]]] = {}


def measured(arguments: Callable[[int, Any], tuple[Any, ...]], *sizes: int) -> Callable[..., Any]:
    """Declares a program with the arguments that it gets at a size, and the two sizes."""

    def declare(program: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[program.__name__] = program, arguments, (sizes[0], sizes[1])
        return program

    return declare


def numbers(size, random):
    return (random.integers(0, 100, size),)


def few_numbers(size, random):
    return (random.integers(0, 6, size),)


def floats(size, random):
    return (random.random(size),)


def sorted_numbers(size, random):
    return np.sort(random.integers(0, 1000, size)), random.integers(0, 1000, size)


def two_rows(size, random):
    return random.integers(0, 4, size), random.integers(0, 3, size)


def text(size, random):
    return random.integers(0, 3, size), random.integers(0, 3, 4)


def amount(size, random):
    return (np.array([size]),)


def graph(size, random):
    return ((random.random((size, size)) < 2 / size).astype(int),)


def weights(size, random):
    return (random.integers(0, 100, (size, size)).astype(float),)


def capacities(size, random):
    return (random.integers(0, 20, (size, size)),)


@measured(numbers, 8, 300)
def insertion_sort(x):
    a = [int(v) for v in x]
    for i in range(1, len(a)):
        k = a[i]
        j = i - 1
        while j >= 0 and a[j] > k:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = k
    return np.array(a)


@measured(numbers, 8, 64)
def merge_sort(x):
    a = [int(v) for v in x]
    n = len(a)
    width = 1
    while width < n:
        b = []
        for lo in range(0, n, 2 * width):
            mid = min(lo + width, n)
            hi = min(lo + 2 * width, n)
            i, j = (lo, mid)
            while i < mid or j < hi:
                if i < mid and (j >= hi or a[i] <= a[j]):
                    b.append(a[i])
                    i += 1
                else:
                    b.append(a[j])
                    j += 1
        a = b
        width *= 2
    return np.array(a)


@measured(numbers, 8, 300)
def heap_sort(x):
    a = [int(v) for v in x]
    n = len(a)
    for s in range(n // 2 - 1, -1, -1):
        i = s
        while True:
            c = 2 * i + 1
            if c >= n:
                break
            if c + 1 < n and a[c] < a[c + 1]:
                c += 1
            if a[i] >= a[c]:
                break
            a[i], a[c] = (a[c], a[i])
            i = c
    for e in range(n - 1, 0, -1):
        a[0], a[e] = (a[e], a[0])
        i = 0
        while True:
            c = 2 * i + 1
            if c >= e:
                break
            if c + 1 < e and a[c] < a[c + 1]:
                c += 1
            if a[i] >= a[c]:
                break
            a[i], a[c] = (a[c], a[i])
            i = c
    return np.array(a)


@measured(numbers, 8, 300)
def quick_sort_stack(x):
    a = [int(v) for v in x]
    stack = [(0, len(a) - 1)]
    while stack:
        lo, hi = stack.pop()
        if lo >= hi:
            continue
        p = a[hi]
        s = lo
        for i in range(lo, hi):
            if a[i] < p:
                a[s], a[i] = (a[i], a[s])
                s += 1
        a[s], a[hi] = (a[hi], a[s])
        stack.append((lo, s - 1))
        stack.append((s + 1, hi))
    return np.array(a)


@measured(floats, 8, 200)
def running_median(x):
    window = []
    out = np.zeros(len(x))
    for i in range(len(x)):
        v = float(x[i])
        k = len(window)
        window.append(v)
        while k > 0 and window[k - 1] > v:
            window[k] = window[k - 1]
            k -= 1
        window[k] = v
        m = len(window)
        out[i] = window[m // 2] if m % 2 else (window[m // 2 - 1] + window[m // 2]) / 2
    return out


@measured(sorted_numbers, 8, 1000)
def binary_search_many(x, q):
    a = x.tolist()
    out = []
    for v in q.tolist():
        lo, hi = (0, len(a))
        while lo < hi:
            m = (lo + hi) // 2
            if a[m] < v:
                lo = m + 1
            else:
                hi = m
        out.append(lo)
    return np.array(out)


@measured(two_rows, 6, 60)
def lcs_table(x, y):
    n, m = (len(x), len(y))
    t = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n):
        for j in range(m):
            if x[i] == y[j]:
                t[i + 1][j + 1] = t[i][j] + 1
            else:
                t[i + 1][j + 1] = max(t[i][j + 1], t[i + 1][j])
    return t[n][m]


@measured(two_rows, 6, 40)
def knapsack(w, v):
    C = 60
    t = [0] * (C + 1)
    for i in range(len(w)):
        wi, vi = (int(w[i]) + 1, int(v[i]))
        for k in range(C, -1, -1):
            if wi <= k and t[k - wi] + vi > t[k]:
                t[k] = t[k - wi] + vi
    return t[C]


@measured(amount, 20, 500)
def coin_change(amount):
    n = int(amount[0])
    t = [0] + [10**9] * n
    for i in range(1, n + 1):
        for c in (1, 5, 10, 25):
            if c <= i and t[i - c] + 1 < t[i]:
                t[i] = t[i - c] + 1
    return t[n]


@measured(amount, 30, 3000)
def sieve(x):
    n = int(x[0])
    s = [True] * (n + 1)
    i = 2
    count = 0
    while i <= n:
        if s[i]:
            count += 1
            j = i * i
            while j <= n:
                s[j] = False
                j += i
        i += 1
    return count


@measured(graph, 6, 60)
def bfs(g):
    n = len(g)
    dist = [-1] * n
    dist[0] = 0
    queue = [0]
    head = 0
    while head < len(queue):
        u = queue[head]
        head += 1
        for v in range(n):
            if g[u, v] and dist[v] < 0:
                dist[v] = dist[u] + 1
                queue.append(v)
    return np.array(dist)


@measured(graph, 6, 60)
def dfs_stack(g):
    n = len(g)
    seen = [False] * n
    stack = [0]
    order = []
    while stack:
        u = stack.pop()
        if seen[u]:
            continue
        seen[u] = True
        order.append(u)
        for v in range(n):
            if g[u, v] and (not seen[v]):
                stack.append(v)
    return np.array(order)


@measured(weights, 6, 60)
def dijkstra(w):
    n = len(w)
    dist = [np.inf] * n
    done = [False] * n
    dist[0] = 0.0
    for _ in range(n):
        u = -1
        for v in range(n):
            if not done[v] and (u < 0 or dist[v] < dist[u]):
                u = v
        done[u] = True
        for v in range(n):
            d = dist[u] + float(w[u, v])
            if d < dist[v]:
                dist[v] = d
    return np.array(dist)


@measured(weights, 5, 25)
def floyd_warshall(w):
    n = len(w)
    d = [[float(v) for v in row] for row in w]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i][k] + d[k][j] < d[i][j]:
                    d[i][j] = d[i][k] + d[k][j]
    return np.array(d)


@measured(capacities, 5, 15)
def max_flow(c):
    n = len(c)
    cap = c.copy()
    flow = 0
    while True:
        parent = [-1] * n
        parent[0] = 0
        queue = [0]
        head = 0
        while head < len(queue) and parent[n - 1] < 0:
            u = queue[head]
            head += 1
            for v in range(n):
                if parent[v] < 0 and cap[u, v] > 0:
                    parent[v] = u
                    queue.append(v)
        if parent[n - 1] < 0:
            break
        f = 10**9
        v = n - 1
        while v != 0:
            f = min(f, int(cap[parent[v], v]))
            v = parent[v]
        v = n - 1
        while v != 0:
            cap[parent[v], v] -= f
            cap[v, parent[v]] += f
            v = parent[v]
        flow += f
    return flow


@measured(few_numbers, 8, 500)
def brackets(x):
    stack = []
    bad = 0
    for c in x.tolist():
        if c % 2 == 0:
            stack.append(c)
        elif stack and stack[-1] == c - 1:
            stack.pop()
        else:
            bad += 1
    return bad + len(stack)


@measured(numbers, 8, 500)
def largest_rectangle(x):
    h = [*x.tolist(), 0]
    stack = []
    best = 0
    for i in range(len(h)):
        while stack and h[stack[-1]] >= h[i]:
            t = h[stack.pop()]
            w = i if not stack else i - stack[-1] - 1
            if t * w > best:
                best = t * w
        stack.append(i)
    return best


@measured(numbers, 8, 500)
def window_maximum(x):
    q = deque()
    out = []
    k = 3
    for i in range(len(x)):
        while q and x[q[-1]] <= x[i]:
            q.pop()
        q.append(i)
        if q[0] <= i - k:
            q.popleft()
        if i >= k - 1:
            out.append(int(x[q[0]]))
    return np.array(out)


@measured(text, 10, 2000)
def kmp(text, pat):
    m = len(pat)
    f = [0] * m
    k = 0
    for i in range(1, m):
        while k > 0 and pat[k] != pat[i]:
            k = f[k - 1]
        if pat[k] == pat[i]:
            k += 1
        f[i] = k
    k = 0
    hits = []
    for i in range(len(text)):
        while k > 0 and (k == m or pat[k] != text[i]):
            k = f[k - 1]
        if pat[k] == text[i]:
            k += 1
        if k == m:
            hits.append(i - m + 1)
    return (np.array(hits), len(hits))


@measured(two_rows, 10, 2000)
def stack_machine(code, arg):
    stack = []
    for c, a in zip(code.tolist(), arg.tolist(), strict=True):
        if c == 0 or len(stack) < 2:
            stack.append(a)
        elif c == 1:
            stack.append((stack.pop() + stack.pop()) % 1000)
        elif c == 2:
            stack.append(stack.pop() * stack.pop() % 1000)
        elif c == 3:
            stack.pop()
        else:
            stack[-1] = stack[-1] + 1
    return np.array(stack)


@measured(few_numbers, 10, 1000)
def lru_cache(x):
    cache = []
    hits = 0
    for v in x.tolist():
        if v in cache:
            hits += 1
            cache.remove(v)
        elif len(cache) == 4:
            cache.pop(0)
        cache.append(v)
    return hits


@measured(few_numbers, 10, 500)
def word_counts(x):
    d = {}
    for v in x.tolist():
        d[v] = d.get(v, 0) + 1
    best = -1
    for k, c in d.items():
        if best < 0 or c > d[best]:
            best = k
    return best


def seconds(call: Callable[..., Any], args: tuple[Any, ...], count: int) -> float:
    start = time.thread_time()
    for _ in range(count):
        call(*args)
    return (time.thread_time() - start) / count


def ratio(name: str, size: int) -> tuple[float, float]:
    """Seconds of the plain function, and the exported program's part of them."""
    function, arguments, _ = PROGRAMS[name]
    args = arguments(size, np.random.default_rng(0))
    run = export(function, args).module()
    for seed in range(3):
        other = arguments(size, np.random.default_rng(seed))
        assert repr(run(*other)) == repr(function(*other))
    count = max(1, int(SECONDS / max(seconds(function, args, 3), 1e-7)))
    rounds = [(seconds(function, args, count), seconds(run, args, count)) for _ in range(ROUNDS)]
    return min(plain for plain, _ in rounds), statistics.median(exported / plain for plain, exported in rounds)


def told(name: str, size: int) -> str:
    try:
        plain, part = ratio(name, size)
    except Unsupported as error:
        return f"refused ({error.code})"
    return f"{plain * 1e6:.1f} us plain, ratio {part:.2f}"


def main() -> None:
    for name in sys.argv[1:] or PROGRAMS:
        print(f"{name}: " + ", ".join(f"of {size}: {told(name, size)}" for size in PROGRAMS[name][2]), flush=True)


if __name__ == "__main__":
    main()
