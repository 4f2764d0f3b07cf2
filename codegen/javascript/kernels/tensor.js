// Tensors: elements in row-major order, and sizes.

// Ints of 64 bits are doubles.
export class Int64Elements extends Float64Array {}

export function holdsInts(tensor) {
  return tensor.data instanceof Int32Array || tensor.data instanceof Int64Elements;
}

export class Tensor {
  constructor(data, dims) {
    this.data = data;
    this.dims = dims;
    this.size = data.length;
  }
}

// A tensor at a byte offset of a memory.
export function tensorAt(Elements, memory, offset, ...dims) {
  const size = dims.reduce((product, dim) => product * dim, 1);
  return new Tensor(new Elements(memory, offset, size), dims);
}

export function zerosOf(Elements, ...dims) {
  return new Tensor(new Elements(dims.reduce((product, dim) => product * dim, 1)), dims);
}

export function constantOf(Elements, elements, ...dims) {
  return new Tensor(Elements.from(elements), dims);
}

export function viewOf(tensor, ...dims) {
  return new Tensor(tensor.data, dims);
}

// A tensor of BigInts as numbers.
export function numbersOf(tensor) {
  return new Tensor(Int64Elements.from(tensor.data, Number), tensor.dims);
}

export function fail(message) {
  throw new MithrilError("E1053", message);
}
