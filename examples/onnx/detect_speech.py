"""Tells speech from silence, noise and tones, with the detector of silero-vad.

The speech is synthetic: harmonics of a voice, filtered by the formants of vowels. The file handles
8 kHz and 16 kHz with `If` nodes that test the rate. With the rate as a constant the import takes
one branch. The detector keeps a state from frame to frame.

python examples/onnx/packages.py && python examples/onnx/detect_speech.py
"""

import numpy as np
from packages import find

import mithril as ml

RATE = 16000
FRAME, CONTEXT = 512, 64  # samples: a frame, and how many of the frame before it the detector reads

# Centres of the first four formants in Hz (Peterson and Barney, 1952), and their widths.
VOWELS = {
    "a": (730, 1090, 2440, 3400),
    "e": (530, 1840, 2480, 3500),
    "i": (270, 2290, 3010, 3600),
    "o": (570, 840, 2410, 3300),
    "u": (300, 870, 2240, 3300),
}
WIDTHS = (80, 100, 150, 200)


def voice(vowels, seconds=0.2, pitch=120):
    """A voice that sings `vowels`, `seconds` each: float32, at most 0.3."""
    samples = int(RATE * seconds * len(vowels))
    time = np.arange(samples) / RATE
    melody = pitch * (1 + 0.1 * np.sin(2 * np.pi * 2.2 * time))
    phase = 2 * np.pi * np.cumsum(melody) / RATE
    position = np.linspace(0, len(vowels) - 1, samples)
    sound = np.zeros(samples)
    for harmonic in range(1, 40):
        frequency = harmonic * melody
        strength = (frequency < RATE / 2) / harmonic
        for formant, width in enumerate(WIDTHS):
            centres = [VOWELS[vowel][formant] for vowel in vowels]
            centre = np.interp(position, range(len(vowels)), centres)
            strength *= centre**2 / np.hypot(centre**2 - frequency**2, width * frequency)
        sound += strength * np.sin(harmonic * phase)
    syllables = 0.15 + 0.85 * np.sin(np.pi * (time / seconds % 1)) ** 0.7
    sound *= syllables
    return (0.3 * sound / np.abs(sound).max()).astype(np.float32)


class SpeechDetector:
    def __init__(self):
        path = find("silero-vad", "silero_vad/data/silero_vad.onnx")
        shapes = {"input": [1, CONTEXT + FRAME], "state": [2, 1, 128]}
        model, self.params, _ = ml.from_onnx(path, constants={"sr": RATE}, shapes=shapes)
        self.compiled = ml.compile(model, ml.CpuBackend(), inference=True)

    def __call__(self, sound):
        """The probability of speech in each frame of 32 ms."""
        state = np.zeros([2, 1, 128], np.float32)
        padded = np.concatenate([np.zeros(CONTEXT, np.float32), sound])
        probabilities = []
        for start in range(0, len(sound) - FRAME + 1, FRAME):
            frame = padded[None, start : start + CONTEXT + FRAME]
            outputs = self.compiled.evaluate(self.params, {"input": frame, "state": state})
            state = outputs["stateN"]
            probabilities.append(float(outputs["output"][0, 0]))
        return np.array(probabilities)


def sounds():
    """Sounds of two seconds, by name."""
    time = np.arange(2 * RATE) / RATE
    noise = 0.1 * np.random.default_rng(0).standard_normal(len(time))
    return {
        "silence": np.zeros(len(time), np.float32),
        "noise": noise.astype(np.float32),
        "a tone": (0.3 * np.sin(2 * np.pi * 440 * time)).astype(np.float32),
        "speech": voice("aiueoaioeu"),
    }


def main():
    detect = SpeechDetector()
    means = {}
    for name, sound in sounds().items():
        probabilities = detect(sound)
        means[name] = probabilities.mean()
        bars = "".join(" .:-=+*#%@"[int(9.99 * value)] for value in probabilities)
        print(f"{name:8} mean {means[name]:.3f} |{bars}|")
    return means


if __name__ == "__main__":
    main()
