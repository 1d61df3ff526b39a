"""Textbook programs over heaps, queues, trees and tables that data order, as
`tests.support.textbook_containers` has them.
"""

from __future__ import annotations

import heapq
import math
from typing import NamedTuple

from tests.support.textbook_containers import of_one_size, program


@program
def events(x, y):
    events = [(0.0, 0, 0)]
    clock, served, waiting = 0.0, 0, 0
    busy = False
    n = 0
    while events and n < 20:
        clock, kind, who = heapq.heappop(events)
        n += 1
        if kind == 0:
            waiting += 1
            if who + 1 < len(x):
                heapq.heappush(events, (clock + abs(x[who]), 0, who + 1))
        else:
            busy = False
            served += 1
        if waiting and not busy:
            waiting -= 1
            busy = True
            heapq.heappush(events, (clock + abs(y[who]), 1, who))
    return clock, served, waiting


@program
def dijkstra_heap(g):
    n = len(g)
    dist = [math.inf] * n
    dist[0] = 0
    pq = [(0, 0)]
    while pq:
        d, u = heapq.heappop(pq)
        if d > dist[u]:
            continue
        for v in range(n):
            w = int(g[u, v])
            if w and d + w < dist[v]:
                dist[v] = d + w
                heapq.heappush(pq, (dist[v], v))
    return dist


@program
def kruskal(g):
    n = len(g)
    parent = list(range(n))

    def find(i):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    edges = sorted((g[i, j], i, j) for i in range(n) for j in range(i + 1, n))
    total = 0
    used = 0
    for w, i, j in edges:
        ri, rj = find(i), find(j)
        if ri != rj:
            parent[ri] = rj
            total += w
            used += 1
            if used == n - 1:
                break
    return total


@program
def dtw(x, y):
    n, m = len(x), len(y)
    cost = [[float("inf")] * (m + 1) for _ in range(n + 1)]
    cost[0][0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            d = abs(x[i - 1] - y[j - 1])
            cost[i][j] = d + min(cost[i - 1][j], cost[i][j - 1], cost[i - 1][j - 1])
    path = [(n, m)]
    i, j = n, m
    while (i, j) != (1, 1):
        if i == 1:
            j -= 1
        elif j == 1:
            i -= 1
        else:
            step = min((cost[i - 1][j - 1], 0), (cost[i - 1][j], 1), (cost[i][j - 1], 2))[1]
            i -= step != 2
            j -= step != 1
        path.append((i, j))
    return cost[n][m], path[::-1]


@program
def convex_hull(x, y):
    pts = sorted(zip(x.tolist(), y.tolist()))

    def cross(o, p, q):
        return (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])

    lower = []
    for q in pts:
        while len(lower) >= 2 and cross(lower[-2], lower[-1], q) <= 0:
            lower.pop()
        lower.append(q)
    upper = []
    for q in reversed(pts):
        while len(upper) >= 2 and cross(upper[-2], upper[-1], q) <= 0:
            upper.pop()
        upper.append(q)
    return lower[:-1] + upper[:-1]


@program
def running_median(x):
    lo, hi, out = [], [], []
    for v in x.tolist():
        if not lo or v <= -lo[0]:
            heapq.heappush(lo, -v)
        else:
            heapq.heappush(hi, v)
        if len(lo) > len(hi) + 1:
            heapq.heappush(hi, -heapq.heappop(lo))
        elif len(hi) > len(lo):
            heapq.heappush(lo, -heapq.heappop(hi))
        out.append(-lo[0] if len(lo) > len(hi) else (hi[0] - lo[0]) / 2)
    return out


@program
def order_book(x, a):
    bids, asks, trades = [], [], []
    for price, side in zip(x.tolist(), a.tolist()):
        if side < 2:
            if asks and asks[0] <= price:
                trades.append((heapq.heappop(asks), price))
            else:
                heapq.heappush(bids, -price)
        else:
            if bids and -bids[0] >= price:
                trades.append((-heapq.heappop(bids), price))
            else:
                heapq.heappush(asks, price)
    return trades, len(bids), len(asks)


