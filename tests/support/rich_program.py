"""A program that has one of nearly everything, built by hand."""

import dataclasses
from collections import OrderedDict, defaultdict, deque, namedtuple

import numpy as np

from npexport.ir.argument_specs import TensorArgument
from npexport.ir.meta import TensorMeta
from npexport.ir.pytree import register_dataclass
from npexport.ir.signature import InputKind, InputSpec
from npexport.symshapes.env import ShapeEnv
from npexport.symshapes.errors import Location
from npexport.symshapes.ranges import ValueRanges
from tests.support.program_builder import Builder, parameters_of

X = np.arange(6.0).reshape(2, 3)


Point = namedtuple("Point", "x y")


@register_dataclass
@dataclasses.dataclass
class Box:
    value: object


def rich():
    """A program that has one of nearly everything."""
    env = ShapeEnv(lambda: (Location("m.py", 3, 4, 3, 9, "f", "    if n % 2:"),))
    n = env.create_symbol("x.shape[0]", 5, ValueRanges(3, 6))
    assert bool(n % 2 == 1)
    env.close()
    builder = Builder()
    w = builder.parameter("layer.w", np.asfortranarray(np.arange(6.0).reshape(3, 2)))
    builder.parameter("tied.w", builder.state_dict["layer.w"])
    h = builder.buffer("h", np.zeros(3, "f4"))
    k = builder.constant("k", np.array(["a", "bc"]))
    x = builder.graph.placeholder("x", {"val": TensorMeta((n, 3), np.dtype("f8")), "stack_trace": (), "nn_module_stack": {}})
    builder.inputs.append(InputSpec(InputKind.USER_INPUT, TensorArgument("x"), None))
    flag = builder.input("flag", float("nan"))
    y = builder.call("np.matmul", x, w)
    location = Location("model.py", 7, 8, 7, 20, "forward", "        y = x @ self.w\u2028 # \U0001f600")
    y.meta |= {"stack_trace": (location, location), "nn_module_stack": {"": "Net", "layer": "Linear"}}
    z = builder.call("np.getitem", y, (slice(1, None, -1), ..., None))
    z.meta["stack_trace"] = (location,)
    builder.call("np.add", z, np.float32(1.5))
    builder.call("np.full", (2,), float("-inf"), dtype=np.dtype("c8"))
    size = builder.call("sym.size", x, 0)
    new = builder.call("np.add", h, h)

    def function(x, flag=1, *, other={"unsaveable": object()}): ...  # noqa: B006

    result = OrderedDict(a=(y, 1 + 2j), b=Point(z, None), c=Box([size, b"\x00"]), d=deque([k], 2), e=defaultdict(list, {(1, None): x}))
    return builder.finish(
        result,
        args=("x",),
        kwargs={"flag": flag.meta["val"]},
        parameters=parameters_of(function),
        writes=[(h, new)],
        range_constraints={n.expression: ValueRanges(3, 6)},
        guards=env.guards,
        example_inputs=((X,), {"flag": float("nan")}),
    )
