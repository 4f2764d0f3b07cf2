// Cholesky decomposition.
import { eachMatrix, writeMatrix } from "./matrices.js";
import { fail } from "./tensor.js";

// Of the mean of a matrix and its transpose, row by row (Golub and Van Loan, Matrix Computations,
// 4.2).
export function cholesky(output, input) {
  eachMatrix(input, (matrix, index) => {
    const root = matrix.map((row) => new Float64Array(row.length));
    for (let i = 0; i < matrix.length; ++i) {
      for (let j = 0; j <= i; ++j) {
        let rest = (matrix[i][j] + matrix[j][i]) / 2;
        for (let k = 0; k < j; ++k) rest -= root[i][k] * root[j][k];
        if (i === j && !(rest > 0)) fail("cholesky: the matrix is not positive definite");
        root[i][j] = i === j ? Math.sqrt(rest) : rest / root[j][j];
      }
    }
    writeMatrix(output, index, root);
  });
}
