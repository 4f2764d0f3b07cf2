// The kernels of a model, which are recorded once and run by each evaluation.

// A tensor in the buffer of this key. `type`: "f32", "i32", or "u32" for bools.
export class GpuTensor {
  constructor(program, type, key, dims) {
    this.program = program;
    this.type = type;
    this.key = key;
    this.dims = dims;
    this.size = dims.reduce((product, dim) => product * dim, 1);
  }
}

const arrayOfType = { f32: Float32Array, i32: Int32Array, u32: Uint32Array };

export class GpuProgram {
  kernels = []; // { code, written, keys, groups }
  bytes = new Map(); // of each buffer, by key
  constants = new Map(); // arrays, by key
  failures = []; // messages; a kernel that fails writes the number of one, from 1 on

  // Tensors of equal keys share a buffer.
  tensor(type, key, dims) {
    const tensor = new GpuTensor(this, type, key, dims);
    if (tensor.size === 0) tensor.key = "empty";
    this.bytes.set(tensor.key, Math.max(this.bytes.get(tensor.key) ?? 4, 4 * tensor.size));
    return tensor;
  }

  constant(type, elements, dims) {
    const key = `constant ${this.constants.size}`;
    const tensor = this.tensor(type, key, dims);
    if (tensor.size > 0) this.constants.set(key, arrayOfType[type].from(elements));
    return tensor;
  }

  // Memory within one op. Ops run one after the other and share it.
  scratch(type, dims) {
    return this.tensor(type, "scratch", dims);
  }

  // The flag that kernels set where they fail, and the number that means this message.
  failure(message) {
    if (!this.failures.includes(message)) this.failures.push(message);
    return { flag: this.tensor("u32", "failure", [1]), number: this.failures.indexOf(message) + 1 };
  }
}
