"""A transformer of GPT-2's shape that generates text one token a call, with its cache of keys and values as state.

    python examples/text_generator.py

The cache is written in place at a position that is itself state, so the program has one fixed shape, and a step costs the same early
and late. The weights are random: what is shown is that the exported program and the eager model write the same text.
"""

import numpy as np

from npexport import export, nn

VOCABULARY, WIDTH, HEADS, LAYERS, LENGTH = 96, 64, 4, 2, 48


class Block(nn.Module):
    """Attention over all earlier tokens, then a feed-forward layer."""

    def __init__(self, generator):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, generator=generator)
        self.out = nn.Linear(WIDTH, WIDTH, generator=generator)
        self.feed = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH, generator=generator), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH, generator=generator)
        )
        self.register_buffer("keys", np.zeros((HEADS, LENGTH, WIDTH // HEADS), np.float32), persistent=False)
        self.register_buffer("values", np.zeros((HEADS, LENGTH, WIDTH // HEADS), np.float32), persistent=False)

    def forward(self, x, position):
        query, key, value = self.qkv(self.norm1(x)).reshape(3, HEADS, WIDTH // HEADS)
        self.keys[:, position] = key
        self.values[:, position] = value
        scores = np.einsum("hd,htd->ht", query, self.keys) / np.float32(np.sqrt(WIDTH // HEADS))
        scores = np.where(np.arange(LENGTH) <= position, scores, np.float32(-np.inf))
        mixed = np.einsum("ht,htd->hd", nn.functional.softmax(scores, dim=-1), self.values)
        x = x + self.out(mixed.reshape(WIDTH))
        return x + self.feed(self.norm2(x))


class Generator(nn.Module):
    """One step: the token at the present position to the scores of the next."""

    def __init__(self, seed=0):
        super().__init__()
        generator = np.random.default_rng(seed)
        self.tokens = nn.Embedding(VOCABULARY, WIDTH, generator=generator)
        self.positions = nn.Embedding(LENGTH, WIDTH, generator=generator)
        self.blocks = nn.ModuleList([Block(generator) for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False, generator=generator)
        self.register_buffer("position", np.zeros((), np.int64), persistent=False)

    def forward(self, token):
        x = self.tokens(token) + self.positions(self.position)
        for block in self.blocks:
            x = block(x, self.position)
        self.position += 1
        return self.head(self.norm(x))


def generate(step, prompt, count):
    """Greedy decoding: the prompt, then ``count`` tokens."""
    tokens = [ord(letter) - 32 for letter in prompt]
    for token in tokens:
        scores = step(np.array(token))
    for _ in range(count):
        tokens.append(int(scores.argmax()))
        scores = step(np.array(tokens[-1]))
    return "".join(chr(token + 32) for token in tokens)


def main():
    model = Generator().eval()
    program = export(model, (np.array(3),))
    print(f"{len(program.graph.nodes)} nodes, state: {', '.join(name for name, _ in program.named_buffers())}")
    exported = generate(program.module(), "Hello", 20)
    eager = generate(model, "Hello", 20)
    print(f"exported: {exported!r}\neager:    {eager!r}")
    assert exported == eager


if __name__ == "__main__":
    main()
