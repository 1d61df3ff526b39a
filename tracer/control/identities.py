"""Which earlier array each array is that a loop carries: data may decide in every iteration
whether a variable keeps it, gets another one, or gets a new one.

For every array of before the loop that others can see, or that two carries may become, and every
carry that may be it, a truth is carried that says whether it is that one. It is part of the graph
only where data decide it. Inside an iteration and after the loop, these truths are the ways
(`result_identity.Ways`) of the carry.

Laws:

1. The truths of one carry exclude each other; where none holds, it is in memory of its own, or in
   memory that an iteration has made.
2. What is not told by truths at the end of an iteration has no truths in any, and may be any array.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from npexport.ir.graph import Node
from npexport.symshapes.env import known
from npexport.symshapes.functions import sym_bool, sym_not
from npexport.tracer.arrays.core.aliased_writes import Alias
from npexport.tracer.arrays.core.current import Recording
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import LoggingRegion
from npexport.tracer.arrays.core.result_identity import Side, Ways, is_made_in, known_ways, may_be_given
from npexport.tracer.arrays.memory.model import Storage
from npexport.tracer.control.endings import Key

Place = tuple[Key, int]
"""One leaf of what a carry holds."""
Told = dict[int, Any]
"""By the number of an earlier array, the truth that an array is that one; the others are false."""


class Identities:
    """The truths of one loop."""

    def __init__(self, recorder: Recording) -> None:
        self._recorder = recorder
        self._holders: Counter[Storage] = Counter()
        self._earlier: list[ArrayProxy] = []
        self._entered: dict[Storage, tuple[Place, ArrayProxy, Told]] = {}
        self._unknown: set[Storage] = set()  # the memory of carries that come in without truths
        self._untold: set[Place] = set()
        self._met: set[Place] = set()  # carries whose array of before the loop, which nobody else sees, two carries may be
        self._firsts: dict[Place, Told] = {}
        self._nexts: dict[Place, Told] = {}
        self._made: dict[Place, set[Storage]] = {}  # by carry, the memory of an iteration that it may be in after it
        self._words: dict[tuple[Place, int], Node] = {}  # what comes in for the truths
        self._kept: dict[tuple[Place, int], Any] = {}
        self._carried: list[tuple[Place, int]] = []

    # One iteration

    def begin(self, firsts: dict[Place, Any], referrers: Counter[Storage]) -> None:
        """Find which earlier arrays the carries are before the loop. ``referrers``: how many places
        hold arrays of each memory then.
        """
        self._holders = referrers
        self._entered.clear()
        self._words.clear()
        self._firsts = {}
        for place, first in firsts.items():
            told = self._of_before(first, first.storage) if place not in self._untold and type(first) is ArrayProxy else None
            if place in self._met and told is not None and not _is_told(told):
                told = self._number(first) if not told and may_be_given(first) else None
            if told is not None:
                self._firsts[place] = told

    def enter(self, region: LoggingRegion, entered: dict[Place, Any]) -> None:
        """Let the truths come in with an iteration."""
        carried = [(place, array) for place, array in entered.items() if type(array) is ArrayProxy]
        self._unknown = {array.storage for place, array in carried if place not in self._firsts}
        for place in self._firsts:
            array = entered[place]
            told = {}
            for number, _ in enumerate(self._earlier):
                told[number] = region.enter(True, "same")
                self._words[place, number] = region.entries[-1]
            self._entered[array.storage] = place, array, told
            if told:
                self._recorder.choices[array.storage] = self._ways(told)

    def finds_more(self, region: LoggingRegion, leaves: dict[Place, Any]) -> bool:
        """Find what the carries are after an iteration; whether that takes another run."""
        count, untold = len(self._earlier), len(self._untold)
        self._nexts, self._made = {}, {}
        for place in self._firsts:
            leaf = leaves.get(place)
            told = self._told(region, leaf) if type(leaf) is ArrayProxy else {}  # of another kind, it is run again
            if told is None:
                self._untold.add(place)
            else:
                self._nexts[place] = told
                self._made[place] = self._made_of(region, leaf) if type(leaf) is ArrayProxy else set()
        met = self._meeting(region, leaves)
        more = not met <= self._met
        self._met |= met
        return more or len(self._earlier) > count or len(self._untold) > untold

    def _meeting(self, region: LoggingRegion, leaves: dict[Place, Any]) -> set[Place]:
        """The carries that come in with memory of their own that two may be in afterwards."""
        found = [self._taken(region, leaves[place]) for place in self._nexts if type(leaves.get(place)) is ArrayProxy]
        return {
            place
            for number, one in enumerate(found)
            for other in found[:number]
            for place in one.keys() & other.keys()
            if known(sym_bool(one[place] & other[place])) is not False and not _is_told(self._firsts[place])
        }

    def _taken(self, region: LoggingRegion, array: ArrayProxy) -> dict[Place, Any]:
        """The carries that come in with an iteration and that an array may be, by truth."""
        storage = array.storage
        if array.link is not None or not (storage in self._entered or region.owns(storage)):
            return {}
        if storage in self._entered:
            return {self._entered[storage][0]: True}
        ways = self._recorder.choices.get(storage, ())
        return self._of_ways(lambda each: self._taken(region, each), ways) or {}

    def _told(self, region: LoggingRegion, array: ArrayProxy) -> Told | None:
        """Which earlier array this is; ``None`` if no truths tell."""
        storage = array.storage
        if storage in self._entered and array.link is None:
            return self._entered[storage][2]
        if not region.owns(storage):
            return self._of_before(array)
        if storage in self._recorder.choices and array.link is None:
            return self._of_ways(lambda each: self._told(region, each), self._recorder.choices[storage])
        near = (storage, *self._recorder.may_alias.of(storage))
        made = is_made_in(region, storage, self._recorder.may_alias) and self._unknown.isdisjoint(near)
        return {} if made and not any(self._may_be_earlier(each) for each in near) else None

    def _of_ways(self, told_of: Callable[[ArrayProxy], dict[Any, Any] | None], ways: Ways) -> dict[Any, Any] | None:
        """What an array is that is one of several; ``told_of`` tells what each is."""
        found: dict[Any, Any] = {}
        here: Any = True
        for truth, array in known_ways(ways):
            told = {} if array is None else told_of(array)
            if told is None:
                return None
            for number, each in told.items():
                found[number] = found.get(number, False) | (here & truth & each)
            here = here & sym_not(truth)
        return found

    def _of_before(self, array: ArrayProxy, mine: Storage | None = None) -> Told | None:
        """Which earlier array an array of before the loop is. ``mine``: the memory that the carry
        is in then, which is its own if nothing else is or may be in it.
        """
        storage, rec = array.storage, self._recorder
        for number, each in enumerate(self._earlier):
            if each.storage is storage and each.link is array.link and each.meta == array.meta:
                return {number: True}
        if self._is_free(storage, mine):
            if storage in rec.choices and array.link is None:
                return self._of_ways(lambda each: self._of_before(each, mine), rec.choices[storage])
            if all(self._is_free(each, mine) for each in rec.may_alias.of(storage)):
                return {}
        if not may_be_given(array) or (mine is None and array.link is not None):  # an iteration makes views anew
            return None
        return self._number(array)

    def _number(self, array: ArrayProxy) -> Told:
        self._earlier.append(array)
        return {len(self._earlier) - 1: True}

    def _is_free(self, storage: Storage, mine: Storage | None) -> bool:
        """Whether nothing but the carry is in this memory."""
        return storage.outside is None and self._holders[storage] == (storage is mine)

    def _may_be_earlier(self, storage: Storage) -> bool:
        return storage in self._entered and bool(self._entered[storage][2])

    def _ways(self, told: Told) -> Ways:
        rec, numbers = self._recorder, [number for number, truth in told.items() if truth is not False]
        return (*((told[number], Side(rec, self._earlier[number], self._is_shared(number))) for number in numbers), (True, None))

    def _is_shared(self, number: int) -> bool:
        """Whether several carries are this array before the loop, or may become it: nobody else has
        to hold it for them to be one array after the loop.
        """
        firsts = [place for place, first in self._firsts.items() if number in first]
        return len(firsts) > 1 or not self._met.isdisjoint(firsts)

    # The node

    def settle(self) -> list[Any]:
        """The nodes of the truths after an iteration that are not always false."""
        self._kept = {(place, number): truth for place, told in self._nexts.items() for number, truth in told.items() if truth is not False}
        return [self._recorder.argument(truth) for truth in self._kept.values()]

    def carried(self, body: LoggingRegion, ends: list[Any]) -> list[tuple[Any, Any]]:
        """The truths that the graph carries, each as it is before the loop and the node that it is
        after an iteration (``ends``: what `settle` gave): those that data decide, and those that an
        iteration asks. The others come in no more.
        """
        found, after = list[tuple[Any, Any]](), dict(zip(self._kept, ends, strict=True))
        asked = {operand for node in body.nodes for operand in node.all_input_nodes} | {node for node in ends if type(node) is Node}
        self._carried = []
        for (place, number), word in self._words.items():
            if (place, number) in after or word in asked:
                first = self._recorder.argument(self._firsts[place].get(number, False))
                found.append((first, after.get((place, number), False)))
                self._carried.append((place, number))
            else:
                body.entries.remove(word)
        return found

    def give(self, results: dict[Place, Any], truths: Iterator[Any], going: Any) -> None:
        """Note which earlier arrays the results are. ``truths``: of those that are `carried`, after
        the loop; ``going``: whether an iteration is made.
        """
        after = dict(zip(self._carried, truths, strict=False))
        for place, first in self._firsts.items():
            unchanged = {number: sym_not(going) & truth for number, truth in first.items()}
            told = {number: after.get((place, number), unchanged.get(number, False)) for number, _ in enumerate(self._earlier)}
            if any(truth is not False for truth in told.values()):
                self._recorder.choices[results[place].storage] = self._ways(told)

    def follow(self, results: dict[Place, Any]) -> None:
        """Note how the results are written to of which truths tell all: those that share no memory
        that iterations make.
        """
        rec = self._recorder
        for place in self._nexts:
            storage = results[place].storage
            if storage in rec.choices and storage not in rec.mingled:
                numbers = {*self._firsts[place], *self._nexts[place]}
                memories = [self._earlier[number].storage for number in numbers]
                known = [rec.aliases[memory].earlier for memory in memories if memory in rec.aliases]
                earlier = frozenset({memory.serial for memory in memories}.union(*known))
                rec.aliases[storage] = Alias(rec.regions[-1] if rec.regions else None, rec.choices[storage], earlier)
        self._entered.clear()  # memory that a loop has entered is nobody's any more
        self._unknown.clear()

    def made(self, place: Place, memory: set[Storage]) -> set[Storage]:
        """What iterations make of the memory that a carry may be in; all of it where truths do not
        tell.
        """
        if place not in self._nexts:
            return memory
        found, todo = set[Storage](), [self._made[place]]
        while todo:
            for storage in todo.pop() - found:
                found.add(storage)
                if storage in self._entered:
                    todo.append(self._made.get(self._entered[storage][0], {storage}))
        return found - self._entered.keys()

    def _made_of(self, region: LoggingRegion, array: ArrayProxy) -> set[Storage]:
        """The memory that an iteration makes, or came in with it, and that an array may be in."""
        storage, rec = array.storage, self._recorder
        if storage in self._entered or not region.owns(storage):
            return {storage} if storage in self._entered else set()
        if storage not in rec.choices or storage in rec.mingled:
            return {storage, *rec.may_alias.of(storage)}
        arrays = [array for _, array in known_ways(rec.choices[storage])]
        return set().union(*[{storage} if each is None else self._made_of(region, each) for each in arrays])


def _is_told(told: Told) -> bool:
    """Whether an array is certainly one of the earlier ones."""
    return any(truth is True for truth in told.values())
