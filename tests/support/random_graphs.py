"""Random programs of views, writes and results that share memory, built by hand, with their example inputs."""

import numpy as np

from tests.support.program_builder import Builder

UNARY = ["np.sin", "np.negative", "np.absolute", "np.floor", "np.square"]


BINARY = ["np.add", "np.multiply", "np.maximum", "np.subtract", "np.less", "np.arctan2"]


SHAPES = [(3, 4), (4, 3), (4,), (3, 4), (2, 3, 4), (1, 4), (3, 1)]


DTYPES = ["f8", "f8", "f4", "i4", "i8", "u1"]


def random_program(rng, call=None):
    """A builder's program and its example inputs (user inputs by name, buffers by target).

    ``call`` of (rng, builder, pool) makes the calls.
    """
    builder = Builder()
    pool, inputs, buffers = [], {}, []
    for index in range(rng.randrange(2)):
        buffers.append(builder.buffer(f"b{index}", array_of(rng, (3, 4), "f8")))
    for index in range(rng.randrange(1, 4)):
        array = array_of(rng, rng.choice(SHAPES), rng.choice(DTYPES))
        inputs[f"x{index}"] = array
        pool.append(builder.input(f"x{index}", array))
    written = {}
    originals = [*buffers, *pool]
    pool = list(originals)
    for _ in range(rng.randrange(1, 16)):
        node = (call or random_call)(rng, builder, pool)
        if node is not None:
            pool.append(node)
    for target in originals:
        if rng.random() < 0.4:
            new = write_to(rng, builder, target, pool)
            if new is not None:
                written[target] = new
                pool.append(new)
    results = [node for node in rng.choices(pool, k=rng.randrange(1, 4)) if not shares_written(node, written)]
    aliases = {index: target for target, new in written.items() for index, node in enumerate(results) if node is new and rng.random() < 0.5}
    program = builder.finish(tuple(results), writes=list(written.items()), aliases=aliases)
    return program, inputs


def array_of(rng, shape, dtype):
    values = np.random.default_rng(rng.randrange(1 << 30)).integers(0, 9, shape).astype(dtype)
    return values if rng.random() < 0.6 else np.asfortranarray(values)


def random_call(rng, builder, pool):
    choice = rng.random()
    a = rng.choice(pool)
    try:
        with np.errstate(all="ignore"):
            if choice < 0.25:
                return builder.call(rng.choice(UNARY), a)
            if choice < 0.6:
                b = rng.choice([*pool, *pool, 2, 1.5, np.float32(3), True])
                return builder.call(rng.choice(BINARY), *rng.sample([a, b], 2))
            if choice < 0.7:
                return builder.call("np.transpose", a)
            if choice < 0.8:
                return builder.call("np.getitem", a, rng.choice([slice(1, None), slice(None, None, -1), 0, (Ellipsis, slice(0, 2))]))
            if choice < 0.9:
                return builder.call("np.setitem", a, rng.choice([0, slice(1, None), Ellipsis]), rng.choice([1, *pool]))
            return builder.call("np.sum", a, axis=0) if a.meta["val"].shape else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def write_to(rng, builder, target, pool):
    """A new value for the whole of ``target``: steps of writes and of operators that keep shape and dtype."""
    value = target
    for _ in range(rng.randrange(1, 4)):
        try:
            if rng.random() < 0.5:
                value = builder.call("np.setitem", value, rng.choice([0, slice(1, None), Ellipsis]), rng.choice([1, *pool]))
            else:
                new = builder.call(rng.choice(["np.add", "np.multiply"]), *rng.sample([value, rng.choice([1, *pool])], 2))
                if new.meta["val"] == value.meta["val"]:
                    value = new
        except (ValueError, TypeError, IndexError, OverflowError):
            pass
    return None if value is target else value


def shares_written(node, written):
    """Whether a value is a view of what is written: such outputs need a declared alias."""
    while node.op == "call_function" and "view" in node.target.traits:
        node = node.args[0]
        if node in written or node in written.values():
            return True
    return False
