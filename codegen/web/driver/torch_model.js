// A driver for pipelines of language models: a byte-level model in a Mithril package generates text.
import { zipEntries } from "./zip.js";

export class LMError extends Error {
  constructor(message, { cause = undefined } = {}) {
    super(message, { cause });
    this.name = "LMError";
    this.cause = cause;
  }
}

const devices = ["cpu", "webgl", "webgpu"];

// Another device is never used in place of the one that was asked for.
function checkDevice(device) {
  if (!devices.includes(device))
    throw new LMError(`there is no device '${device}', expected one of ${devices.join(", ")}`);
  if (device !== "cpu")
    throw new LMError(`the device '${device}' is not available: this driver runs models on 'cpu'`);
}

function checkNumber(name, value, isRight, expected) {
  if (typeof value === "number" && isRight(value)) return;
  throw new LMError(`${name} is ${value}, expected ${expected}`);
}

// The URL of an address, or in Node of a path.
async function addressOf(path) {
  if (/^[a-z][a-z+.-]+:/i.test(path)) return new URL(path);
  if (typeof document === "object") return new URL(path, document.baseURI);
  const { pathToFileURL } = await import("node:url");
  return new URL(pathToFileURL(path));
}

async function bytesAt(url) {
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return new Uint8Array(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function checksum(bytes) {
  const crypto = globalThis.crypto?.subtle ?? (await import("node:crypto")).webcrypto.subtle;
  const digest = new Uint8Array(await crypto.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// The files of a package in a folder.
class Folder {
  constructor(address) {
    this.address = address;
  }

  read(name) {
    return bytesAt(new URL(name, this.address));
  }

  load(name) {
    return import(new URL(name, this.address).href);
  }
}

// The files of a package in a .zip file.
class Archive {
  constructor(entries) {
    this.entries = entries;
  }

  async read(name) {
    const bytes = this.entries.get(name);
    if (!bytes) throw new Error(`there is no file ${name}`);
    return bytes;
  }

  // Engines keep modules by address. The text is the address here, so that loading it again adds no
  // module.
  async load(name) {
    const text = new TextDecoder().decode(await this.read(name));
    return import(`data:text/javascript;charset=utf-8,${encodeURIComponent(text)}`);
  }
}

async function sourceOf(path) {
  const address = await addressOf(path);
  if (address.pathname.endsWith(".zip")) return new Archive(zipEntries(await bytesAt(address)));
  if (!address.pathname.endsWith("/")) address.pathname += "/";
  return new Folder(address);
}

// The files of a package by name. Each file but metadata.json is compared with its checksum.
class PackageFiles {
  constructor(source, metadata) {
    this.source = source;
    this.files = metadata.files;
  }

  static async open(path) {
    const source = await sourceOf(path);
    const metadata = JSON.parse(new TextDecoder().decode(await source.read("metadata.json")));
    if (metadata.format_version !== 1)
      throw new LMError(`the package has the format ${metadata.format_version}, expected 1`);
    return new PackageFiles(source, metadata);
  }

  has(name) {
    return name in this.files;
  }

  async read(name) {
    if (!this.has(name)) throw new LMError(`the package lacks the file ${name}`);
    const bytes = await this.source.read(name);
    if ((await checksum(bytes)) !== this.files[name].sha256)
      throw new LMError(`the file ${name} does not match its checksum`);
    return bytes;
  }

  async load(name) {
    await this.read(name);
    return this.source.load(name);
  }
}

// The module that runs the model: WebAssembly where the engine has it, otherwise JavaScript. Both
// compute on the CPU.
async function moduleOf(files) {
  const [wasm, javascript] = ["wasm", "javascript"].map((name) => `backends/${name}/model.mjs`);
  const failures = [];
  for (const name of [wasm, javascript].filter((each) => files.has(each))) {
    try {
      const module = await files.load(name);
      const given = name === wasm ? { wasm: await files.read("backends/wasm/model.wasm") } : {};
      return { module, model: await module.createModel(given) };
    } catch (error) {
      if (error.code !== "E1045") throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  throw new LMError(`the package has neither ${wasm} nor ${javascript}`);
}

// What TorchModelConfig's architecture says must be what the package says.
function checkArchitecture(architecture, sizes) {
  for (const [key, value] of Object.entries(architecture)) {
    const found = sizes[key];
    if (found === value) continue;
    throw new LMError(`architecture.${key} is ${value}, and the model has ${found ?? "no such size"}`);
  }
}

export class TorchModel {
  #config;
  #model = null;

  constructor({ modelPath = undefined, deviceType = "cpu", architecture = {} } = {}) {
    this.#config = { modelPath, deviceType, architecture };
  }

  // Loads the package. LMError if the device is not available, or the package cannot be used.
  async init() {
    const { modelPath, deviceType, architecture } = this.#config;
    checkDevice(deviceType);
    if (typeof modelPath !== "string")
      throw new LMError("modelPath is needed: the folder or .zip file of a package");
    this.cleanup();
    try {
      const files = await PackageFiles.open(modelPath);
      const info = JSON.parse(new TextDecoder().decode(await files.read("model_info.json")));
      checkArchitecture(architecture, info.sizes ?? {});
      const { module, model } = await moduleOf(files);
      model.loadStateDict(module.readSafetensors(await files.read("model.safetensors")));
      this.#model = new ByteModel(model);
    } catch (error) {
      if (error instanceof LMError) throw error;
      const text = `the model at '${modelPath}' cannot be loaded: ${error.message}`;
      throw new LMError(text, { cause: error });
    }
  }

  // The text that follows the prompt: at most maxTokens bytes, up to the first stop sequence.
  // Temperature 0 always takes the most probable byte. The same seed gives the same text.
  async generate(prompt, options = {}) {
    const {
      maxTokens = 64, temperature = 1, topP = 1, stopSequences = [], seed = undefined,
    } = options;
    if (!this.#model) throw new LMError("the model is not loaded: call init() first");
    if (typeof prompt !== "string") throw new LMError(`the prompt is no text but ${prompt}`);
    checkNumber("maxTokens", maxTokens, (x) => Number.isInteger(x) && x >= 0, "a whole number");
    checkNumber("temperature", temperature, (x) => x >= 0 && x < Infinity, "a number from 0 on");
    checkNumber("topP", topP, (x) => x > 0 && x <= 1, "a number above 0 up to 1");
    const random = seed === undefined ? Math.random : randomNumbers(seed);
    const bytes = Array.from(new TextEncoder().encode(prompt));
    const made = [];
    for (let count = 0; count < maxTokens; ++count) {
      const byte = choose(this.#model.logits([...bytes, ...made]), temperature, topP, random);
      made.push(byte);
      const text = new TextDecoder().decode(Uint8Array.from(made));
      const stops = stopSequences.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
      if (stops.length > 0) return text.slice(0, Math.min(...stops));
      await new Promise((resolve) => setTimeout(resolve)); // lets the page live
      if (!this.#model) throw new LMError("the model was cleaned up while it generated");
    }
    return new TextDecoder().decode(Uint8Array.from(made));
  }

  // Frees the memory of the model. init() loads it again.
  cleanup() {
    this.#model?.dispose();
    this.#model = null;
  }
}

// A model of the bytes 0 to 255: it takes tokens [1, length] and returns logits [1, length, 256].
class ByteModel {
  constructor(model) {
    const [input] = model.inputs;
    const [output] = model.outputs;
    const fits = model.inputs.length === 1 && input.dtype.startsWith("int");
    if (!fits || output.shape.at(-1) !== 256)
      throw new LMError("the model does not map one sequence of bytes to logits of 256 bytes");
    this.model = model;
    this.input = input.name;
    this.output = output.name;
    this.length = input.shape.at(-1);
  }

  // For the byte after these, of which the last ones count. An empty text begins a line.
  logits(bytes) {
    const given = bytes.length === 0 ? [10] : bytes.slice(-this.length);
    const tokens = new Int32Array(this.length);
    tokens.set(given);
    const logits = this.model.evaluate({ [this.input]: tokens })[this.output];
    return logits.subarray((given.length - 1) * 256, given.length * 256);
  }

  dispose() {
    this.model.dispose();
  }
}

// A byte by its probability, among the most probable ones that together have topP.
function choose(logits, temperature, topP, random) {
  const order = Array.from(logits, (_, byte) => byte).sort((a, b) => logits[b] - logits[a]);
  if (temperature === 0) return order[0];
  const top = logits[order[0]];
  const weights = order.map((byte) => Math.exp((logits[byte] - top) / temperature));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let kept = 0;
  let mass = 0;
  while (kept < order.length && (kept === 0 || mass < topP * whole)) mass += weights[kept++];
  let left = random() * mass;
  for (let i = 0; i < kept; ++i) {
    left -= weights[i];
    if (left < 0) return order[i];
  }
  return order[kept - 1];
}

// Numbers from 0 to 1 that only depend on the seed (mulberry32).
function randomNumbers(seed) {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

function arrayOf(dtype) {
  const Elements = arrays[dtype];
  if (Elements) return Elements;
  throw new LMError(`there is no dtype '${dtype}', expected one of ${Object.keys(arrays).join(", ")}`);
}

export const TorchUtils = Object.freeze({
  createTensor(data, shape, { dtype = "float32", device = "cpu" } = {}) {
    checkDevice(device);
    const size = shape.reduce((product, dim) => product * dim, 1);
    if (data.length !== size)
      throw new LMError(`${data.length} elements do not fill the shape [${shape.join(", ")}]`);
    return { data: arrayOf(dtype).from(data), shape: [...shape], dtype, device };
  },

  toDevice(tensor, device) {
    checkDevice(device);
    return { ...tensor, device };
  },

  extractTensorData(tensor) {
    return tensor.data.slice();
  },

  calculateTensorMemory(shape, dtype = "float32") {
    const size = shape.reduce((product, dim) => product * dim, 1);
    return size * arrayOf(dtype).BYTES_PER_ELEMENT;
  },
});
