// Shared by pooling: the elements of each window.
import { product } from "./axes.js";
import { along, windowAlong } from "./window.js";

// For tensors of these dims before and after pooling; the default stride is the kernel size.
export class Pooling {
  constructor(from, to, kernel, stride, padding, dilation) {
    const steps = stride === null ? kernel : stride;
    this.rows = windowAlong(0, from, to, along(kernel, 0), steps, padding, dilation);
    this.columns = windowAlong(1, from, to, along(kernel, 1), steps, padding, dilation);
    this.planes = product(from, 0, from.length - 2);
    this.inputs = this.rows.input * this.columns.input; // of one plane
    this.outputs = this.rows.output * this.columns.output; // of one plane
    this.taps = this.rows.kernel * this.columns.kernel;
  }

  // Calls body(from, to) for every element of a window and the output of the window.
  eachElement(body) {
    const { rows, columns } = this;
    for (let to = 0; to < this.planes * this.outputs; ++to) {
      const first = Math.floor(to / this.outputs) * this.inputs;
      const place = to % this.outputs;
      const top = Math.floor(place / columns.output) * rows.stride - rows.before;
      const left = (place % columns.output) * columns.stride - columns.before;
      for (let p = 0; p < rows.kernel; ++p) {
        const row = top + p * rows.dilation;
        if (row < 0 || row >= rows.input) continue;
        for (let q = 0; q < columns.kernel; ++q) {
          const column = left + q * columns.dilation;
          if (column >= 0 && column < columns.input) body(first + row * columns.input + column, to);
        }
      }
    }
  }

  // Per output the first largest element of its window, or the last NaN; -1 if the window holds
  // only padding.
  largest(input) {
    const best = new Int32Array(this.planes * this.outputs).fill(-1);
    const x = input.data;
    this.eachElement((from, to) => {
      const old = best[to];
      if (old < 0 || x[from] > x[old] || x[from] !== x[from]) best[to] = from;
    });
    return best;
  }
}
