"""Hold random models to eager execution in every form that their programs can take.

``python -m tests.fuzz.models [count] [seed]`` runs many. In each form a program is called at several sizes, one call after the other:
compared are results, arguments and what the model keeps; `diff` tells which forms are one program.
"""

from __future__ import annotations

import copy
import pickle
import random
import runpy
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from npexport import Dim, ExportError, InputMismatch, diff, draft_export, export, load, nn, ops, save, unflatten
from npexport.ir.parsing import parse_graph
from npexport.ir.printing import graph_code
from tests.fuzz.command import main
from tests.fuzz.model_programs import NAMES, Writer, arguments
from tests.support.forms import reloaded
from tests.support.functions import function_of
from tests.support.images import arrays_of, image, shared
from tests.support.quiet import quiet

SIZES = (3, 5, 1, 2)
SWAPPED = 24
"""How many modules of a model are swapped: some models have hundreds, and each has a tree of its own."""


def told(call: Callable[..., Any], seed: int, rows: int) -> Any:
    """What a call gives or raises, leaves in its arguments, and what shares memory."""
    args = arguments(seed, rows)
    with quiet():
        try:
            result = call(*args)
        except ExportError:
            raise
        except Exception as error:
            return type(error).__name__, str(error), image(args)
    return image(result), image(args), shared([*arrays_of(args), *arrays_of(result)])


def at(model: Any, path: str) -> Any:
    """What a model holds under a path of attributes and items."""
    for name in path.split("."):
        model = model[int(name) if isinstance(model, list) else name] if isinstance(model, (list, dict)) else getattr(model, name)
    return model


def held_to(model: Any, call: Any, seed: int, buffers: Any = None) -> str:
    """The first difference between calls of a model and of a program, one after the other; ``buffers``: what the program keeps."""
    for rows in SIZES:
        try:
            got = told(call, seed, rows)
        except InputMismatch:
            if rows == SIZES[0]:
                raise
            continue  # a size became a constant: the call is refused before anything is written
        expected = told(model, seed, rows)
        if expected != got:
            return f"with {rows} rows\neager: {expected}\nours:  {got}"
        held = dict(buffers() if buffers else ())
        for path, array in held.items():
            if path.endswith(".is_set") or not held.get(f"{path}.is_set", True):  # the truth that state is there
                continue
            if image(np.asarray(at(model, path))) != image(np.asarray(array)):  # state that is bound anew may be a scalar
                return f"with {rows} rows\neager {path}: {at(model, path)}\nours: {array}"
    return ""


def plain(program: Any) -> Any:
    """The function that `to_python` writes."""
    with TemporaryDirectory() as folder:
        text = program.to_python(Path(folder) / "program.py")
        assert not [line for line in text.splitlines() if "npexport" in line.partition("#")[0]]
        return runpy.run_path(str(Path(folder) / "program.py"))["forward"]


def mapped(program: Any) -> Any:
    with TemporaryDirectory() as folder:
        save(program, Path(folder) / "program.np2")
        return load(Path(folder) / "program.np2", mmap=True)


