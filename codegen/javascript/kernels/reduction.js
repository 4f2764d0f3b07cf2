// Reductions along some axes.
import { axisOf, stridesOf } from "./axes.js";
import { eachRow } from "./rows.js";
import { scratch } from "./scratch.js";

// Which axes are reduced: all for null, one for a number.
export function reducedAxes(rank, axis) {
  const reduced = new Array(rank).fill(axis === null);
  if (axis === null || rank === 0) return reduced;
  for (const each of Array.isArray(axis) ? axis : [axis]) reduced[axisOf(each, rank)] = true;
  return reduced;
}

// The steps of the result along each axis, 0 for reduced axes, and the number of reduced elements.
export class Reduction {
  constructor(dims, reduced) {
    const kept = dims.map((dim, axis) => (reduced[axis] ? 1 : dim));
    const strides = stridesOf(kept);
    this.dims = dims;
    this.steps = strides.map((stride, axis) => (reduced[axis] ? 0 : stride));
    this.results = kept.reduce((product, dim) => product * dim, 1);
    this.size = dims.reduce((product, dim) => product * dim, 1);
    this.count = dims.reduce((product, dim, axis) => (reduced[axis] ? product * dim : product), 1);
    this.length = dims.length > 0 ? dims[dims.length - 1] : 1;
    this.step = dims.length > 0 ? this.steps[dims.length - 1] : 0;
  }

  // Calls body(from, to) for each row along the last axis.
  eachRow(body) {
    if (this.size > 0) eachRow(this.dims, this.steps, body);
  }

  // The sums of the elements, as doubles.
  sums(input) {
    const totals = scratch("sums", Float64Array, this.results);
    totals.fill(0, 0, this.results);
    const { length, step } = this;
    this.eachRow((from, to) => {
      if (step === 0) {
        let sum = 0;
        for (let i = 0; i < length; ++i) sum += input[from + i];
        totals[to] += sum;
      } else {
        for (let i = 0; i < length; ++i) totals[to + i] += input[from + i];
      }
    });
    return totals;
  }
}
