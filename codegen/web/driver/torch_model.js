// A driver for pipelines of language models: the model of a package, or a network of the driver, which
// can be trained.
import { readSafetensors, writeSafetensors } from "../safetensors.js";
import { checkArchitecture, sizesOf, sizesOfWeights } from "./architecture.js";
import { LMError, check, checkDevice, isObject, isSeed, isWhole, optionsOf } from "./errors.js";
import { shown } from "./errors.js";
import { addressOf, bytesAt } from "./files.js";
import { LanguageModel } from "./language_model.js";
import { packageModel } from "./package.js";
import { choose, randomNumbers } from "./sampling.js";
import { trainNetwork } from "./training.js";

const configDefaults = {
  modelPath: undefined, weights: undefined, architecture: undefined, deviceType: "cpu",
  seed: undefined,
};

const generationDefaults = {
  maxTokens: 64, temperature: 1, topP: 1, stopSequences: [], seed: undefined,
};

function optionsOfGeneration(given) {
  const options = optionsOf("generate()", given, generationDefaults);
  const isNumber = (isRight) => (value) => typeof value === "number" && isRight(value);
  check("maxTokens", options.maxTokens, isWhole, "a whole number");
  const isTemperature = isNumber((x) => x >= 0 && x < Infinity);
  check("temperature", options.temperature, isTemperature, "a number from 0 on");
  check("topP", options.topP, isNumber((x) => x > 0 && x <= 1), "a number above 0 up to 1");
  const isStop = (stop) => typeof stop === "string" && stop !== "";
  const areStops = (stops) => Array.isArray(stops) && stops.every(isStop);
  check("stopSequences", options.stopSequences, areStops, "an array of texts that are not empty");
  check("seed", options.seed, isSeed, "a whole number");
  return options;
}

const pause = () => new Promise((resolve) => setTimeout(resolve)); // lets the page live

function logitsOf(model, bytes) {
  try {
    return model.logits(bytes);
  } catch (error) {
    throw errorOf("the model cannot be evaluated", error);
  }
}

const textOf = (bytes) => new TextDecoder().decode(Uint8Array.from(bytes));

// The network of a file of its weights.
function networkOf(bytes, architecture) {
  const weights = readSafetensors(bytes);
  const sizes = sizesOfWeights(weights);
  checkArchitecture(architecture, sizes);
  const copy = ([name, { data }]) => [name, Float32Array.from(data)];
  return new LanguageModel(sizes, Object.fromEntries(Object.entries(weights).map(copy)));
}

function newNetwork(architecture, seed) {
  const sizes = sizesOf(architecture);
  try {
    return LanguageModel.random(sizes, randomNumbers(seed));
  } catch (error) {
    throw errorOf(`the network of architecture ${shown(sizes)} cannot be made`, error);
  }
}

async function modelAt(path, architecture) {
  const address = await addressOf(path);
  if (address.pathname.endsWith(".safetensors"))
    return networkOf(await bytesAt(address), architecture);
  return packageModel(address, architecture);
}

// The same error, or an LMError with it as the cause.
function errorOf(text, error) {
  if (error instanceof LMError) return error;
  return new LMError(`${text}: ${error?.message ?? error}`, error);
}

export class TorchModel {
  #config;
  #model = null;
  #isTraining = false;

  constructor(config = {}) {
    this.#config = config;
  }

