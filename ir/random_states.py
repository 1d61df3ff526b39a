"""States of ``numpy.random.Generator`` and ``RandomState`` as arrays of 64-bit words: what the
graph carries, what files hold.

First come the words of the bit generator, by the fields of its ``state``; then, for ``spawn``, how
many children have been spawned, how many 32-bit words of entropy the children get, and those words,
two in one. `pack` and `unpack` are inverse.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from npexport.ir.numpy_internals import BIT_GENERATOR

Array = np.ndarray[Any, Any]
_LOW, _WORD = (1 << 64) - 1, (1 << 32) - 1
_ENTROPY = 8
SEED = 2 + _ENTROPY
"""The number of words that describe how children are spawned."""
NO_SEED, LONG_SEED = 1 << 40, 1 << 41
"""Instead of the number of words of entropy: the seed spawns no children, or has more words than
there is room for.
"""


class Field(NamedTuple):
    """``words`` numbers under this path of ``state``, from ``least`` to ``limit``; ``wide``: one of
    128 bits, its high half first; ``real``: the bits of a float.
    """

    path: tuple[str, ...]
    words: int = 1
    limit: int = _LOW
    wide: bool = False
    least: int = 0
    real: bool = False


_BUFFERED = (Field(("has_uint32",), limit=1), Field(("uinteger",), limit=_WORD))
_PCG = (Field(("state", "state"), 2, wide=True), Field(("state", "inc"), 2, wide=True), *_BUFFERED)
_MT = (Field(("state", "key"), 624, _WORD), Field(("state", "pos"), limit=624))
LEGACY = "RandomState"
"""In place of a bit generator's name: a `RandomState` over `MT19937`, which keeps a normal number
for the next draw.
"""
_FIELDS: dict[str, tuple[Field, ...]] = {
    "PCG64": _PCG,
    "PCG64DXSM": _PCG,
    "MT19937": _MT,
    LEGACY: (*_MT, Field(("has_gauss",), limit=1), Field(("gauss",), real=True)),
    "Philox": (
        Field(("state", "counter"), 4),
        Field(("state", "key"), 2),
        Field(("buffer",), 4),
        Field(("buffer_pos",), limit=4, least=1),
        *_BUFFERED,
    ),
    "SFC64": (Field(("state", "state"), 4), *_BUFFERED),
}
BIT_GENERATORS = tuple([name for name in _FIELDS if name != LEGACY])
"""The names of the bit generators whose states are known."""
WORDS = {name: sum(field.words for field in fields) + SEED for name, fields in _FIELDS.items()}
"""How many words the state of each takes."""


def holder(name: str) -> tuple[str, str, str]:
    """What holds a state of this name: the class of the objects that draw, the attribute that is
    their bit generator, and the class of that.
    """
    return (LEGACY, BIT_GENERATOR, "MT19937") if name == LEGACY else ("Generator", "bit_generator", name)


def class_name(name: str) -> str:
    """The class of what draws from a state of this name."""
    return f"numpy.random.{holder(name)[0]}"


def is_legacy(value: Any) -> bool:
    """Whether a value is a `RandomState`."""
    return type(value).__module__ == "numpy.random.mtrand" and type(value).__name__ == LEGACY


def can_be_packed(generator: Any) -> bool:
    """Whether the state of a generator, or of a `RandomState`, is one that the graph carries."""
    return is_generator(generator) and name_of(source_of(generator)) is not None


def is_generator(value: Any) -> bool:
    """Whether a value is a generator, or a `RandomState`, of NumPy's own class."""
    cls = type(value)
    return (cls.__module__ == "numpy.random._generator" and cls.__name__ == "Generator") or is_legacy(value)


def memory_of(value: Any) -> Any:
    """The bit generator of a generator or `RandomState`."""
    return getattr(value, BIT_GENERATOR if is_legacy(value) else "bit_generator")


def source_of(value: Any) -> Any:
    """What has the state of a generator: its bit generator, or a `RandomState` itself."""
    return value if is_legacy(value) else value.bit_generator


