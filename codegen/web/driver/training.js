// Trains a language model on a text, or on tokens.
import { Adam, SGD } from "../optimizers.js";
import { LMError, check, isCount, isSeed, optionsOf, shown } from "./errors.js";
import { randomNumbers } from "./sampling.js";

const optimizers = { adam: Adam, sgd: SGD };

const trainingDefaults = {
  steps: 100, batchSize: 8, learningRate: 0.003, optimizer: "adam", seed: undefined,
  onStep: undefined,
};

function optionsOfTraining(given) {
  const options = optionsOf("train()", given, trainingDefaults);
  const { steps, batchSize, learningRate, optimizer, seed, onStep } = options;
  check("steps", steps, isCount, "a whole number from 1 on");
  check("batchSize", batchSize, isCount, "a whole number from 1 on");
  const isRate = (rate) => typeof rate === "number" && rate > 0 && rate < Infinity;
  check("learningRate", learningRate, isRate, "a number above 0");
  const known = Object.keys(optimizers).join(", ");
  check("optimizer", optimizer, (name) => Object.hasOwn(optimizers, name), `one of ${known}`);
  check("seed", seed, isSeed, "a whole number");
  const isCall = (call) => call === undefined || typeof call === "function";
  check("onStep", onStep, isCall, "a function");
  return options;
}

// The bytes of a text, or the tokens of an array.
function tokensOf(data, network) {
  const { inputSize, outputSize } = network.sizes;
  if (typeof data === "string" && !network.writesText) {
    const sizes = `inputSize ${inputSize} and outputSize ${outputSize}`;
    throw new LMError(`a network of ${sizes} learns arrays of tokens; texts need 256 of both`);
  }
  const isData = typeof data === "string" || Array.isArray(data) || ArrayBuffer.isView(data);
  if (!isData)
    throw new LMError(`the data is ${shown(data)}, expected a text or an array of tokens`);
  const tokens = typeof data === "string" ? new TextEncoder().encode(data) : data;
  if (!(tokens.length >= 2))
    throw new LMError(`the data has ${tokens.length} tokens, expected at least 2`);
  const end = Math.min(inputSize, outputSize);
  for (let i = 0; i < tokens.length; ++i) {
    const isToken = (token) => Number.isInteger(token) && token >= 0 && token < end;
    check(`token ${i} of the data`, tokens[i], isToken, `a whole number below ${end}`);
  }
  return tokens;
}

// Windows of the tokens, each with the tokens that follow its own ones.
function batchOf(tokens, length, batchSize, random) {
  const inputs = new Int32Array(batchSize * length);
  const targets = new Int32Array(batchSize * length);
  for (let row = 0; row < batchSize; ++row) {
    const start = Math.floor(random() * (tokens.length - length));
    for (let i = 0; i < length; ++i) {
      inputs[row * length + i] = tokens[start + i];
      targets[row * length + i] = tokens[start + i + 1];
    }
  }
  return { inputs, targets };
}

// Returns the loss of each step. `pause` returns a promise, so that the page lives between steps.
export async function trainNetwork(network, data, given, pause) {
  const options = optionsOfTraining(given);
  const tokens = tokensOf(data, network);
  const length = Math.min(network.sizes.contextLength, tokens.length - 1);
  const random = randomNumbers(options.seed);
  const { learningRate } = options;
  const optimizer = new optimizers[options.optimizer](network, { learningRate });
  const losses = [];
  for (let step = 0; step < options.steps; ++step) {
    const { inputs, targets } = batchOf(tokens, length, options.batchSize, random);
    const { loss, gradients } = network.lossAndGradients(inputs, targets, length);
    optimizer.step(gradients);
    losses.push(loss);
    options.onStep?.({ step, loss });
    await pause();
  }
  return losses;
}
