// A language model of tokens: its logits, and the gradients of its loss.
//
//     x = tokens[token] + positions[position]
//     x = x + projection(attend(attention(norm1(x))))    in each block
//     x = x + down(gelu(up(norm2(x))))
//     logits = head(norm(x))
import { erf } from "../../javascript/kernels/error_function.js";
import { gemm } from "../../javascript/kernels/gemm.js";
import { layer_norm } from "../../javascript/kernels/layer_norm.js";
import { layer_norm_grad } from "../../javascript/kernels/layer_norm_grad.js";
import { linear } from "../../javascript/kernels/linear.js";
import { Tensor } from "../../javascript/kernels/tensor.js";
import { sizeOf } from "../basics.js";
import { parameterShapes } from "./architecture.js";
import { attend } from "./attention_heads.js";
import { normalNumber } from "./sampling.js";

const epsilonOfNorms = 1e-5;

function zeros(...dims) {
  return new Tensor(new Float32Array(sizeOf(dims)), dims);
}

function added(a, b) {
  return new Tensor(a.data.map((element, i) => element + b.data[i]), a.dims);
}

function geluOf(x) {
  const output = new Tensor(x.data.map((z) => 0.5 * z * (1 + erf(z * Math.SQRT1_2))), x.dims);
  const gradient = (grad) => {
    const slope = (z) =>
      0.5 * (1 + erf(z * Math.SQRT1_2)) + (z * Math.exp(-0.5 * z * z)) / Math.sqrt(2 * Math.PI);
    return new Tensor(grad.data.map((element, i) => element * slope(x.data[i])), x.dims);
  };
  return [output, gradient];
}

// Layers map a tensor [rows, width] to [output, gradient]. gradient(grad) takes the gradient of the
// output, writes those of the parameters, and returns that of the input.
class Layers {
  constructor(parameters) {
    this.parameters = parameters;
    this.gradients = {};
  }

  linear(name, x) {
    const [weight, bias] = [this.parameters[`${name}.weight`], this.parameters[`${name}.bias`]];
    const [outputs, inputs] = weight.dims;
    const rows = x.dims[0];
    const output = zeros(rows, outputs);
    linear(output, x, weight, bias);
    const gradient = (grad) => {
      const [inputGrad, weightGrad] = [zeros(rows, inputs), zeros(outputs, inputs)];
      const biasGrad = new Float64Array(outputs);
      for (let i = 0; i < grad.data.length; ++i) biasGrad[i % outputs] += grad.data[i];
      const matrix = (tensor, row, column) => ({ data: tensor.data, start: 0, row, column });
      const to = (tensor) => matrix(tensor, inputs, 1);
      gemm(outputs, inputs, rows, matrix(grad, 1, outputs), to(x), to(weightGrad));
      gemm(rows, inputs, outputs, matrix(grad, outputs, 1), to(weight), to(inputGrad));
      this.gradients[`${name}.weight`] = weightGrad.data;
      this.gradients[`${name}.bias`] = Float32Array.from(biasGrad);
      return inputGrad;
    };
    return [output, gradient];
  }

  norm(name, x) {
    const [weight, bias] = [this.parameters[`${name}.weight`], this.parameters[`${name}.bias`]];
    const [rows, width] = x.dims;
    const [output, mean, rstd] = [zeros(rows, width), zeros(rows), zeros(rows)];
    layer_norm(output, mean, rstd, x, weight, bias, epsilonOfNorms);
    const gradient = (grad) => {
      const [inputGrad, weightGrad, biasGrad] = [zeros(rows, width), zeros(width), zeros(width)];
      layer_norm_grad(inputGrad, weightGrad, biasGrad, grad, x, mean, rstd, weight);
      this.gradients[`${name}.weight`] = weightGrad.data;
      this.gradients[`${name}.bias`] = biasGrad.data;
      return inputGrad;
    };
    return [output, gradient];
  }

  // Row number r is the position r % length.
  embedding(tokens, length) {
    const [words, places] = [this.parameters["tokens.weight"], this.parameters["positions.weight"]];
    const width = words.dims[1];
    const output = zeros(tokens.length, width);
    const visit = (action) => {
      for (let row = 0; row < tokens.length; ++row) {
        const [word, place] = [tokens[row] * width, (row % length) * width];
        for (let j = 0; j < width; ++j) action(row * width + j, word + j, place + j);
      }
    };
    visit((at, word, place) => (output.data[at] = words.data[word] + places.data[place]));
    const gradient = (grad) => {
      const [wordGrad, placeGrad] = [zeros(...words.dims), zeros(...places.dims)];
      visit((at, word, place) => {
        wordGrad.data[word] += grad.data[at];
        placeGrad.data[place] += grad.data[at];
      });
      this.gradients["tokens.weight"] = wordGrad.data;
      this.gradients["positions.weight"] = placeGrad.data;
    };
    return [output, gradient];
  }
}

