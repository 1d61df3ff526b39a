"""Kernels of Python's complex numbers, which are pairs of floats in a graph."""

from __future__ import annotations

from typing import Any

from npexport.ir.ops.complex_numbers import FLOATS, PAIRS, TRUTHS


def _numbers(operands: tuple[Any, ...]) -> list[Any]:
    return [complex(*item) if type(item) is tuple else item for item in operands]


def complex_pair(name: str, operands: tuple[Any, ...]) -> tuple[float, float]:
    result = PAIRS[name](*_numbers(operands))
    return result if type(result) is tuple else (result.real, result.imag)


def complex_float(name: str, operands: tuple[Any, ...]) -> float:
    return FLOATS[name](*_numbers(operands))


def complex_truth(name: str, operands: tuple[Any, ...]) -> bool:
    return TRUTHS[name](*_numbers(operands))
