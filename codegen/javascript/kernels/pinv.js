// Pseudoinverses.
import { eachMatrix, writeMatrix } from "./matrices.js";
import { singularValuesOf } from "./singular_values.js";

// Singular values up to max(atol, rtol * the largest) count as 0.
export function pinv(output, input, atol, rtol) {
  const columns = input.dims[input.dims.length - 1];
  const spacing = output.data instanceof Float32Array ? 2 ** -23 : Number.EPSILON;
  eachMatrix(input, (matrix, index) => {
    const { left, values, right } = singularValuesOf(matrix, columns);
    const rounding = atol > 0 ? 0 : Math.max(matrix.length, columns) * spacing;
    const least = Math.max(atol ?? 0, (rtol ?? rounding) * (values[0] ?? 0));
    const inverse = Array.from({ length: columns }, () => new Float64Array(matrix.length));
    values.forEach((value, k) => {
      if (value <= least) return;
      inverse.forEach((row, i) => {
        const scaled = right[k][i] / value;
        left[k].forEach((element, j) => (row[j] += scaled * element));
      });
    });
    writeMatrix(output, index, inverse);
  });
}
