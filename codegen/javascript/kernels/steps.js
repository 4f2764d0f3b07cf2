// The values that a loop carries from step to step, the elements of its sequences, and ints of 64
// bits that steps and branches make.
import { Int64Elements, Tensor } from "./tensor.js";

// Two buffers take turns: a step reads `now` and makes `next`.
class Carry {
  constructor(now, next, spare) {
    this.now = now;
    this.next = next;
    this.spare = spare;
  }

  advance() {
    [this.now, this.next, this.spare] = [this.next, this.spare, this.next];
  }
}

export function carryOf(first, next, spare) {
  return new Carry(first, next, spare);
}

// The element of a sequence that a step reads or makes, in its place.
export function elementAt(Elements, sequence, step, ...dims) {
  const size = dims.reduce((product, dim) => product * dim, 1);
  const { buffer, byteOffset } = sequence.data;
  const offset = byteOffset + step * size * Elements.BYTES_PER_ELEMENT;
  return new Tensor(new Elements(buffer, offset, size), dims);
}

// A tensor of numbers as BigInts.
export function bigIntsOf(tensor) {
  return new Tensor(BigInt64Array.from(tensor.data, BigInt), tensor.dims);
}

// Replaces BigInts by numbers, in their place.
export function becomeNumbers({ data }) {
  new Int64Elements(data.buffer, data.byteOffset, data.length).set(Array.from(data, Number));
}

// The place of BigInts, for numbers.
export function numbersAt({ data, dims }) {
  return new Tensor(new Int64Elements(data.buffer, data.byteOffset, data.length), dims);
}

// Replaces numbers by BigInts, in their place.
export function becomeBigInts(tensor) {
  tensor.data.set(Array.from(numbersAt(tensor).data, BigInt));
}
