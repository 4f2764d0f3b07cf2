"""Reads drawn text with the three networks of rapidocr: detector, classifier and recogniser.

The detector marks the pixels of text, the classifier finds lines that are upside down, and the
recogniser reads a line. Its characters are in the metadata of its file. The program draws a
picture, and reads it as it is and turned by 180 degrees.

pip install --requirement examples/onnx/requirements.txt
python examples/onnx/packages.py && python examples/onnx/read_text.py
"""

import numpy as np
from packages import find
from PIL import Image, ImageDraw, ImageFont

import mithril as ml

LINES = ("Mithril reads ONNX files", "and runs them on CPUs.", "42 apples, 7 pears")
LIKELY, GROWTH = 0.3, 1.6  # of a pixel of text; how far a line reaches beyond its marked pixels
HEIGHT = 48  # of the lines that the classifier and the recogniser read
CLASSIFIED_WIDTH, LEAST_WIDTH = 192, 320
UPSIDE_DOWN = 0.9


def drawn(lines=LINES):
    """Black text on white: [height, width, 3] of uint8. The sizes are multiples of 32."""
    picture = Image.new("RGB", (736, 96 * len(lines) + 64), "white")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(48)
    for number, line in enumerate(lines):
        draw.text((48, 48 + 96 * number), line, "black", font)
    return np.asarray(picture)


def tensor(picture):
    """[1, 3, height, width], from -1 to 1."""
    return (picture.astype(np.float32) / 127.5 - 1).transpose(2, 0, 1)[None]


def runs(marked, gap):
    """(first, end) of the runs of true elements. Runs that are at most `gap` apart are one."""
    places = np.flatnonzero(marked)
    parts = np.split(places, np.flatnonzero(np.diff(places) > gap + 1) + 1)
    return [(int(part[0]), int(part[-1]) + 1) for part in parts if len(part)]


def boxes(probability):
    """(top, bottom, left, right) of the lines of text in a map of probabilities."""
    marked = probability > LIKELY
    found = []
    for top, bottom in runs(marked.any(axis=1), 0):
        for left, right in runs(marked[top:bottom].any(axis=0), bottom - top):
            height, width = bottom - top, right - left
            margin = round(GROWTH * height * width / (2 * (height + width)))
            found.append(
                (max(top - margin, 0), bottom + margin, max(left - margin, 0), right + margin)
            )
    return found


def scaled(line, most_width):
    """The line in HEIGHT rows: [1, 3, HEIGHT, its width], at most `most_width`."""
    width = min(most_width, -(-HEIGHT * line.shape[1] // line.shape[0]))
    picture = Image.fromarray(line).resize((width, HEIGHT), Image.Resampling.BILINEAR)
    return tensor(np.asarray(picture))


def padded(line, width):
    return np.pad(line, [(0, 0)] * 3 + [(0, max(0, width - line.shape[3]))])


def decoded(scores, characters):
    """The text of [steps, characters] by CTC: repeats are one, and 0 is not a character."""
    best = scores.argmax(axis=1)
    is_new = np.append(True, best[1:] != best[:-1])
    return "".join(characters[i] for i in best[is_new & (best > 0)])


class TextReader:
    """Reads pictures of any size that is a multiple of 32 in both directions."""

    def __init__(self):
        self.detect, _ = self.network("ch_PP-OCRv4_det_infer", "height", "width")
        self.classify, _ = self.network("ch_ppocr_mobile_v2.0_cls_infer", HEIGHT, CLASSIFIED_WIDTH)
        self.recognise, metadata = self.network("ch_PP-OCRv4_rec_infer", HEIGHT, "width")
        self.characters = ["", *metadata["character"].splitlines(), " "]

    def network(self, name, height, width):
        """A function from its one input to its one output, and the metadata of the file."""
        path = find("rapidocr-onnxruntime", f"rapidocr_onnxruntime/models/{name}.onnx")
        file = ml.from_onnx(path, shapes={"x": [1, 3, height, width]})
        compiled = ml.compile(file.model, ml.CpuBackend(), inference=True)
        (output,) = compiled.output_keys

        def run(x):
            return np.asarray(compiled.evaluate(file.params, {"x": x})[output])

        return run, file.metadata

    def __call__(self, picture):
        """(text, was it upside down?) of each line, from top to bottom."""
        lines = []
        for top, bottom, left, right in boxes(self.detect(tensor(picture))[0, 0]):
            line = picture[top:bottom, left:right]
            small = padded(scaled(line, CLASSIFIED_WIDTH), CLASSIFIED_WIDTH)
            upside_down = bool(self.classify(small)[0, 1] > UPSIDE_DOWN)
            if upside_down:
                line = np.ascontiguousarray(line[::-1, ::-1])
            wide = padded(scaled(line, 10**6), LEAST_WIDTH)
            lines.append((decoded(self.recognise(wide)[0], self.characters), upside_down))
        return lines


def main():
    picture, read = drawn(), TextReader()
    results = {"upright": read(picture), "turned": read(picture[::-1, ::-1])}
    for name, lines in results.items():
        for text, upside_down in lines:
            print(f"{name:8} {'upside down' if upside_down else '':11} {text}")
    return results


if __name__ == "__main__":
    main()
