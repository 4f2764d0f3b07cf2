// Groups of elements, each normalised by its own mean and deviation.
import { product } from "./axes.js";

// A group has `runs` runs of `length` contiguous elements. Weight and bias are indexed by the group,
// or by the position of an element in its run.
export function groupsOfRows(dims) {
  const last = dims.length - 1;
  return { groups: product(dims, 0, last), runs: 1, length: dims[last], byGroup: false };
}

export function groupsOfChannels(dims) {
  const length = product(dims, 2, dims.length);
  return { groups: dims[1], runs: dims[0], length, byGroup: true };
}

// The mean of group g, and the sum of its squared distances.
export function momentsOf(x, layout, g) {
  const { groups, runs, length } = layout;
  let total = 0;
  for (let run = 0; run < runs; ++run) {
    const first = (run * groups + g) * length;
    for (let k = 0; k < length; ++k) total += x[first + k];
  }
  const mean = total / (runs * length);
  let squares = 0;
  for (let run = 0; run < runs; ++run) {
    const first = (run * groups + g) * length;
    for (let k = 0; k < length; ++k) {
      const distance = x[first + k] - mean;
      squares += distance * distance;
    }
  }
  return { mean, squares };
}

// (input - mean) * rstd * weight + bias for the elements of group g.
export function normalise(y, x, layout, g, mean, rstd, weight, bias) {
  const { groups, runs, length, byGroup } = layout;
  for (let run = 0; run < runs; ++run) {
    const first = (run * groups + g) * length;
    for (let k = 0; k < length; ++k) {
      const at = byGroup ? g : k;
      const factor = weight === null ? 1 : weight.data[at];
      const offset = bias === null ? 0 : bias.data[at];
      y[first + k] = (x[first + k] - mean) * rstd * factor + offset;
    }
  }
}

// The gradients of input, weight and bias; `fixed`: mean and rstd do not depend on the input.
export function normGrad(outputs, grad, input, mean, rstd, weight, layout, fixed) {
  const [inputGrad, weightGrad, biasGrad] = outputs;
  const { groups, runs, length, byGroup } = layout;
  const few = byGroup ? groups : length;
  const weights = new Float64Array(few);
  const biases = new Float64Array(few);
  for (let g = 0; g < groups; ++g) {
    const center = mean.data[g];
    const factor = rstd.data[g];
    let sum = 0; // of the incoming gradient of the normalised elements
    let products = 0;
    for (let run = 0; run < runs; ++run) {
      const first = (run * groups + g) * length;
      for (let k = 0; k < length; ++k) {
        const at = byGroup ? g : k;
        const change = grad.data[first + k];
        const unit = (input.data[first + k] - center) * factor;
        const slope = weight === null ? change : change * weight.data[at];
        weights[at] += change * unit;
        biases[at] += change;
        sum += slope;
        products += slope * unit;
      }
    }
    const shared = fixed ? 0 : sum / (runs * length);
    const byUnit = fixed ? 0 : products / (runs * length);
    for (let run = 0; run < runs; ++run) {
      const first = (run * groups + g) * length;
      for (let k = 0; k < length; ++k) {
        const unit = (input.data[first + k] - center) * factor;
        const scale = weight === null ? 1 : weight.data[byGroup ? g : k];
        inputGrad.data[first + k] = (grad.data[first + k] * scale - (shared + byUnit * unit)) * factor;
      }
    }
  }
  weightGrad.data.set(weights);
  biasGrad.data.set(biases);
}
