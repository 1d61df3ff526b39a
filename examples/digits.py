"""A small convolutional network with trained weights, exported and run on images that it has never seen.

    python examples/digits.py

The weights and the 360 held-out test images come from examples/train_digits.py.
"""

from pathlib import Path

import numpy as np

from npexport import Dim, export, nn

WEIGHTS = Path(__file__).with_name("digits.npz")


class DigitsNet(nn.Module):
    """Two convolutions and a linear layer: 8x8 images ``(N, 1, 8, 8)`` to the scores of ten digits ``(N, 10)``."""

    def __init__(self, generator=None):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1, generator=generator)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1, generator=generator)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(32 * 2 * 2, 10, generator=generator)

    def forward(self, images):
        x = self.pool(nn.functional.relu(self.conv1(images)))
        x = self.pool(nn.functional.relu(self.conv2(x)))
        return self.fc(x.reshape(x.shape[0], -1))


def load_trained():
    """The trained network, and the test images ``(360, 1, 8, 8)`` with their labels."""
    network = DigitsNet()
    with np.load(WEIGHTS) as stored:
        network.load_state_dict({name: stored[name] for name in network.state_dict()})
        images = stored["test_images"].astype(np.float32) / 16
        return network.eval(), images[:, None], stored["test_labels"].astype(np.int64)


def main():
    network, images, labels = load_trained()
    program = export(network, (images[:4],), dynamic_shapes=({0: Dim("batch")},))
    print(program)
    run = program.module()
    for name, scores in (("eager", network(images)), ("exported", run(images))):
        print(f"{name} accuracy: {np.mean(scores.argmax(axis=1) == labels):.4f}")


if __name__ == "__main__":
    main()