  // Loads the model, or makes a network of random weights. LMError if an option is wrong, the
  // device is not available, or the model cannot be used.
  async init() {
    const config = optionsOf("TorchModel", this.#config, configDefaults);
    const { modelPath, weights, architecture, deviceType, seed } = config;
    checkDevice("deviceType", deviceType);
    const isPath = (path) => path === undefined || (typeof path === "string" && path !== "");
    check("modelPath", modelPath, isPath, "a path or an address");
    const areBytes = (bytes) => bytes instanceof ArrayBuffer || bytes instanceof Uint8Array;
    check("weights", weights, (bytes) => bytes === undefined || areBytes(bytes), "a Uint8Array");
    const areSizes = (sizes) => sizes === undefined || isObject(sizes);
    check("architecture", architecture, areSizes, "an object");
    check("seed", seed, isSeed, "a whole number");
    this.#free();
    if (modelPath !== undefined && weights !== undefined)
      throw new LMError(`modelPath is '${modelPath}', and weights are given: expected one of both`);
    const given = architecture ?? {};
    if (modelPath !== undefined) {
      this.#model = await modelAt(modelPath, given).catch((error) => {
        throw errorOf(`the model at '${modelPath}' cannot be loaded`, error);
      });
    } else if (weights !== undefined) {
      try {
        this.#model = networkOf(weights, given);
      } catch (error) {
        throw errorOf("the weights cannot be loaded", error);
      }
    } else if (architecture !== undefined) {
      this.#model = newNetwork(architecture, seed);
    } else {
      throw new LMError(
        "modelPath or architecture is needed: a package or weights, or the sizes of a new network",
      );
    }
  }

  // The text that follows the prompt: at most maxTokens bytes, up to the first stop sequence.
  // Temperature 0 always takes the most probable byte. The same seed gives the same text. A network
  // that does not write bytes returns the logits of the token after the prompt, as text.
  async generate(prompt, options = {}) {
    const model = this.#loaded();
    if (typeof prompt !== "string") throw new LMError(`the prompt is not a text but ${shown(prompt)}`);
    const { maxTokens, temperature, topP, stopSequences, seed } = optionsOfGeneration(options);
    const random = randomNumbers(seed);
    const bytes = Array.from(new TextEncoder().encode(prompt));
    if (bytes.length === 0) bytes.push(10); // an empty text begins a line
    if (!model.writesText) {
      const logits = logitsOf(model, bytes);
      return `Torch model output (shape: 1x${logits.length}, values: ${logits.join(", ")})`;
    }
    const made = [];
    for (let count = 0; count < maxTokens; ++count) {
      const byte = choose(logitsOf(model, [...bytes, ...made]), temperature, topP, random);
      made.push(byte);
      const text = textOf(made);
      const stops = stopSequences.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
      if (stops.length > 0) return text.slice(0, Math.min(...stops));
      await pause();
      this.#checkKept(model, "generated");
    }
    return textOf(made);
  }

  // Trains a network on a text or an array of tokens. Returns the loss of each step.
  async train(data, options = {}) {
    const model = this.#loaded();
    if (!(model instanceof LanguageModel))
      throw new LMError("the model of a package cannot be trained, only a network of the driver");
    if (this.#isTraining) throw new LMError("the model is being trained: await train() first");
    this.#isTraining = true;
    try {
      const losses = await trainNetwork(model, data, options, async () => {
        await pause();
        this.#checkKept(model, "was trained");
      });
      return { losses };
    } finally {
      this.#isTraining = false;
    }
  }

  // The weights of a network as a .safetensors file, and in Node also at a path.
  async save(path = undefined) {
    const model = this.#loaded();
    if (!(model instanceof LanguageModel))
      throw new LMError("the model of a package cannot be saved, only a network of the driver");
    const bytes = writeSafetensors(model.stateDict());
    if (path === undefined) return bytes;
    const isFile = (name) => typeof name === "string" && name.endsWith(".safetensors");
    check("path", path, isFile, "the path of a .safetensors file");
    try {
      const { writeFile } = await import("node:fs/promises");
      await writeFile(path, bytes);
    } catch (error) {
      throw errorOf(`'${path}' cannot be written`, error);
    }
    return bytes;
  }

  // Frees the memory of the model. init() loads it again, or makes a new network.
  async cleanup() {
    this.#free();
  }

  #free() {
    this.#model?.dispose();
    this.#model = null;
  }

  #loaded() {
    if (!this.#model) throw new LMError("the model is not loaded: call init() first");
    return this.#model;
  }

  #checkKept(model, did) {
    if (this.#model !== model) throw new LMError(`the model was cleaned up while it ${did}`);
  }
}
