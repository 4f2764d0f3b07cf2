// What goes in and out of a model, its parameters and states.
import { MithrilError, sizeOf } from "./basics.js";

function inputError(code, message) {
  return new MithrilError(code, message, "InputError");
}

function isArrayLike(values) {
  return values !== null && typeof values === "object" && typeof values.length === "number";
}

const elementsOfDtype = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  bool: Uint8Array,
};

// An array that holds the elements of any tensor of this dtype as numbers.
function newElements(dtype, size) {
  return new (elementsOfDtype[dtype] ?? Float64Array)(size);
}

function namesOf(ports) {
  return ports.map((port) => port.name).join(", ");
}

// `description` has the ports with their places in the memory. `engine` computes: `memory()` is an
// ArrayBuffer, another one when it grows; the model begins `engine.start` bytes into it. The engine of
// a device has `compute` in place of `evaluate`, which is asynchronous. The model calls its `changed`
// with each port whose elements may change.
export class Model {
  #description;
  #engine;
  #buffer = null;
  #views = new Map();
  #loaded = new Set(); // data that loadStateDict gave

  constructor(description, engine) {
    this.#description = description;
    this.#engine = engine;
    this.name = description.name;
    this.inputs = this.#ports(description.inputs, "data");
    this.outputs = Object.freeze(description.outputs.filter((port) => !port.next).map(publicPort));
    this.parameters = this.#views_of(description.inputs.filter((p) => p.role === "parameter"));
    this.states = this.#views_of(description.inputs.filter((p) => p.role === "state"));
    this.resetStates();
  }

  // Computes the outputs, as new arrays. Returns a promise of them if the engine is that of a device.
  evaluate(data = {}) {
    if (this.#engine.compute) return this.#compute(data);
    this.#load(data);
    this.#engine.evaluate();
    return this.#outputs();
  }

  // Computes the outputs and the gradients of the parameters, as new arrays. The gradients that come
  // in at the outputs are those given, and zeros for the others. Without any, final_cost gets 1, or
  // the only output if it is a scalar.
  evaluateGradients(data = {}, outputGradients = undefined) {
    this.#differentiate(data, outputGradients);
    const gradients = {};
    for (const port of this.#description.gradients) gradients[port.name] = this.#read(port);
    return { outputs: this.#outputs(), gradients };
  }

  // Evaluates gradients and takes a step of the optimizer. Returns the outputs.
  trainStep(data, optimizer, outputGradients = undefined) {
    this.#differentiate(data, outputGradients);
    const gradients = {};
    for (const port of this.#description.gradients) gradients[port.name] = this.#elements(port);
    const outputs = this.#outputs();
    optimizer.step(gradients);
    return outputs;
  }

  // Copies weights into the parameters and states: arrays, or tensors as readSafetensors returns
  // them. Returns the names that fit nothing or lack something; with `strict` they are an error, and
  // the model stays unchanged.
  loadStateDict(weights, { strict = true } = {}) {
    const ports = this.#description.inputs;
    const report = { missing: [], unexpected: [], mismatched: [] };
    const found = new Map();
    for (const [key, value] of Object.entries(weights)) {
      const port = ports.find((each) => keysOf(each).includes(key));
      if (!port) report.unexpected.push(key);
      else found.set(port, value);
    }
    for (const port of ports) {
      const value = found.get(port);
      if (value === undefined) {
        if (port.role === "parameter") report.missing.push(port.name);
        continue;
      }
      const elements = value.data ?? value;
      const shape = value.shape ?? [elements.length];
      const fits = value.shape
        ? shape.length === port.shape.length && shape.every((dim, axis) => dim === port.shape[axis])
        : elements.length === sizeOf(port.shape);
      if (fits) continue;
      report.mismatched.push({ key: port.name, expected: [...port.shape], found: [...shape] });
      found.delete(port);
    }
    if (strict) refuseMisfits(report);
    for (const [port, value] of found) {
      this.#write(port, value.data ?? value);
      if (port.role === "data") this.#loaded.add(port);
    }
    return report;
  }

  // Copies of the parameters and states, as loadStateDict takes them.
  stateDict() {
    const weights = {};
    for (const port of this.#description.inputs) {
      if (port.role === "data") continue;
      const key = port.role === "state" ? `state:${port.name}` : port.name;
      weights[key] = { dtype: port.dtype, shape: [...port.shape], data: this.#elements(port).slice() };
    }
    return weights;
  }

  // Makes the states the initial ones.
  resetStates() {
    for (const port of this.#description.inputs)
      if (port.role === "state") this.#write(port, port.initial);
  }

  // Frees the memory. The model cannot be used after.
  dispose() {
    this.#engine.dispose?.();
    this.#views.clear();
    this.#buffer = null;
    this.#engine = disposedEngine;
  }

  async #compute(data) {
    this.#load(data);
    return this.#engine.compute(() => this.#outputs());
  }

  #ports(ports, role) {
    return Object.freeze(ports.filter((port) => port.role === role).map(publicPort));
  }

  // An object with a view for each port, which is made again when the memory grows.
  #views_of(ports) {
    const views = {};
    for (const port of ports) {
      Object.defineProperty(views, port.name, {
        enumerable: true,
        get: () => {
          this.#engine.changed?.(port);
          return this.#elements(port);
        },
      });
    }
    return Object.freeze(views);
  }

  #elements(port) {
    const buffer = this.#engine.memory();
    if (this.#buffer !== buffer) {
      this.#buffer = buffer;
      this.#views.clear();
    }
    let view = this.#views.get(port);
    if (!view) {
      const Ints = port.wide ? BigInt64Array : this.#engine.Int64Array;
      const Elements = elementsOfDtype[port.dtype] ?? Ints;
      view = new Elements(buffer, this.#engine.start + port.offset, sizeOf(port.shape));
      this.#views.set(port, view);
    }
    return view;
  }

  #load(data) {
    const ports = this.#description.inputs.filter((port) => port.role === "data");
    for (const key of Object.keys(data)) {
      if (ports.some((port) => port.name === key)) continue;
      throw inputError("E0802", `there is no data input '${key}'\n  known : ${namesOf(ports)}`);
    }
    for (const port of ports) {
      if (data[port.name] !== undefined) this.#write(port, data[port.name]);
      else if (!this.#loaded.has(port)) throw inputError("E0801", `data lacks '${port.name}'`);
    }
  }

  #write(port, values) {
    const to = this.#elements(port);
    this.#engine.changed?.(port);
    if (!isArrayLike(values))
      throw inputError("E0805", `'${port.name}' is not an array, expected one of ${port.dtype}`);
    if (values.length !== to.length) {
      const shape = `[${port.shape.join(", ")}]`;
      const sizes = `'${port.name}' has ${values.length} elements, expected ${to.length}`;
      throw inputError("E0804", `${sizes}: ${shape}`);
    }
    if (port.dtype.startsWith("int")) writeInts(port, to, values);
    else if (port.dtype === "bool") writeBools(port, to, values);
    else to.set(values);
  }

  #read(port) {
    const elements = this.#elements(port);
    const copy = newElements(port.dtype, elements.length);
    if (elements.constructor === copy.constructor) copy.set(elements);
    else elements.forEach((element, i) => (copy[i] = Number(element)));
    return copy;
  }

  // Also takes the next states over.
  #outputs() {
    const outputs = {};
    for (const port of this.#description.outputs)
      if (!port.next) outputs[port.name] = this.#read(port);
    for (const port of this.#description.outputs) {
      if (!port.next) continue;
      const state = this.#description.inputs.find((p) => p.role === "state" && p.name === port.name);
      this.#write(state, this.#elements(port));
    }
    return outputs;
  }

  #differentiate(data, outputGradients) {
    const ports = this.#description.outputGradients;
    if (!this.#engine.evaluateGradients || ports.length === 0)
      throw new MithrilError("E1053", `the model '${this.name}' has no gradients`);
    this.#load(data);
    for (const port of ports) this.#elements(port).fill(0); // they are floats
    if (outputGradients === undefined) {
      this.#elements(costOf(ports))[0] = 1;
    } else {
      for (const [key, values] of Object.entries(outputGradients)) {
        const port = ports.find((each) => each.name === key);
        if (!port) {
          const known = `\n  known : ${namesOf(ports)}`;
          throw inputError("E0807", `there is no output '${key}'${known}`);
        }
        this.#write(port, values);
      }
    }
    this.#engine.evaluateGradients();
  }
}

// The output to take the gradients of, if none is given.
function costOf(ports) {
  const scalars = ports.filter((port) => sizeOf(port.shape) === 1);
  const cost = scalars.find((port) => port.name === "final_cost");
  if (cost || (scalars.length === 1 && ports.length === 1)) return cost ?? scalars[0];
  const expected = "expected a scalar final_cost, or one output that is a scalar";
  throw inputError("E0808", `there is no output to take the gradients of: ${expected}`);
}

function publicPort({ name, dtype, shape }) {
  return Object.freeze({ name, dtype, shape: Object.freeze([...shape]) });
}

// The names of a port's weights. Mithril saves states with a prefix. In inference they are data.
function keysOf(port) {
  if (port.role === "data") return [`state:${port.name}`];
  return port.role === "state" ? [port.name, `state:${port.name}`] : [port.name];
}

// Whether the whole number is an int of so many bits.
function fitsIn(value, bits) {
  if (typeof value === "bigint") return BigInt.asIntN(bits, value) === value;
  return value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1);
}

