"""Enumerations whose members are combined for the first time while they are traced."""

import enum
import re


class Mode(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4


class Bits(enum.IntFlag):
    LOW = 1
    HIGH = 2
    ALL = 3


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


def union_contains(x, y):
    return x * (2 if Mode.READ in (Mode.READ | Mode.WRITE) else 3), (Mode.READ | Mode.RUN).value


def inverse(x, y):
    return x * (~Mode.READ).value, (~Mode.READ & Mode.RUN).name, ~Mode.WRITE == Mode.READ | Mode.RUN


def iteration(x, y):
    return [x * mode.value for mode in Mode.WRITE | Mode.RUN], len(Mode.READ | Mode.WRITE | Mode.RUN), len(list(Mode))


def of_value(x, y):
    return x * (Mode(7) & Mode.RUN).value, bool(Mode(0)), Mode(3) ^ Mode.READ == Mode.WRITE


def int_flags(x, y):
    return x * (Bits.LOW | Bits.HIGH), int(~Bits.LOW & Bits.HIGH), x * (Bits.HIGH | 8)


def texts(x, y):
    return x, str(Mode.WRITE | Mode.RUN), repr(Bits.LOW | 8), f"{Bits.HIGH | 4:d}"


def as_keys(x, y):
    table = {Mode.READ | Mode.RUN: 3}
    return x * table[Mode.RUN | Mode.READ]


def made_here(x, y):
    class Local(enum.Flag):
        P = enum.auto()
        Q = enum.auto()

    return x * (Local.P | Local.Q).value, (~Local.P).name


def of_a_library(x, y):
    return x * int(re.IGNORECASE | re.MULTILINE)


def plain(x, y):
    return x * len(Colour) * (Colour(2) is Colour.BLUE), Colour["RED"].value
