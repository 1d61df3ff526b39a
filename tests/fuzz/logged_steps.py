"""Random programs of steps, each of which writes, or logs a value: what the programs over dates and those over texts share."""

from __future__ import annotations

import random
from collections.abc import Sequence

_BLOCKS = ("if", "for", "while", "match")


class LoggedSteps:
    """Writes one program of ``parameters`` from the numbers of a seed. Most steps log what they raise as a ``TypeError``.

    ``values``: expressions; ``writes``: statements; ``left``: the parameters that are returned behind the log.
    """

    def __init__(self, seed: int, parameters: str, values: Sequence[str], writes: Sequence[str], left: str) -> None:
        self.random = random.Random(seed)
        self.parameters, self.values, self.writes, self.left = parameters, values, writes, left

    def program(self) -> str:
        choose, chance = self.random.choice, self.random.random
        body = ["log = []"]
        for _ in range(self.random.randint(1, 5)):
            step = choose(self.writes) if chance() < 0.3 else f"log.append({choose(self.values)})"
            if chance() < 0.2 or step.startswith(_BLOCKS):
                body.append(step)
            else:
                body += [f"try: {step}", "except TypeError as error: log.append((type(error).__name__, str(error)))"]
        return "\n".join([f"def f({self.parameters}):", *["    " + line for line in [*body, f"return log, {self.left}"]]])
