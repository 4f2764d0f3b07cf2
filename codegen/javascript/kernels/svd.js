// Singular values and vectors.
import { eachMatrix, writeMatrix } from "./matrices.js";
import { singularValuesOf } from "./singular_values.js";

export function svd(leftOutput, valuesOutput, rightOutput, input) {
  eachMatrix(input, (matrix, index) => {
    const { left, values, right } = singularValuesOf(matrix, input.dims[input.dims.length - 1]);
    const rows = matrix.map((_, i) => Float64Array.from(left, (column) => column[i]));
    writeMatrix(leftOutput, index, rows);
    valuesOutput.data.set(values, index * values.length);
    writeMatrix(rightOutput, index, right);
  });
}
