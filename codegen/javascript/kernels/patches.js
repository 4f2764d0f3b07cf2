// The elements that each tap of a convolution's window reads, as a matrix.
import { scratch } from "./scratch.js";
import { outputsOfTap, windowAlong } from "./window.js";

export class Patches {
  constructor(Elements, input, weight, output, stride, padding, dilation, groups) {
    this.rows = windowAlong(0, input, output, weight[2], stride, padding, dilation);
    this.columns = windowAlong(1, input, output, weight[3], stride, padding, dilation);
    this.groups = groups;
    this.images = output[0];
    this.channels = weight[1]; // of one group
    this.outputs = groups === 0 ? 0 : weight[0] / groups; // of one group
    this.plane = input[2] * input[3];
    this.places = output[2] * output[3];
    this.depth = weight[1] * weight[2] * weight[3];
    this.matrix = scratch("patches", Elements, this.depth * this.places);
  }

  // Calls body(row, from, to, count) for runs of contiguous places: element to + i of the row is
  // element from + i * stride of the plane.
  eachRun(body) {
    const { rows, columns } = this;
    for (let p = 0; p < rows.kernel; ++p) {
      const [top, bottom] = outputsOfTap(rows, p);
      for (let q = 0; q < columns.kernel; ++q) {
        const [begin, end] = outputsOfTap(columns, q);
        for (let i = top; i < bottom && end > begin; ++i) {
          const row = i * rows.stride - rows.before + p * rows.dilation;
          const from = row * columns.input + begin * columns.stride - columns.before + q * columns.dilation;
          body(p * columns.kernel + q, from, i * columns.output + begin, end - begin);
        }
      }
    }
  }

  // Fills the matrix (depth x places) from the planes of one group that begin at `start`.
  load(x, start) {
    const { matrix, places, plane } = this;
    const taps = this.rows.kernel * this.columns.kernel;
    const { stride } = this.columns;
    matrix.fill(0, 0, this.depth * places);
    this.eachRun((tap, from, to, count) => {
      for (let channel = 0; channel < this.channels; ++channel) {
        const source = start + channel * plane + from;
        const target = (channel * taps + tap) * places + to;
        for (let i = 0; i < count; ++i) matrix[target + i] = x[source + i * stride];
      }
    });
  }

  // Adds the matrix to the planes: the opposite of `load`.
  addTo(x, start) {
    const { matrix, places, plane } = this;
    const taps = this.rows.kernel * this.columns.kernel;
    const { stride } = this.columns;
    this.eachRun((tap, from, to, count) => {
      for (let channel = 0; channel < this.channels; ++channel) {
        const target = start + channel * plane + from;
        const source = (channel * taps + tap) * places + to;
        for (let i = 0; i < count; ++i) x[target + i * stride] += matrix[source + i];
      }
    });
  }

  // Calls body(group, x, w, y) for each image and group: the group, and where its input, weight
  // and output begin.
  eachGroup(body) {
    for (let n = 0; n < this.images; ++n) {
      for (let g = 0; g < this.groups; ++g) {
        const group = n * this.groups + g;
        body(
          g, group * this.channels * this.plane, g * this.outputs * this.depth,
          group * this.outputs * this.places,
        );
      }
    }
  }
}
