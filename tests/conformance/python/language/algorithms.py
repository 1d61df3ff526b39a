"""Small algorithms that mix Python and arrays."""

import math

import numpy as np


def binary_search(x, y):
    items, lo, hi = [i * 3 for i in range(20)], 0, 19
    while lo < hi:
        mid = (lo + hi) // 2
        if items[mid] < 27:
            lo = mid + 1
        else:
            hi = mid
    return x * lo


def topological_sort(x, y):
    graph = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
    order, seen = [], set()

    def visit(n):
        if n not in seen:
            seen.add(n)
            for m in graph[n]:
                visit(m)
            order.append(n)

    for n in graph:
        visit(n)
    values = {}
    for n in order:
        values[n] = sum((values[m] for m in graph[n]), x)
    return values


def matrix_by_hand(x, y):
    rows, cols = x.shape
    return np.array([[x[i, j] * (i + j) for j in range(cols)] for i in range(rows)])


def stack_machine(x, y):
    stack = []
    for token in ["x", "y", "+", 2, "*"]:
        if token == "+":
            b, a = stack.pop(), stack.pop()
            stack.append(a + b)
        elif token == "*":
            b, a = stack.pop(), stack.pop()
            stack.append(a * b)
        else:
            stack.append({"x": x, "y": y}.get(token, token))
    return stack.pop()


def newton(x, y):
    z = abs(x) + 1
    for _ in range(4):
        z = 0.5 * (z + (abs(x) + 1) / z)
    return z


def attention(x, y):
    q, k, v = x @ x.T, x @ x.T, x
    scores = q @ k.T / math.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def running_statistics(x, y):
    class Running:
        def __init__(self):
            self.n, self.mean = 0, 0.0

        def push(self, v):
            self.n += 1
            self.mean = self.mean + (v - self.mean) / self.n

    r = Running()
    for row in x:
        r.push(row)
    return r.mean, r.n
