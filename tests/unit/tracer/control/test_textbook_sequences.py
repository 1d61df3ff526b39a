"""Programs of textbooks over sequences, graphs, points, signals and codes: as they are written,
equal to eager execution at any size.
"""

# ruff: noqa: N803, N806

import heapq
import inspect
import math
from collections import deque

import numpy as np
import pytest

from npexport import Dim, export
from tests.support.outcomes import outcome


def smith_waterman_trace(a, s):
    n, m = len(a), len(s)
    H = np.zeros((n + 1, m + 1), dtype=int)
    best, bi, bj = 0, 0, 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = H[i - 1, j - 1] + (3 if a[i - 1] == s[j - 1] else -3)
            H[i, j] = max(0, d, H[i - 1, j] - 2, H[i, j - 1] - 2)
            if H[i, j] > best:
                best, bi, bj = H[i, j], i, j
    out = []
    i, j = bi, bj
    while H[i, j] > 0:
        if H[i, j] == H[i - 1, j - 1] + (3 if a[i - 1] == s[j - 1] else -3):
            i -= 1
            j -= 1
            out.append(0)
        elif H[i, j] == H[i - 1, j] - 2:
            i -= 1
            out.append(1)
        else:
            j -= 1
            out.append(2)
    out.reverse()
    return best, i, j, out


def hirschberg_score(a, s):
    def row(u, v):
        prev = [-2 * j for j in range(len(v) + 1)]
        for i in range(len(u)):
            cur = [prev[0] - 2]
            for j in range(len(v)):
                sub = prev[j] + (2 if u[i] == v[j] else -1)
                cur.append(max(sub, prev[j + 1] - 2, cur[j] - 2))
            prev = cur
        return prev

    mid = len(a) // 2
    left = row(a[:mid], s)
    right = row(a[mid:][::-1], s[::-1])
    best, where = None, None
    for k in range(len(s) + 1):
        total = left[k] + right[len(s) - k]
        if best is None or total > best:
            best, where = total, k
    return best, where


def bipartite(g):
    n = len(g)
    color = [0] * n
    for s in range(n):
        if color[s]:
            continue
        color[s] = 1
        stack = [s]
        while stack:
            u = stack.pop()
            for v in range(n):
                if g[u, v] == 2 or g[v, u] == 2:
                    if color[v] == 0:
                        color[v] = -color[u]
                        stack.append(v)
                    elif color[v] == color[u]:
                        return False, None
    return True, color


def tarjan_iterative(g):
    n = len(g)
    index = [-1] * n
    low = [0] * n
    on = [False] * n
    stack = []
    counter = 0
    ncomp = 0
    comp = [-1] * n
    for root in range(n):
        if index[root] != -1:
            continue
        work = [(root, 0)]
        while work:
            v, i = work.pop()
            if i == 0:
                index[v] = low[v] = counter
                counter += 1
                stack.append(v)
                on[v] = True
            recurse = False
            for w in range(i, n):
                if g[v, w] != 1 or v == w:
                    continue
                if index[w] == -1:
                    work.append((v, w + 1))
                    work.append((w, 0))
                    recurse = True
                    break
                elif on[w]:
                    low[v] = min(low[v], index[w])
            if recurse:
                continue
            if low[v] == index[v]:
                while True:
                    w = stack.pop()
                    on[w] = False
                    comp[w] = ncomp
                    if w == v:
                        break
                ncomp += 1
            if work:
                u = work[-1][0]
                low[u] = min(low[u], low[v])
    return ncomp, comp


def jarvis(x, y):
    n = len(x)
    start = 0
    for i in range(1, n):
        if x[i] < x[start] or (x[i] == x[start] and y[i] < y[start]):
            start = i
    hull = []
    p = start
    while True:
        hull.append(p)
        q = (p + 1) % n
        for r in range(n):
            c = (x[q] - x[p]) * (y[r] - y[p]) - (y[q] - y[p]) * (x[r] - x[p])
            if c < 0:
                q = r
        p = q
        if p == start or len(hull) > n:
            break
    return hull


def merge_intervals_lists(a, s):
    iv = sorted([int(u), int(u + abs(v))] for u, v in zip(a, s))
    out = []
    for lo, hi in iv:
        if not out or out[-1][1] < lo:
            out.append([lo, hi])
        else:
            out[-1][1] = max(out[-1][1], hi)
    return out


def peaks_hysteresis(x):
    peaks, valleys = [], []
    mx, mn = -np.inf, np.inf
    mxp = mnp = -1
    look_max = True
    for i in range(len(x)):
        v = x[i]
        if v > mx:
            mx, mxp = v, i
        if v < mn:
            mn, mnp = v, i
        if look_max:
            if v < mx - 0.5:
                peaks.append((mxp, mx))
                mn, mnp = v, i
                look_max = False
        else:
            if v > mn + 0.5:
                valleys.append((mnp, mn))
                mx, mxp = v, i
                look_max = True
    return peaks, valleys


def unwrap_phase(x):
    out = [x[0]]
    offset = 0.0
    for i in range(1, len(x)):
        d = x[i] - x[i - 1]
        if d > math.pi:
            offset -= 2 * math.pi
        elif d < -math.pi:
            offset += 2 * math.pi
        out.append(x[i] + offset)
    return np.array(out)


def cusum(x):
    hi = lo = 0.0
    alarms = []
    start = None
    for i, v in enumerate(x):
        hi = max(0.0, hi + v - 0.2)
        lo = max(0.0, lo - v - 0.2)
        if hi > 1.5 or lo > 1.5:
            alarms.append((start, i, "up" if hi > 1.5 else "down"))
            hi = lo = 0.0
            start = None
        elif start is None and (hi > 0 or lo > 0):
            start = i
    return alarms


