"""More textbook programs: searching, sorting, dynamic programming."""

from __future__ import annotations

import numpy as np

from tests.support.textbook_loops import PROGRAMS, given, n, v

__all__ = ["PROGRAMS"]

# --- searching and sorting


@given((v(1, 3, 5, 7, 9), v(5)), (v(1, 3, 5, 7, 9), v(0)), (v(1, 3, 5, 7, 9), v(10)))
def binary_search(a, x):
    lo, hi = 0, len(a)
    while lo < hi:
        mid = (lo + hi) // 2
        if a[mid] < x[0]:
            lo = mid + 1
        else:
            hi = mid
    return lo


@given((v(4, 2, 7), v(7)), (v(4, 2, 7), v(1)), (v(4, 2, 7), v(4)))
def linear_search(a, x):
    for i in range(len(a)):
        if a[i] == x[0]:
            return i
    return -1


@given((v(3, 1, 2, 5, 4),), (v(1, 2, 3, 4, 5),), (v(5, 4, 3, 2, 1),))
def bubble_sort(a):
    a = a.copy()
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


@given((v(3, 1, 2, 5, 4),), (v(1, 2, 3, 4, 5),), (v(5, 4, 3, 2, 1),))
def bubble_sort_until_sorted(a):
    a = a.copy()
    swapped = True
    while swapped:
        swapped = False
        for j in range(len(a) - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
    return a


@given((v(3, 1, 2, 5, 4),), (v(1, 2, 3, 4, 5),), (v(5, 4, 3, 2, 1),))
def heap_sort(a):
    a, n = a.copy(), len(a)

    def sift(i, n):  # the first instructions of the function are those of a loop, too
        while True:
            largest = i
            for child in (2 * i + 1, 2 * i + 2):
                if child < n and a[child] > a[largest]:
                    largest = child
            if largest == i:
                return
            a[i], a[largest] = a[largest], a[i]
            i = largest

    for start in range(n // 2 - 1, -1, -1):
        sift(start, n)
    for end in range(n - 1, 0, -1):
        a[0], a[end] = a[end], a[0]
        sift(0, end)
    return a


@given((v(3, 1, 2, 5, 4),), (v(1, 2, 3, 4, 5),), (v(5, 4, 3, 2, 1),))
def insertion_sort(a):
    a = a.copy()
    for i in range(1, len(a)):
        x = a[i]
        j = i
        while j > 0 and a[j - 1] > x:
            a[j] = a[j - 1]
            j -= 1
        a[j] = x
    return a


@given((v(3, 1, 2, 5, 4),), (v(1, 2, 3, 4, 5),), (v(5, 4, 3, 2, 1),))
def insertion_sort_of_a_list(x):
    a = x.tolist()
    for i in range(1, len(a)):
        kept, j = a[i], i - 1
        while j >= 0 and a[j] > kept:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = kept
    return np.array(a)


@given((v(1, 9, 4, 7, 2, 8),), (v(6, 5, 4, 3, 2, 1),))
def heap_sift_down(heap):
    heap = heap.copy()
    i = 0
    while 2 * i + 1 < len(heap):
        child = 2 * i + 1
        if child + 1 < len(heap) and heap[child + 1] > heap[child]:
            child += 1
        if heap[i] >= heap[child]:
            break
        heap[i], heap[child] = heap[child], heap[i]
        i = child
    return heap


@given((v(3, 6, 2, 9, 1), v(2.0, 1.0)), (v(3, 6, 2, 9, 1), v(2.0, 5.0)))
def partition(a, q):
    a = a.copy()
    pivot = a[len(a) - 1]
    i = 0
    for j in range(len(a) - 1):
        if a[j] < pivot:
            a[i], a[j] = a[j], a[i]
            i += 1
    a[i], a[len(a) - 1] = a[len(a) - 1], a[i]
    return a, i


@given((n(1, 1, 2, 2, 2, 3),), (n(5, 5, 5, 5, 5, 5),), (n(1, 2, 3, 4, 5, 6),))
def longest_run(x):
    best = run = 1
    for i in range(1, len(x)):
        if x[i] == x[i - 1]:
            run += 1
        else:
            run = 1
        best = max(best, run)
    return best


@given((n(1, 1, 2, 2, 2, 3),), (n(5, 5, 5, 5, 5, 5),))
def run_length_coding(x):
    values, counts = np.zeros(6, np.int64), np.zeros(6, np.int64)
    k, i = 0, 0
    while i < len(x):
        j = i
        while j < len(x) and x[j] == x[i]:
            j += 1
        values[k] = x[i]
        counts[k] = j - i
        k += 1
        i = j
    return values, counts, k


@given((n(2, 0, 1, 4, 3),), (n(1, 2, 3, 4, 0),))
def cycle_length(permutation):
    i, length = int(permutation[0]), 1
    while i != 0:
        i = int(permutation[i])
        length += 1
    return length


@given((n(1, 2, 3, 4, 1),), (n(1, 0, 3, 2, 4),))
def tortoise_and_hare(f):
    slow, fast = int(f[0]), int(f[int(f[0])])
    while slow != fast:
        slow = int(f[slow])
        fast = int(f[int(f[fast])])
    return slow


@given((n(0, 0, 1, 3, 3), n(2, 4)), (n(0, 1, 2, 3, 4), n(0, 4)))
def union_find_roots(parent, pair):
    a, b = int(pair[0]), int(pair[1])
    while parent[a] != a:
        a = int(parent[a])
    while parent[b] != b:
        b = int(parent[b])
    return a, b, a == b


# --- dynamic programming


@given((n(1, 2, 3), n(1, 3, 4)), (n(1, 2, 3), n(1, 2, 3)))
def levenshtein(a, b):
    d = np.zeros((4, 4), np.int64)
    for i in range(4):
        d[i, 0] = i
        d[0, i] = i
    for i in range(1, 4):
        for j in range(1, 4):
            if a[i - 1] == b[j - 1]:
                d[i, j] = d[i - 1, j - 1]
            else:
                d[i, j] = 1 + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[3, 3]


@given((n(1, 2, 3), n(1, 3, 4)), (n(1, 2, 3), n(3, 2, 1)))
def needleman_wunsch(a, b):
    h = np.zeros((4, 4), np.int64)
    for i in range(1, 4):
        h[i, 0] = h[0, i] = -i
    for i in range(1, 4):
        for j in range(1, 4):
            score = 1 if a[i - 1] == b[j - 1] else -1
            h[i, j] = max(h[i - 1, j - 1] + score, h[i - 1, j] - 1, h[i, j - 1] - 1)
    return h


@given((np.array([[0.0, 3.0, 9.0], [9.0, 0.0, 2.0], [1.0, 9.0, 0.0]]),))
def floyd_with_paths(dist):
    dist = dist.copy()
    after = np.tile(np.arange(3), (3, 1))
    for k in range(3):
        for i in range(3):
            for j in range(3):
                if dist[i, k] + dist[k, j] < dist[i, j]:
                    dist[i, j] = dist[i, k] + dist[k, j]
                    after[i, j] = after[i, k]
    return dist, after


@given((n(0, 3, 1, 2), n(0, 3)), (n(0, 1, 2, 3), n(1, 2)))
def nussinov_pairs(s, ends):
    best = np.zeros((4, 4), np.int64)
    for span in range(1, 4):
        for i in range(4 - span):
            j = i + span
            m = best[i + 1, j]
            if s[i] + s[j] == 3 and best[i + 1, j - 1] + 1 > m:
                m = best[i + 1, j - 1] + 1
            best[i, j] = m
    return best


@given((v(0.6, 0.4), n(0, 1, 1)), (v(0.1, 0.9), n(1, 0, 1)))
def viterbi(start, seen):
    move = np.array([[0.7, 0.3], [0.4, 0.6]])
    show = np.array([[0.9, 0.1], [0.2, 0.8]])
    p = start * show[:, seen[0]]
    back = np.zeros((3, 2), np.int64)
    for t in range(1, 3):
        scores = p[:, None] * move
        back[t] = np.argmax(scores, axis=0)
        p = scores.max(axis=0) * show[:, seen[t]]
    state = int(np.argmax(p))
    path = np.zeros(3, np.int64)
    path[2] = state
    for t in range(2, 0, -1):
        state = int(back[t, state])
        path[t - 1] = state
    return path
