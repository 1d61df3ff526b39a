"""A signal-processing chain of SciPy and NumPy: from raw samples to band energies, exported once for recordings of any length.

    python examples/signal_chain.py

The filter and the window are designed once, in ``__init__``; the program holds their numbers. SciPy's ``hilbert``
treats recordings of even and of odd length differently, so the program is for even lengths: ``2 * Dim("pairs")``.
"""

import numpy as np
import scipy.fft
import scipy.signal

from npexport import Dim, export

RATE = 8_000  # samples a second
FRAME, HOP = 256, 128
BANDS = np.geomspace(100, 3_500, 9)  # edges in hertz


class BandEnergies:
    """Band-pass filter, envelope, frames, spectrum, and the energy of eight bands in decibels: ``(samples,)`` to ``(frames, 8)``."""

    def __init__(self):
        self.taps = scipy.signal.firwin(65, [100, 3_500], pass_zero=False, fs=RATE)
        self.window = scipy.signal.get_window("hann", FRAME)
        frequencies = scipy.fft.rfftfreq(FRAME, 1 / RATE)
        self.bank = ((frequencies >= BANDS[:-1, None]) & (frequencies < BANDS[1:, None])).astype(float)

    def __call__(self, samples):
        filtered = np.convolve(samples - samples.mean(), self.taps, mode="same")
        envelope = np.abs(scipy.signal.hilbert(filtered))
        levelled = filtered / (envelope.max() + 1e-12)
        frames = np.lib.stride_tricks.sliding_window_view(levelled, FRAME)[::HOP] * self.window
        power = np.abs(scipy.fft.rfft(frames, axis=-1)) ** 2
        return 10 * np.log10(power @ self.bank.T + 1e-12)


def chirp(samples, rng):
    """A tone that rises through the bands, in noise."""
    time = np.arange(samples) / RATE
    return scipy.signal.chirp(time, 150, time[-1], 3_000) + 0.1 * rng.standard_normal(samples)


def main():
    rng = np.random.default_rng(0)
    chain = BandEnergies()
    program = export(chain, (chirp(4_000, rng),), dynamic_shapes=({0: 2 * Dim("pairs", min=FRAME // 2)},))
    print(program)
    run = program.module()
    for samples in (2_000, 8_000, 16_002):
        signal = chirp(samples, rng)
        energies = run(signal)
        assert np.array_equal(energies, chain(signal))
        print(f"{samples} samples: {energies.shape[0]} frames, loudest bands {energies.argmax(axis=1)[:: max(len(energies) // 8, 1)]}")


if __name__ == "__main__":
    main()