def huffman_two_queues(a):
    leaf = sorted(int(v) + 1 for v in a)
    q1, q2 = deque(leaf), deque()
    cost = 0

    def take():
        if not q2:
            return q1.popleft()
        if not q1:
            return q2.popleft()
        return q1.popleft() if q1[0] <= q2[0] else q2.popleft()

    while len(q1) + len(q2) > 1:
        s = take() + take()
        cost += s
        q2.append(s)
    return cost


def lz77(a):
    n = len(a)
    out = []
    i = 0
    while i < n:
        best_len = best_off = 0
        for off in range(1, min(i, 4) + 1):
            length = 0
            while i + length < n - 1 and a[i + length] == a[i + length - off]:
                length += 1
            if length > best_len:
                best_len, best_off = length, off
        out.append((best_off, best_len, int(a[i + best_len])))
        i += best_len + 1
    return out


def lzw_pairs(a):
    table = {}
    nxt = 10
    code = -1
    out = []
    for v in a:
        v = int(v)
        if code < 0:
            code = v
            continue
        key = code * 100 + v
        if key in table:
            code = table[key]
        else:
            out.append(code)
            table[key] = nxt
            nxt += 1
            code = v
    out.append(code)
    return out


def varint_encode(a):
    out = []
    for v in a:
        v = int(v) * 977
        while v >= 128:
            out.append((v & 127) | 128)
            v >>= 7
        out.append(v)
    return np.array(out, dtype=np.uint8)


def viterbi_conv(a):
    bits = [int(v) & 3 for v in a]
    INF = 10**6
    metric = [0, INF, INF, INF]
    paths = []
    for r in bits:
        new = [INF] * 4
        back = [0] * 4
        for s in range(4):
            for b in (0, 1):
                ns = (b << 1) | (s >> 1)
                o = ((b ^ (s >> 1) ^ (s & 1)) << 1) | (b ^ (s & 1))
                d = metric[s] + ((o ^ r) & 1) + ((o ^ r) >> 1)
                if d < new[ns]:
                    new[ns] = d
                    back[ns] = s
        metric = new
        paths.append(back)
    s = metric.index(min(metric))
    out = []
    for back in reversed(paths):
        out.append(s >> 1)
        s = back[s]
    out.reverse()
    return out, min(metric)


def base64_codes(a):
    out = []
    acc = nbits = 0
    for v in a:
        acc = (acc << 8) | (int(v) & 255)
        nbits += 8
        while nbits >= 6:
            nbits -= 6
            out.append((acc >> nbits) & 63)
            acc &= (1 << nbits) - 1
    if nbits:
        out.append((acc << (6 - nbits)) & 63)
    while len(out) % 4:
        out.append(-1)
    return out


def mm1_queue(x, y):
    t = free = 0.0
    waits = []
    qmax = 0
    departures = deque()
    for ia, sv in zip(np.abs(x), np.abs(y)):
        t += ia
        while departures and departures[0] <= t:
            departures.popleft()
        start = max(t, free)
        waits.append(start - t)
        free = start + sv
        departures.append(free)
        qmax = max(qmax, len(departures))
    return np.mean(waits), qmax


def elastic_collisions(x, y):
    pos = np.sort(x)
    vel = y.copy()
    n = len(pos)
    t = 0.0
    count = 0
    for _ in range(6):
        tmin, k = np.inf, -1
        for i in range(n - 1):
            dv = vel[i] - vel[i + 1]
            if dv > 1e-12:
                tc = (pos[i + 1] - pos[i]) / dv
                if tc < tmin:
                    tmin, k = tc, i
        if k < 0:
            break
        pos += vel * tmin
        vel[k], vel[k + 1] = vel[k + 1], vel[k]
        t += tmin
        count += 1
    return t, count, pos, vel


def balanced(a):
    stack = []
    for i, v in enumerate(a):
        if v in (0, 1):
            stack.append(int(v))
        elif v in (2, 3):
            if not stack or stack.pop() != v - 2:
                return i
    return -1 if not stack else len(a)


def topk_heap(x):
    heap = []
    for i, v in enumerate(x):
        if len(heap) < 3:
            heapq.heappush(heap, (v, i))
        elif v > heap[0][0]:
            heapq.heapreplace(heap, (v, i))
    return sorted(heap, reverse=True)


PROGRAMS = [
    smith_waterman_trace, hirschberg_score, bipartite, tarjan_iterative, jarvis, merge_intervals_lists,
    peaks_hysteresis, unwrap_phase, cusum, huffman_two_queues, lz77, lzw_pairs, varint_encode,
    viterbi_conv, base64_codes, mm1_queue, elastic_collisions, balanced, topk_heap,
]  # fmt: skip


def given(program, n, seed):
    """Arguments for the parameters of a program: integers, signed ones, floats, or a graph."""
    random = np.random.default_rng(seed)
    made = {
        "a": lambda: random.integers(0, 4, n), "s": lambda: random.integers(-5, 6, n), "x": lambda: np.round(random.normal(size=n) * 2, 1),
        "y": lambda: random.normal(size=n), "g": lambda: random.integers(0, 3, (n, n)),
    }  # fmt: skip
    return tuple([made[name]() for name in inspect.signature(program).parameters])


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_they_are_those_of_eager_execution_at_any_size(program):
    size, arguments = Dim("n", min=3), given(program, 5, 0)
    shapes = tuple([dict.fromkeys(range(argument.ndim), size) for argument in arguments])
    run = export(program, arguments, dynamic_shapes=shapes).module()
    for seed, n in enumerate([5, 3, 8, 12, 7, 4]):
        arguments = given(program, n, seed)
        assert outcome(run, arguments) == outcome(program, arguments)