// layers[i](x) in order.
function chained(x, layers) {
  const gradients = [];
  for (const layer of layers) {
    const [output, gradient] = layer(x);
    gradients.unshift(gradient);
    x = output;
  }
  return [x, (grad) => gradients.reduce((each, gradient) => gradient(each), grad)];
}

// x + the result of the layers.
function residual(x, layers) {
  const [change, gradient] = chained(x, layers);
  return [added(x, change), (grad) => added(grad, gradient(grad))];
}

// The mean cross entropy of the targets. Replaces the logits by their gradient.
function lossAndGradient(logits, targets) {
  const [rows, classes] = logits.dims;
  let loss = 0;
  for (let row = 0; row < rows; ++row) {
    const scores = logits.data.subarray(row * classes, (row + 1) * classes);
    const top = scores.reduce((largest, score) => Math.max(largest, score), -Infinity);
    const sum = scores.reduce((total, score) => total + Math.exp(score - top), 0);
    loss += top + Math.log(sum) - scores[targets[row]];
    for (let j = 0; j < classes; ++j) {
      const probability = Math.exp(scores[j] - top) / sum;
      scores[j] = (probability - (j === targets[row] ? 1 : 0)) / rows;
    }
  }
  return loss / rows;
}

export class LanguageModel {
  #tensors = {};

  // `weights` are Float32Arrays by name.
  constructor(sizes, weights) {
    this.sizes = sizes;
    this.parameters = weights; // as optimizers take them
    for (const [name, shape] of Object.entries(parameterShapes(sizes)))
      this.#tensors[name] = new Tensor(weights[name], shape);
  }

  // Matrices are normal numbers of the variance 1 / columns, biases zeros, factors of norms ones.
  static random(sizes, random) {
    const weights = {};
    for (const [name, shape] of Object.entries(parameterShapes(sizes))) {
      const elements = new Float32Array(sizeOf(shape));
      const deviation = 1 / Math.sqrt(shape.at(-1));
      if (shape.length === 2)
        for (let i = 0; i < elements.length; ++i) elements[i] = deviation * normalNumber(random);
      else if (name.endsWith(".weight")) elements.fill(1);
      weights[name] = elements;
    }
    return new LanguageModel(sizes, weights);
  }

  // Whether it reads and writes bytes.
  get writesText() {
    return this.sizes.inputSize >= 256 && this.sizes.outputSize >= 256;
  }

  // For the token after these bytes, of which the last ones count. Of a text, logits of 256 bytes.
  logits(bytes) {
    const { inputSize, contextLength, outputSize } = this.sizes;
    const tokens = bytes.slice(-contextLength).map((byte) => byte % inputSize);
    const layers = new Layers(this.#tensors);
    const [x] = this.#hidden(layers, tokens, tokens.length);
    const width = x.dims[1];
    const last = new Tensor(x.data.subarray((tokens.length - 1) * width), [1, width]);
    return layers.linear("head", last)[0].data.subarray(0, this.writesText ? 256 : outputSize);
  }

  // Of sequences of this length, one after the other. Returns the mean loss of the targets, and its
  // gradients as arrays by the name of their parameter.
  lossAndGradients(tokens, targets, length) {
    const layers = new Layers(this.#tensors);
    const [x, hiddenGradient] = this.#hidden(layers, tokens, length);
    const [logits, headGradient] = layers.linear("head", x);
    const loss = lossAndGradient(logits, targets);
    hiddenGradient(headGradient(logits));
    return { loss, gradients: layers.gradients };
  }

  // The tensors of a file of its weights.
  stateDict() {
    const tensors = {};
    for (const [name, { data, dims }] of Object.entries(this.#tensors))
      tensors[name] = { dtype: "float32", shape: dims, data };
    return tensors;
  }

  dispose() {}

  // What the head takes.
  #hidden(layers, tokens, length) {
    const linearOf = (name) => (x) => layers.linear(name, x);
    const normOf = (name) => (x) => layers.norm(name, x);
    const attention = (x) => attend(x, length);
    const parts = [() => layers.embedding(tokens, length)];
    for (let i = 0; i < this.sizes.numLayers; ++i) {
      const block = `blocks.${i}`;
      const attending = [
        normOf(`${block}.norm1`), linearOf(`${block}.attention`), attention,
        linearOf(`${block}.projection`),
      ];
      const widening = [
        normOf(`${block}.norm2`), linearOf(`${block}.up`), geluOf, linearOf(`${block}.down`),
      ];
      parts.push((x) => residual(x, attending), (x) => residual(x, widening));
    }
    return chained(null, [...parts, normOf("norm")]);
  }
}
