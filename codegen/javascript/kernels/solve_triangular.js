// Solves systems of equations with triangular matrices.
import { eachMatrix, matrixAt, writeMatrix } from "./matrices.js";

export function solve_triangular(output, matrix, right, upper) {
  const columns = right.dims[right.dims.length - 1];
  eachMatrix(matrix, (triangle, index) => {
    const size = triangle.length;
    const x = matrixAt(right, index, size, columns);
    for (let step = 0; step < size; ++step) {
      const i = upper ? size - 1 - step : step;
      const [first, past] = upper ? [i + 1, size] : [0, i];
      for (let column = 0; column < columns; ++column) {
        for (let k = first; k < past; ++k) x[i][column] -= triangle[i][k] * x[k][column];
        x[i][column] /= triangle[i][i];
      }
    }
    writeMatrix(output, index, x);
  });
}