def name_of(source: Any) -> str | None:
    """The name of a bit generator of NumPy's own class, or of a `RandomState` over `MT19937`;
    ``None`` for all others.
    """
    if is_legacy(source):
        return LEGACY if name_of(memory_of(source)) == "MT19937" else None
    cls = source.__class__
    return cls.__name__ if cls.__module__.startswith("numpy.random.") and cls.__name__ in BIT_GENERATORS else None


def read(source: Any) -> dict[str, Any]:
    """The state of a bit generator or `RandomState`, as NumPy tells it."""
    return source.get_state(legacy=False) if is_legacy(source) else source.state  # type: ignore[no-any-return]


def put(source: Any, state: dict[str, Any]) -> None:
    """Bring a bit generator or `RandomState` to a state that was `read`."""
    if is_legacy(source):
        source.set_state(state)
    else:
        source.state = state


def pack(source: Any, name: str | None = None) -> Array:
    """The state of a bit generator or `RandomState`; ``name``: whose fields it has, by default
    those of its class.

    >>> pack(np.random.PCG64(1)).shape
    (16,)
    """
    state: Any = read(source)
    words: list[int] = []
    for field in _FIELDS[name or (LEGACY if is_legacy(source) else state["bit_generator"])]:
        value = state
        for key in field.path:
            value = value[key]
        if field.wide:
            words += (value >> 64, value & _LOW)
        elif field.real:
            words.append(int(np.float64(value).view(np.uint64)))
        else:
            words += value.tolist() if field.words > 1 else (int(value),)
    return np.array([*words, *_seed_words(None if is_legacy(source) else source.seed_seq)], np.uint64)


def with_state(name: str, words: Array, seed: Array) -> Array:
    """The state of ``words`` for the bit generator and of ``seed`` for its children."""
    return np.concatenate([words[: WORDS[name] - SEED], seed[WORDS[name] - SEED :]])


def unpack(name: str, words: Array) -> dict[str, Any]:
    """The ``state`` that these words are.

    Raises ``ValueError`` where they are none, or one that NumPy would draw from for ever.
    """
    numbers = np.asarray(words).tolist()
    if len(numbers) != WORDS[name]:
        raise ValueError(f"{len(numbers)} words are no state of {name}")
    if not any(numbers):
        return read(make(name))  # a stand-in, of which only shapes are asked
    state: dict[str, Any] = {"bit_generator": holder(name)[2]}
    start = 0
    for field in _FIELDS[name]:
        part = numbers[start : start + field.words]
        start += field.words
        if max(part) > field.limit or min(part) < field.least:
            raise ValueError(f"`{'.'.join(field.path)}` of a state of {name} is not between {field.least} and {field.limit}")
        inner = state
        for key in field.path[:-1]:
            inner = inner.setdefault(key, {})
        number = float(np.uint64(part[0]).view(np.float64)) if field.real else part[0]
        inner[field.path[-1]] = part[0] << 64 | part[1] if field.wide else np.array(part, np.uint64) if field.words > 1 else number
    if ("PCG" in name and not state["state"]["inc"] & 1) or (name in ("MT19937", LEGACY) and not state["state"]["key"].any()):
        raise ValueError(f"a state of {name} draws one number for ever")
    return state


def problem(name: str, words: Any) -> str | None:
    """What is wrong with words that are said to be a state; ``None`` where nothing is."""
    if name not in _FIELDS:
        return f"{name!r:.40} is not a bit generator of NumPy"
    if not isinstance(words, np.ndarray) or words.dtype != np.uint64 or words.shape != (WORDS[name],):
        return f"a state of {name} has {WORDS[name]} words of 64 bits"
    if not np.any(words):
        return f"a state of {name} is all zeros"
    try:
        unpack(name, words)
    except ValueError as error:
        return str(error)
    count = int(words[-SEED + 1])
    return None if count in (NO_SEED, LONG_SEED) or count <= 2 * _ENTROPY else f"a seed of {count} words has no room in a state"


def make(name: str, seed: Any = 0) -> Any:
    """A bit generator of this name, or a `RandomState`, with a seed."""
    return getattr(np.random, name)(seed)


