"""Hold random programs over arrays in every order of memory (``order_programs``) to eager execution, call after call:
``python -m tests.fuzz.orders [count] [seed]``.

Compared are bits, strides, what is left in the arguments, and the exceptions; strides but for results of branches and loops, which have
no gaps.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, export
from tests.fuzz.command import main
from tests.fuzz.forms import again
from tests.fuzz.order_programs import Writer, arguments, state
from tests.support.forms import reloaded
from tests.support.images import image
from tests.support.quiet import quiet


def outcome(program: Any, args: tuple[Any, ...], *, strides: bool) -> Any:
    """What a call of copies of the arguments gives or raises, and leaves in them."""
    args = tuple(map(again, args))
    with quiet():
        try:
            result = program(*args)
        except InputMismatch:
            raise
        except Exception as error:
            return type(error).__name__, str(error)
    return [image(each, strides=strides) for each in result], [image(each, strides=True) for each in args]


def run(seed: int) -> Counter[str]:
    """Outcomes by kind. Raises ``AssertionError`` with the source of a difference."""
    draw, names, writer = random.Random(seed), dict[str, Any](np=np, state=state), Writer(seed)
    exec(writer.source, names)
    make, strides = names["Program"], not {"if", "for", "while"} & set(writer.source.split())
    orders = "".join([draw.choice("CCF") for _ in range(3)])
    told, dynamic = f"{orders}\n{writer.source}", (dict.fromkeys(range(3), Dim.AUTO),) * 3
    try:
        with quiet():
            exported = export(make(), arguments(1, orders), dynamic_shapes=dynamic if seed % 2 else None)
            module = (exported if seed % 3 else reloaded(exported)).module()
    except ExportError as refusal:
        assert refusal.code[1] != "9", f"{told}{refusal}"
        return Counter([f"refused {refusal.code}"])
    found, eager = Counter[str](), make()
    for number in range(8):
        args = arguments(10 + number, orders)
        try:
            ours = outcome(module, args, strides=strides)
        except InputMismatch:
            found["not accepted"] += 1
            continue
        wanted = outcome(eager, args, strides=strides)
        assert ours == wanted, f"{told}call {number}\nwanted {wanted}\nfound  {ours}"
        found["equal"] += 1
        if type(wanted[0]) is str:
            break
    return found


if __name__ == "__main__":
    main(run)