function writeInts(port, to, values) {
  const isBig = to instanceof BigInt64Array;
  const bits = to instanceof Int32Array ? 32 : 64;
  for (let i = 0; i < to.length; ++i) {
    const value = typeof values[i] === "bigint" ? values[i] : Number(values[i]);
    if (typeof value === "number" && !Number.isInteger(value))
      throw inputError("E0805", `'${port.name}' has ${values[i]}, expected a whole number`);
    if (!fitsIn(value, bits))
      throw inputError("E0805", `'${port.name}' has ${value}, expected an int of ${bits} bits`);
    to[i] = isBig ? BigInt(value) : Number(value);
  }
}

// Bools, or numbers that are 0 or 1.
function writeBools(port, to, values) {
  for (let i = 0; i < to.length; ++i) {
    const number = Number(values[i]);
    if (number !== 0 && number !== 1)
      throw inputError("E0805", `'${port.name}' has ${values[i]}, expected 0 or 1`);
    to[i] = number;
  }
}

function refuseMisfits({ missing, unexpected, mismatched }) {
  if (missing.length + unexpected.length + mismatched.length === 0) return;
  const shapes = mismatched.map(
    ({ key, expected, found }) => `${key} [${found.join(", ")}], expected [${expected.join(", ")}]`,
  );
  const lines = [
    ...missing.map((key) => `\n  missing    : ${key}`),
    ...shapes.map((text) => `\n  mismatched : ${text}`),
    ...unexpected.map((key) => `\n  unexpected : ${key}`),
  ];
  const text = "the state dict does not fit the model" + lines.join("");
  throw new MithrilError("E0901", text, "StateError");
}

const disposedEngine = {
  memory() {
    throw new MithrilError("E1053", "the model is disposed of");
  },
};
