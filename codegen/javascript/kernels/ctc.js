// Connectionist temporal classification of one sample, in logarithms of probabilities.
import { fail } from "./tensor.js";

function check(number, end) {
  if (!(number >= 0 && number < end)) fail("a length, a target or the blank is out of range");
}

function logSum(a, b) {
  const top = Math.max(a, b);
  return top === -Infinity ? top : top + Math.log(Math.exp(a - top) + Math.exp(b - top));
}

// A path is in one state at each step: a label, or the blank before, between or after labels.
export class Paths {
  constructor(steps, labels, blank, logProb) {
    this.steps = steps;
    this.labels = labels;
    this.blank = blank;
    this.logProb = logProb;
    this.states = 2 * labels.length + 1;
    this.forward = this.along((step) => step, (state) => state);
    this.likelihood = this.total();
  }

  label(state) {
    return state % 2 === 0 ? this.blank : this.labels[(state - 1) / 2];
  }

  total() {
    const { steps, states, forward } = this;
    if (steps === 0) return states === 1 ? 0 : -Infinity;
    const last = forward[steps * states - 1];
    return states === 1 ? last : logSum(last, forward[steps * states - 2]);
  }

  // The sums over paths up to each step and state, which are counted by these functions.
  along(stepOf, stateOf) {
    const { steps, states } = this;
    const table = new Float64Array(steps * states).fill(-Infinity);
    for (let k = 0; k < steps; ++k) {
      const before = (k - 1) * states;
      for (let j = 0; j < states; ++j) {
        const state = stateOf(j);
        let total = k === 0 && j < 2 ? 0 : -Infinity;
        if (k > 0) {
          total = table[before + j];
          if (j > 0) total = logSum(total, table[before + j - 1]);
          if (j > 1 && state % 2 === 1 && this.label(state) !== this.label(stateOf(j - 2)))
            total = logSum(total, table[before + j - 2]);
        }
        table[k * states + j] = total + this.logProb(stepOf(k), this.label(state));
      }
    }
    return table;
  }

  // Calls body(step, label, probability) for each step and state, of the paths that give the
  // labels, of which there must be one.
  eachState(body) {
    const { steps, states, forward, likelihood } = this;
    const backward = this.along((step) => steps - 1 - step, (state) => states - 1 - state);
    for (let step = 0; step < steps; ++step) {
      for (let state = 0; state < states; ++state) {
        const label = this.label(state);
        const before = forward[step * states + state];
        const after = backward[(steps - 1 - step) * states + states - 1 - state];
        const both = before + after - this.logProb(step, label);
        const isImpossible = before === -Infinity || after === -Infinity;
        const share = isImpossible ? 0 : Math.exp(both - likelihood);
        body(step, label, share);
      }
    }
  }
}

// Calls body(n, paths) for each sample n.
export function eachSample(logProbs, targets, inputLengths, targetLengths, blank, body) {
  const [steps, samples, classes] = logProbs.dims;
  const width = targets.dims[1];
  if (samples > 0) check(blank, classes);
  for (let n = 0; n < samples; ++n) {
    check(inputLengths.data[n], steps + 1);
    check(targetLengths.data[n], width + 1);
    const labels = Array.from(
      targets.data.subarray(n * width, n * width + targetLengths.data[n]),
    );
    for (const label of labels) check(label, classes);
    const logProb = (step, label) => logProbs.data[(step * samples + n) * classes + label];
    body(n, new Paths(inputLengths.data[n], labels, blank, logProb));
  }
}
