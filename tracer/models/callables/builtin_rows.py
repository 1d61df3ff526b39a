"""Builtins, and C functions of the standard library, of which more is known than that they simply
run: one row each.
"""

from __future__ import annotations

import functools
import math

from npexport.symshapes.symrange import sym_range
from npexport.tracer.interpreter import polyfills
from npexport.tracer.models.containers import data_keys, filled_lists, sorting
from npexport.tracer.models.iteration import combining, extremes, quantifiers, selecting
from npexport.tracer.models.numbers import bytes_of_data, sizes, texts
from npexport.tracer.models.registry import Feed, rows

_COLLECTED, _CONSUMED, _ITERATED = Feed(polyfills.collect), Feed(polyfills.consume), Feed(polyfills.iterate)
_SUMMED = Feed(polyfills.consume, only_first=True)

rows("builtins", "callable getattr hasattr issubclass next object", pure=True)
rows("builtins", "isinstance", pure=True, typed=0)
rows("builtins", "range", pure=True, asks=True, sizes=sym_range, scalars="integers")
rows("builtins", "abs divmod round", pure=True, scalars="kept")
rows("builtins", "max", model=extremes.choose, pure=True, iterates="items", calls=polyfills.max_, scalars="kept")
rows("builtins", "min", model=extremes.choose, pure=True, iterates="items", calls=polyfills.min_, scalars="kept")
rows("builtins", "sum", model=filled_lists.total, pure=True, iterates="items", feeds=_SUMMED, scalars="kept")
rows("builtins", "any all", model=quantifiers.test, pure=True, iterates="items", feeds=_CONSUMED)
rows("builtins", "list", model=filled_lists.listed, pure=True, iterates="items", feeds=_COLLECTED)
rows("builtins", "tuple", pure=True, iterates="items", feeds=_COLLECTED)
rows("builtins", "str.join", model=texts.join, iterates="items", feeds=_COLLECTED)
rows("builtins", "int.from_bytes", model=bytes_of_data.integer_of, pure=True, asks=True)
rows("builtins", "bytes.join", model=bytes_of_data.join, iterates="items", feeds=_COLLECTED)
rows("builtins", "set", model=data_keys.new_set, pure=True, feeds=_CONSUMED)
rows("builtins", "frozenset", model=data_keys.made, pure=True, feeds=_CONSUMED)
rows("builtins", "sorted", model=sorting.by_data, pure=True, iterates="items", calls=polyfills.sorted_)
rows("builtins", "filter", model=selecting.filter_, pure=True, iterates="items", calls=polyfills.filter_)
rows("builtins", "list.sort", model=sorting.by_data, calls=polyfills.sort)
rows("builtins", "list.__init__", iterates="items")
rows("builtins", "dict", model=data_keys.made, pure=True, iterates="items")
rows("builtins", "set.__iter__ frozenset.__iter__", iterates="items")
rows("builtins", "set.pop", iterates="pop")
rows("builtins", "set.__repr__ frozenset.__repr__ object.__str__", iterates="text")
rows("builtins", "ascii", model=texts.text, pure=True, form="ascii")
rows("builtins", "bin", model=texts.text, pure=True, form="bin")
rows("builtins", "chr", model=texts.text, pure=True, form="chr")
rows("builtins", "hex", model=texts.text, pure=True, form="hex")
rows("builtins", "oct", model=texts.text, pure=True, form="oct")
rows("builtins", "format", model=texts.text, pure=True, iterates="text", form="format")
rows("builtins", "repr", model=texts.text, pure=True, iterates="text", form="repr")
rows("builtins", "str", model=texts.text, pure=True, iterates="text", form="str")
rows("builtins", "str.maketrans str.translate", asks=True)

rows("_functools", "reduce", model=combining.reduce, iterates="items", calls=polyfills.reduce)
rows("_functools", "cmp_to_key", calls=polyfills.cmp_to_key)
rows("re", "Pattern.sub", calls=polyfills.substitute)

rows("itertools", "accumulate", model=selecting.accumulate, iterates="items", calls=polyfills.accumulate)
rows("itertools", "dropwhile", model=selecting.dropwhile, iterates="items", calls=polyfills.dropwhile)
rows("itertools", "filterfalse", model=selecting.filterfalse, iterates="items", calls=polyfills.filterfalse)
rows("itertools", "groupby", model=combining.groupby, iterates="items", calls=polyfills.groupby)
rows("itertools", "starmap", model=combining.starmap, iterates="items", calls=polyfills.starmap)
rows("itertools", "takewhile", model=selecting.takewhile, iterates="items", calls=polyfills.takewhile)
rows("itertools", "compress", model=selecting.compress, iterates="items")
rows("itertools", "permutations", model=combining.permutations, asks=True, iterates="items")
for _combining in "chain combinations combinations_with_replacement cycle islice pairwise product repeat zip_longest".split():
    rows("itertools", _combining, model=getattr(combining, _combining), iterates="items")
rows("itertools", "chain.from_iterable", model=combining.from_iterable, iterates="items")
rows("itertools", "batched tee", iterates="items")

rows("math", "fsum", model=filled_lists.exact_total, iterates="items")
rows("math", "sumprod", iterates="items")
rows("math", "prod", model=filled_lists.product, asks=False, iterates="items", scalars="kept")
rows("math", "isqrt gcd lcm factorial comb perm", scalars="integers")
rows("math", "isclose", sizes=sizes.isclose)
for _kind in (math.isnan, math.isinf, math.isfinite):
    rows("math", _kind.__name__, sizes=functools.partial(sizes.kind_of_float, _kind))

rows("_collections", "deque deque.extend deque.extendleft", iterates="items")
rows("collections", "deque.extendleft", iterates="items")
rows("array", "array", pure=True, iterates="items")
rows("array", "array.extend", iterates="items")