def edited(program: Any) -> Any:
    """A copy with one call more: the last array returned is negated."""
    other = copy.deepcopy(program)
    calls = [node for node in other.graph.nodes if node.op == "call_function" and hasattr(node.meta.get("val"), "dtype")]
    node = next(node for node in reversed(calls) if node.meta["val"].dtype.kind == "f")
    with other.graph.inserting_after(node):
        new = other.graph.call_function(ops.np.negative, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return other


SAME: dict[str, Callable[[Any], Any]] = {
    "reloaded": reloaded,
    "mapped": mapped,
    "copied": copy.deepcopy,
    "pickled": lambda program: pickle.loads(pickle.dumps(program)),
}


class Model:
    """One random model and the program that it is exported as."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.writer = Writer(random.Random(seed))
        self.source = self.writer.source()
        self.make = function_of(self.source, NAMES)
        self.dynamic = {"x": {0: Dim.AUTO}, "extra": {"y": None, "z": [{0: Dim.AUTO}, NAMES["Pair"](None, None)]}}

    def exported(self, how: Any = export, **options: Any) -> Any:
        with quiet():
            model = self.make()
            bound = model if isinstance(model, nn.Module) else model.forward
            return how(bound, arguments(self.seed, 3), dynamic_shapes=self.dynamic, **options)

    def law(self, name: str, difference: Any) -> str:
        assert not difference, f"{name}: {difference}\n{self.source}"
        return name

    def checked(self) -> Iterator[str]:
        """The names of the laws that hold. Raises ``AssertionError`` where one does not."""
        try:
            program = self.exported()
        except ExportError as error:
            assert error.code[:2] != "E9", f"{error}\n{self.source}"
            yield f"refused {error.code}"
            return
        module = program.module()
        yield self.law("module", held_to(self.make(), module, self.seed, module.named_buffers))
        for name, form in SAME.items():
            same = form(program)
            yield self.law(f"diff of {name}", diff(program, same))
            yield self.law(name, held_to(self.make(), same.module(), self.seed))
        text = graph_code(program.graph)
        environments = program.graph.environments()
        yield self.law("parsed", graph_code(parse_graph(text, environments[0] if environments else None)).split() != _bare(text))
        yield self.law("as Python", held_to(self.make(), plain(program), self.seed))
        yield self.law("diff of an edited one", not diff(program, edited(program)))
        draft = self.exported(draft_export)
        yield self.law("draft", "" if draft.report.success else str(draft.report))
        yield self.law("diff of the draft", diff(program, draft))
        yield from self.trees(program)
        yield from self.others(program)

    def trees(self, program: Any) -> Iterator[str]:
        tree = unflatten(program)
        yield self.law("unflattened", held_to(self.make(), tree, self.seed, tree.named_buffers))
        paths = dict.fromkeys(entry.fqn.partition("@")[0] for entry in program.module_call_graph if entry.fqn)
        if not paths:
            return
        try:
            preserved = self.exported(preserve_module_call_signature=tuple(paths))
        except ExportError as error:
            assert error.code[:2] != "E9", f"{error}\n{self.source}"
            yield f"not preserved {error.code}"
            return
        tree = unflatten(preserved)
        yield self.law("unflattened with signatures", held_to(self.make(), tree, self.seed, tree.named_buffers))
        for path in random.Random(self.seed).sample([*paths], min(len(paths), SWAPPED)):
            yield from self.swapped(preserved, path)

    def swapped(self, program: Any, path: str) -> Iterator[str]:
        """Another module in the place of one, in the tree and in the model."""
        model, tree = self.make(), unflatten(program)
        for whole in (model, tree):
            parent, _, name = path.rpartition(".")
            owner = at(whole, parent) if parent else whole
            if isinstance(owner, (list, nn.ModuleList)) and whole is model:
                owner[int(name)] = nn.Tanh()
            elif isinstance(owner, (dict, nn.ModuleDict)) and whole is model:
                owner[name] = nn.Tanh()
            else:
                setattr(owner, name, nn.Tanh())
        try:
            difference = held_to(model, tree, self.seed)
        except ExportError as error:
            assert error.code == "E241", f"at {path}: {error}\n{self.source}"
            yield "not swapped E241"
        else:
            yield self.law("swapped", difference and f"at {path}: {difference}")

    def others(self, program: Any) -> Iterator[str]:
        try:
            loose = self.exported(strict=False)
        except ExportError as error:
            assert error.code[:2] != "E9", f"strict=False: {error}\n{self.source}"
            yield f"strict=False refused {error.code}"
        else:
            yield self.law("strict=False", held_to(self.make(), loose.module(), self.seed))
        core, module = program.run_decompositions().module(), program.module()
        for rows in SIZES:
            try:
                with quiet():
                    expected, got = (arrays_of(call(*arguments(self.seed, rows))) for call in (module, core))
            except InputMismatch:
                continue
            for one, other in zip(expected, got, strict=True):
                near = one.dtype == other.dtype and np.allclose(one, other, rtol=1e-9, atol=1e-12, equal_nan=True)
                yield self.law("decomposed", "" if near else f"{one}\n{other}")


def _bare(text: str) -> list[str]:
    return " ".join(line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")).split()


def run(seed: int) -> Counter[str]:
    """How often each law held. Raises ``AssertionError`` where one does not."""
    model = Model(seed)
    try:
        return Counter(model.checked())
    except AssertionError:
        raise
    except Exception as error:
        raise AssertionError(f"{traceback.format_exc()}\n{model.source}") from error


if __name__ == "__main__":
    main(run)
