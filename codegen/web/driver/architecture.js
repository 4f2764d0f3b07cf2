// The sizes of a network, as the option `architecture` states them.
import { LMError, check, isCount, optionsOf, shown } from "./errors.js";

const sizeDefaults = {
  inputSize: undefined, hiddenSize: undefined, outputSize: undefined, numLayers: 1,
  contextLength: 64,
};

const mostLayers = 1000;

// All sizes of a new network.
export function sizesOf(architecture) {
  const sizes = optionsOf("architecture", architecture, sizeDefaults);
  for (const [key, value] of Object.entries(sizes))
    check(`architecture.${key}`, value, isCount, "a whole number from 1 on");
  const isDepth = (count) => count <= mostLayers;
  check("architecture.numLayers", sizes.numLayers, isDepth, `at most ${mostLayers}`);
  return sizes;
}

// What the architecture says must be what the model has.
export function checkArchitecture(architecture, sizes) {
  for (const [key, value] of Object.entries(architecture)) {
    const found = Object.hasOwn(sizes, key) ? sizes[key] : undefined;
    if (value === undefined || found === value) continue;
    const has = found ?? "no such size";
    throw new LMError(`architecture.${key} is ${shown(value)}, and the model has ${has}`);
  }
}

// The shape of each parameter of the network.
export function parameterShapes({ inputSize, hiddenSize, outputSize, numLayers, contextLength }) {
  const shapes = {
    "tokens.weight": [inputSize, hiddenSize],
    "positions.weight": [contextLength, hiddenSize],
  };
  const addNorm = (name) => {
    shapes[`${name}.weight`] = [hiddenSize];
    shapes[`${name}.bias`] = [hiddenSize];
  };
  const addLinear = (name, outputs, inputs) => {
    shapes[`${name}.weight`] = [outputs, inputs];
    shapes[`${name}.bias`] = [outputs];
  };
  for (let i = 0; i < numLayers; ++i) {
    addNorm(`blocks.${i}.norm1`);
    addLinear(`blocks.${i}.attention`, 3 * hiddenSize, hiddenSize);
    addLinear(`blocks.${i}.projection`, hiddenSize, hiddenSize);
    addNorm(`blocks.${i}.norm2`);
    addLinear(`blocks.${i}.up`, 4 * hiddenSize, hiddenSize);
    addLinear(`blocks.${i}.down`, hiddenSize, 4 * hiddenSize);
  }
  addNorm("norm");
  addLinear("head", outputSize, hiddenSize);
  return shapes;
}

// The sizes of the network that has these weights, by name. LMError if no network has them.
export function sizesOfWeights(weights) {
  const dim = (name, axis) => {
    const size = weights[name]?.shape?.[axis];
    if (isCount(size)) return size;
    throw new LMError(`the weights are of no network of this driver: '${name}' is missing`);
  };
  dim("blocks.0.norm1.weight", 0);
  let numLayers = 0;
  while (`blocks.${numLayers}.norm1.weight` in weights) ++numLayers;
  const sizes = {
    inputSize: dim("tokens.weight", 0),
    hiddenSize: dim("tokens.weight", 1),
    outputSize: dim("head.weight", 0),
    numLayers,
    contextLength: dim("positions.weight", 0),
  };
  const shapes = parameterShapes(sizes);
  for (const [name, { dtype, shape }] of Object.entries(weights)) {
    const expected = Object.hasOwn(shapes, name) ? `float32 ${shown(shapes[name])}` : "none";
    const found = `${dtype} ${shown(shape)}`;
    if (found === expected) continue;
    throw new LMError(`the weight '${name}' is ${found}, expected ${expected}`);
  }
  for (const name of Object.keys(shapes)) dim(name, 0);
  return sizes;
}
