// Packages of Mithril: their files, and the module that runs their model.
import { checkArchitecture } from "./architecture.js";
import { LMError } from "./errors.js";
import { bytesAt } from "./files.js";
import { zipEntries } from "./zip.js";

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

async function sourceOf(address) {
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

  static async open(address) {
    const source = await sourceOf(address);
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

// The model of the package at an address.
export async function packageModel(address, architecture) {
  const files = await PackageFiles.open(address);
  const info = JSON.parse(new TextDecoder().decode(await files.read("model_info.json")));
  checkArchitecture(architecture, info.sizes ?? {});
  const { module, model } = await moduleOf(files);
  model.loadStateDict(module.readSafetensors(await files.read("model.safetensors")));
  return new ByteModel(model);
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

  get writesText() {
    return true;
  }

  // For the byte after these, of which the last ones count.
  logits(bytes) {
    const given = bytes.slice(-this.length);
    const tokens = new Int32Array(this.length);
    tokens.set(given);
    const logits = this.model.evaluate({ [this.input]: tokens })[this.output];
    return logits.subarray((given.length - 1) * 256, given.length * 256);
  }

  dispose() {
    this.model.dispose();
  }
}

