"""Sub-modules of ``unflatten`` that are called by themselves, their signatures being preserved."""

import inspect

import numpy as np
import pytest

from npexport import Dim, InputMismatch, UserError, export, nn, passes, unflatten
from tests.support.forms import reloaded
from tests.support.layers import Net


class Free(nn.Module):
    def forward(self, x, scale=1.0, *rest, flag=False, **more):
        for each in rest:
            x = x + each * scale
        for name in more:
            x = x * more[name] + 1
        return x if flag else -x


def test_preserved_modules_are_called_by_their_parameters():
    """... by keyword and position, with defaults left out, and with keywords in any order that the program does not depend on."""
    program = export(
        Net(lambda self, x: self.one(x, 2.0, x + 1, a=x * 2, flag=True, b=x * 3) + self.two(x), one=Free(), two=Free()),
        (np.ones(3),),
        preserve_module_call_signature=("one", "two"),
    )
    for tree in (unflatten(program), unflatten(reloaded(program))):
        x, net = np.arange(3.0), Free()
        assert str(inspect.signature(tree.one)) == "(x, scale=1.0, *rest, flag=False, **more)"
        np.testing.assert_array_equal(tree.one(x, 2.0, x + 1, flag=True, a=x, b=x + 2), net(x, 2.0, x + 1, flag=True, a=x, b=x + 2))
        np.testing.assert_array_equal(tree.one(x, 2.0, x + 1, a=x, b=x + 2, flag=True), net(x, 2.0, x + 1, a=x, b=x + 2, flag=True))
        np.testing.assert_array_equal(tree.two(flag=False, x=x, scale=1.0), net(x))
        with pytest.raises(InputMismatch, match="more: expected the structure .* the same keys in another order"):
            tree.one(x, 2.0, x, b=x, a=x, flag=True)
        with pytest.raises(InputMismatch, match="flag: expected its default False"):
            tree.two(x, flag=True)


GIVEN, OTHER = np.arange(3.0), np.array([3.0, 1.0, -4.0])
ITS_OWN, TWICE = "which it may also read by itself", "expected the very array that is passed as"
CALLS = {
    "a view of another": (lambda net, x: net(x, x[::-1]), lambda self, a, b: a[::-1] * 2 + b, None),
    "computed of another": (lambda net, x: net(x, np.sin(x)), lambda self, a, b: np.sin(a) * 2 + b, None),
    "an equal constant": (lambda net, x: net(x, np.array([1.0, 2.0, 3.0])), lambda self, a, b: a * np.array([1.0, 2.0, 3.0]) + b, ITS_OWN),
    "a constant": (lambda net, x: net(x, np.zeros(3)), lambda self, a, b: a + b, ITS_OWN),
    "a constant of sizes": (lambda net, x: net(x, np.zeros(len(x))), lambda self, a, b: a + b + np.zeros(len(a)), None),
    "one array twice": (lambda net, x: net(x, x), lambda self, a, b: a * 2 + b, TWICE),
    "one array twice, asked": (lambda net, x: net(x, x), lambda self, a, b: a * 2 if a is b else b, TWICE),
    "one number twice": (lambda net, x: net(x.sum(), x.sum()), lambda self, a, b: GIVEN * a + b, "it is given the number `sum` twice"),
    "its own parameter": (lambda net, x: net(x, net.w), lambda self, a, b: a * self.w + b, ITS_OWN),
    "a global of both": (lambda net, x: net(x, GIVEN), lambda self, a, b: a * GIVEN + b, ITS_OWN),
}


@pytest.mark.parametrize("row", CALLS)
def test_what_is_given_is_told_from_what_is_computed_inside(row):
    """A module that is called by itself computes with what it is given then, or says that it cannot."""
    call, forward, text = CALLS[row]
    inner = lambda: Net(forward, w=nn.Parameter(np.full(3, 5.0)))  # noqa: E731
    net = Net(lambda self, x: call(self.inner, x), inner=inner())
    sizes = {"args": ({0: Dim("n")},)} if row == "a constant of sizes" else None
    program = export(net, (GIVEN,), dynamic_shapes=sizes, preserve_module_call_signature=("inner",))
    for form in (program, passes.share(program), program.run_decompositions()):
        tree = unflatten(form)
        if text is None:
            np.testing.assert_array_equal(tree.inner(GIVEN + 7, OTHER), forward(inner(), GIVEN + 7, OTHER))
        else:
            with pytest.raises((InputMismatch, UserError), match=text):
                tree.inner(GIVEN + 7, OTHER)
    np.testing.assert_array_equal(tree(OTHER), net(OTHER))


def test_sizes_of_the_program_are_those_of_arguments():
    """A module that asks for the size of an axis gets it from what it is given, wherever the program saw it first."""
    inner = lambda: Net(lambda self, h: h.reshape(len(h) * 2, -1).T @ np.ones(2 * len(h)))  # noqa: E731
    net = Net(lambda self, x: self.inner(np.concatenate([x, x], axis=1)), inner=inner())
    x = np.arange(12.0).reshape(3, 4)
    tree = unflatten(export(net, (x,), dynamic_shapes={"args": ({0: Dim("n")},)}, preserve_module_call_signature=("inner",)))
    for size in (2, 5):
        h = np.arange(size * 8.0).reshape(size, 8)
        np.testing.assert_array_equal(tree.inner(h), inner()(h))
