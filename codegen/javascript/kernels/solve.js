// Solves systems of equations.
import { factorsOf } from "./factors.js";
import { eachMatrix, matrixAt, writeMatrix } from "./matrices.js";
import { fail } from "./tensor.js";

export function solve(output, matrix, right) {
  const columns = right.dims[right.dims.length - 1];
  eachMatrix(matrix, (rows, index) => {
    const { both, order, isSingular } = factorsOf(rows);
    if (isSingular) fail("solve: the matrix is singular");
    const size = both.length;
    const given = matrixAt(right, index, size, columns);
    const x = order.map((row) => given[row]);
    for (let i = 0; i < size; ++i) {
      for (let k = 0; k < i; ++k)
        for (let column = 0; column < columns; ++column) x[i][column] -= both[i][k] * x[k][column];
    }
    for (let i = size - 1; i >= 0; --i) {
      for (let column = 0; column < columns; ++column) {
        for (let k = i + 1; k < size; ++k) x[i][column] -= both[i][k] * x[k][column];
        x[i][column] /= both[i][i];
      }
    }
    writeMatrix(output, index, x);
  });
}
