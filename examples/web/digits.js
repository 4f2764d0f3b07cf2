// The digits of examples/data/digits.bin, and a classifier of them that trains in the page.

// Images of 8 x 8 pixels from 0 to 1, and their labels.
export function readDigits(file) {
  const view = new DataView(file);
  const [count, height, width] = [8, 12, 16].map((at) => view.getUint32(at, true));
  const size = height * width;
  const pixels = new Uint8Array(file, 20, count * size);
  return {
    count,
    size,
    images: Float32Array.from(pixels, (pixel) => pixel / 16),
    labels: new Uint8Array(file, 20 + count * size, count),
  };
}

// Numbers from 0 to 1 that only depend on the seed (mulberry32).
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function shuffled(count, random) {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; --i) {
    const j = Math.floor(random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

function largest(logits, row) {
  const scores = logits.subarray(row * 10, row * 10 + 10);
  return scores.indexOf(Math.max(...scores));
}

export class Classifier {
  constructor(model, optimizer, digits, seed = 0) {
    this.model = model;
    this.optimizer = optimizer;
    this.digits = digits;
    this.random = randomNumbers(seed);
    this.batch = model.inputs.find((port) => port.name === "image").shape[0];
    const order = shuffled(digits.count, this.random);
    this.train = order.slice(0, 1437);
    this.test = order.slice(1437);
  }

  // The steps of one epoch: yields the loss and the accuracy of each batch.
  *epoch() {
    const order = shuffled(this.train.length, this.random).map((i) => this.train[i]);
    for (let start = 0; start + this.batch <= order.length; start += this.batch) {
      const data = this.#rows(order.slice(start, start + this.batch));
      const { loss, logits } = this.model.trainStep(data, this.optimizer, { loss: [1] });
      yield { loss: loss[0], accuracy: this.#right(logits, data.label, this.batch) / this.batch };
    }
  }

  // The share of test digits that are answered right.
  testAccuracy() {
    let right = 0;
    for (let start = 0; start < this.test.length; start += this.batch) {
      const rows = this.test.slice(start, start + this.batch);
      const data = this.#rows(rows);
      right += this.#right(this.model.evaluate(data).logits, data.label, rows.length);
    }
    return right / this.test.length;
  }

  // The digit in an image, in the first row of a batch.
  answer(image) {
    const data = this.#rows([]);
    data.image.set(image);
    return largest(this.model.evaluate(data).logits, 0);
  }

  #rows(rows) {
    const { size, images, labels } = this.digits;
    const data = { image: new Float32Array(this.batch * size), label: new Int32Array(this.batch) };
    rows.forEach((digit, row) => {
      data.image.set(images.subarray(digit * size, (digit + 1) * size), row * size);
      data.label[row] = labels[digit];
    });
    return data;
  }

  #right(logits, labels, count) {
    let right = 0;
    for (let row = 0; row < count; ++row) right += largest(logits, row) === labels[row] ? 1 : 0;
    return right;
  }
}