class MinHeap:
    def __init__(self):
        self.items = []

    def push(self, v):
        self.items.append(v)
        i = len(self.items) - 1
        while i > 0:
            parent = (i - 1) // 2
            if self.items[parent] <= self.items[i]:
                break
            self.items[parent], self.items[i] = self.items[i], self.items[parent]
            i = parent

    def pop(self):
        top = self.items[0]
        last = self.items.pop()
        if self.items:
            self.items[0] = last
            i = 0
            while True:
                child = 2 * i + 1
                if child >= len(self.items):
                    break
                if child + 1 < len(self.items) and self.items[child + 1] < self.items[child]:
                    child += 1
                if self.items[i] <= self.items[child]:
                    break
                self.items[i], self.items[child] = self.items[child], self.items[i]
                i = child
        return top


@of_one_size
def own_heap(x):
    h = MinHeap()
    for v in x:
        h.push(v)
    out = []
    while h.items:
        out.append(h.pop())
    return out


class Particle(NamedTuple):
    pos: float
    vel: float


@program
def bouncing_particles(x):
    ps = [Particle(float(v), 1.0 if v > 0 else -1.0) for v in x]
    hits = 0
    for _ in range(5):
        nxt = []
        for q in ps:
            pos = q.pos + 0.4 * q.vel
            if abs(pos) > 1:
                q = q._replace(vel=-q.vel)
                hits += 1
                pos = max(-1.0, min(1.0, pos))
            nxt.append(q._replace(pos=pos))
        ps = nxt
    return [q.pos for q in ps], hits


@program
def elevator(a):
    floor, direction = 0, 1
    pending = set(a.tolist())
    travelled = 0
    while pending:
        if floor in pending:
            pending.discard(floor)
        elif direction == 1 and max(pending) < floor or direction == -1 and min(pending) > floor:
            direction = -direction
        else:
            floor += direction
            travelled += 1
    return travelled


@program
def adaptive_simpson(x):
    f = lambda t: math.sin(x[0] * t) + t

    def rule(lo, hi):
        return (hi - lo) / 6 * (f(lo) + 4 * f((lo + hi) / 2) + f(hi))

    total = 0.0
    todo = [(0.0, 2.0, rule(0.0, 2.0), 0)]
    while todo:
        lo, hi, whole, depth = todo.pop()
        mid = (lo + hi) / 2
        left, right = rule(lo, mid), rule(mid, hi)
        if depth >= 5 or abs(left + right - whole) < 1e-4:
            total += left + right
        else:
            todo.append((lo, mid, left, depth + 1))
            todo.append((mid, hi, right, depth + 1))
    return total


@of_one_size
def merge_sort_bottom_up(x):
    src = list(x)
    width = 1
    n = len(src)
    while width < n:
        merged = []
        for left in range(0, n, 2 * width):
            i, j = left, min(left + width, n)
            mid, end = j, min(left + 2 * width, n)
            while i < mid and j < end:
                if src[j] < src[i]:
                    merged.append(src[j])
                    j += 1
                else:
                    merged.append(src[i])
                    i += 1
            merged.extend(src[i:mid])
            merged.extend(src[j:end])
        src = merged
        width *= 2
    return src


@program
def smallest_of_nested_tuples(a, x):
    heap = []
    for i in range(3):
        heapq.heappush(heap, (int(a[i - len(a)]), (float(x[i - len(x)]), i)))
    return [heapq.heappop(heap)[1][1] for _ in range(2)]


@program
def strongly_connected(g):
    n = len(g)
    index, low, on = [-1] * n, [0] * n, [False] * n
    stack, parts, count = [], [], 0
    for root in range(n):
        if index[root] != -1:
            continue
        work = [(root, 0)]
        while work:
            v, i = work.pop()
            if i == 0:
                index[v] = low[v] = count
                count += 1
                stack.append(v)
                on[v] = True
            again = False
            for w in range(i, n):
                if g[v, w]:
                    if index[w] == -1:
                        work.append((v, w + 1))
                        work.append((w, 0))
                        again = True
                        break
                    if on[w]:
                        low[v] = min(low[v], index[w])
            if again:
                continue
            if low[v] == index[v]:
                size = 0
                while True:
                    w = stack.pop()
                    on[w] = False
                    size += 1
                    if w == v:
                        break
                parts.append(size)
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[v])
    return parts


@program
def jobs_by_name(a):
    heap = [(0, "read"), (2, "write"), (1, "wait")]
    heapq.heapify(heap)
    done = 0
    for value in a:
        due, name = heapq.heappop(heap)
        if name == "read":
            done += int(value)
        elif name == "write":
            done -= 1
        heapq.heappush(heap, (due + int(value) + 1, name))
    return done, [due for due, _ in heap]
