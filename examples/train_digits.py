"""Train the network of examples/digits.py on scikit-learn's digits, in plain NumPy with the gradients written by hand.

    pip install "npexport[examples]"
    python examples/train_digits.py

Deterministic: the same seed gives the same weights. Writes examples/digits.npz with the weights and the held-out test images.
"""

import numpy as np
from digits import WEIGHTS, DigitsNet

from npexport import nn

SEED, EPOCHS, BATCH, RATE, MOMENTUM, DECAY = 0, 30, 32, 0.05, 0.9, 1e-4


def forward(network, images):
    """The scores, and all intermediate results that the gradients need."""
    a1 = network.conv1(images)
    p1 = network.pool(np.maximum(a1, 0))
    a2 = network.conv2(p1)
    p2 = network.pool(np.maximum(a2, 0))
    return network.fc(p2.reshape(len(images), -1)), (a1, p1, a2, p2)


def pool_backward(grad, relu_output, pooled):
    """The gradient of a 2x2 maximum goes to the element that was the maximum."""
    widened = [np.repeat(np.repeat(x, 2, axis=2), 2, axis=3) for x in (grad, pooled)]
    return widened[0] * (relu_output == widened[1])


def conv_backward(grad, images, weight):
    """The gradients of a 3x3 convolution with padding 1: with respect to weight, bias and input."""
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(images, [(0, 0), (0, 0), (1, 1), (1, 1)]), (3, 3), axis=(2, 3))
    by_weight = np.einsum("nohw,nchwpq->ocpq", grad, windows, optimize=True)
    by_input = nn.functional.conv_transpose2d(grad, weight, padding=1)
    return by_weight, grad.sum(axis=(0, 2, 3)), by_input


def gradients(network, images, labels):
    """The mean cross-entropy, and its gradient for every parameter by name."""
    scores, (a1, p1, a2, p2) = forward(network, images)
    log_p = nn.functional.log_softmax(scores, 1)
    loss = -log_p[np.arange(len(labels)), labels].mean()
    delta = np.exp(log_p)
    delta[np.arange(len(labels)), labels] -= 1
    delta /= len(labels)
    flat = p2.reshape(len(images), -1)
    grads = {"fc.weight": delta.T @ flat, "fc.bias": delta.sum(axis=0)}
    d2 = pool_backward((delta @ network.fc.weight).reshape(p2.shape), np.maximum(a2, 0), p2) * (a2 > 0)
    grads["conv2.weight"], grads["conv2.bias"], d1 = conv_backward(d2, p1, network.conv2.weight)
    d1 = pool_backward(d1, np.maximum(a1, 0), p1) * (a1 > 0)
    grads["conv1.weight"], grads["conv1.bias"], _ = conv_backward(d1, images, network.conv1.weight)
    return loss, grads


def train(images, labels, seed=SEED, epochs=EPOCHS):
    """Stochastic gradient descent with momentum and weight decay, the rate falling to 0 along a cosine."""
    generator = np.random.default_rng(seed)
    network = DigitsNet(generator)
    parameters = dict(network.named_parameters())
    velocity = {name: np.zeros_like(value) for name, value in parameters.items()}
    steps = epochs * -(-len(images) // BATCH)
    step = 0
    for epoch in range(epochs):
        total = 0.0
        order = generator.permutation(len(images))
        for start in range(0, len(order), BATCH):
            picked = order[start : start + BATCH]
            rate = RATE * 0.5 * (1 + np.cos(np.pi * step / steps))
            loss, grads = gradients(network, images[picked], labels[picked])
            for name, value in parameters.items():
                velocity[name] *= MOMENTUM
                velocity[name] += grads[name] + DECAY * value
                value -= (rate * velocity[name]).astype(value.dtype)
            total += float(loss) * len(picked)
            step += 1
        print(f"epoch {epoch + 1}: loss {total / len(images):.4f}")
    return network


def main():
    from sklearn.datasets import load_digits

    digits = load_digits()
    order = np.random.default_rng(SEED).permutation(len(digits.target))
    test, rest = order[:360], order[360:]
    images = (digits.images / 16).astype(np.float32)[:, None]
    network = train(images[rest], digits.target[rest])
    predicted = network(images[test]).argmax(axis=1)
    print(f"test accuracy: {np.mean(predicted == digits.target[test]):.4f}")
    np.savez_compressed(
        WEIGHTS,
        test_images=digits.images[test].astype(np.uint8),
        test_labels=digits.target[test].astype(np.uint8),
        **network.state_dict(),
    )


if __name__ == "__main__":
    main()