def drawing(name: str) -> Any:
    """A generator, or a `RandomState`, in some state of this name."""
    made = make(name)
    return made if name == LEGACY else np.random.Generator(made)


def bring_to(source: Any, name: str, words: Array) -> None:
    """Bring a bit generator or `RandomState` to this state, but for its children."""
    put(source, unpack(name, words))


def generator_of(name: str, words: Array) -> Any:
    """A generator in this state, which spawns what that of the state would.

    One whose seed the words do not hold spawns nothing. Raises ``ValueError`` for what is not a
    state.
    """
    wrong = problem(name, words)
    if wrong is not None:
        raise ValueError(wrong)
    if name == LEGACY:
        found = make(name)
        bring_to(found, name, words)
        return found
    spawned, entropy = _entropy(words)
    seedless: Any = np.random.bit_generator.SeedlessSeedSequence
    seed = seedless() if entropy is None else np.random.SeedSequence(entropy, n_children_spawned=spawned)
    bit_generator = make(name)
    bit_generator.__setstate__((unpack(name, words), seed))
    return np.random.Generator(bit_generator)


# Seeds


def _seed_words(seed: Any) -> list[int]:
    if not isinstance(seed, np.random.SeedSequence):
        return [0, NO_SEED, *[0] * _ENTROPY]
    entropy = _coerced(seed.entropy)
    words = None if entropy is None or seed.pool_size != 4 else [*entropy, *[0] * (4 - len(entropy)), *(_coerced(seed.spawn_key) or ())]
    if words is None or len(words) > 2 * _ENTROPY:
        return [seed.n_children_spawned, LONG_SEED, *[0] * _ENTROPY]
    even = [*words, *[0] * (2 * _ENTROPY - len(words))]
    return [seed.n_children_spawned, len(words), *[even[i] | even[i + 1] << 32 for i in range(0, 2 * _ENTROPY, 2)]]


def _coerced(entropy: Any) -> list[int] | None:
    """The 32-bit words that NumPy makes of entropy; ``None`` for text."""
    if isinstance(entropy, (int, np.integer)):
        number, words = int(entropy), list[int]()
        while number or not words:
            words.append(number & _WORD)
            number >>= 32
        return words
    if isinstance(entropy, str):
        return None
    found: list[int] = []
    for item in entropy:
        part = _coerced(item)
        if part is None:
            return None
        found += part
    return found


def _entropy(words: Array) -> tuple[int, list[int] | None]:
    """How many children have been spawned, and the entropy of the next; ``None`` where the words do
    not hold it.
    """
    spawned, size, *halves = words[-SEED:].tolist()
    if size in (NO_SEED, LONG_SEED):
        return spawned, None
    return spawned, [half for word in halves for half in (word & _WORD, word >> 32)][:size]


def spawn(words: Array, name: str, count: int) -> tuple[Array, ...]:
    """The state after spawning ``count`` children, and theirs.

    Raises ``TypeError`` and ``ValueError`` where the seed spawns none.
    """
    spawned, entropy = _entropy(words)
    if int(words[1 - SEED]) == NO_SEED:
        raise TypeError("The underlying SeedSequence does not implement spawning.")
    if entropy is None or len(entropy) >= 2 * _ENTROPY:
        raise ValueError(f"an exported program spawns no generators of seeds that have more than {2 * _ENTROPY} words of 32 bits")
    after = np.array(words, np.uint64)
    after[-SEED] += np.uint64(count)
    cls = getattr(np.random, name)
    return after, *[pack(cls(np.random.SeedSequence([*entropy, spawned + index]))) for index in range(count)]


def state_of(generator: Any) -> Array:
    """The state of a caller's generator."""
    return pack(source_of(generator))


def write_back(generator: Any, words: Array) -> None:
    """Bring the caller's generator to this state, children spawned included."""
    source = source_of(generator)
    name = name_of(source) or ""
    bring_to(source, name, words)
    seed = None if name == LEGACY else source.seed_seq
    if isinstance(seed, np.random.SeedSequence):
        more = int(words[-SEED]) - seed.n_children_spawned
        if more > 0:
            seed.spawn(more)
