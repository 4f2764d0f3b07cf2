// Exponentials of matrices.
import { eachMatrix, writeMatrix } from "./matrices.js";

function matrixProduct(left, right) {
  return left.map((row) => {
    const result = new Float64Array(row.length);
    row.forEach((factor, k) => right[k].forEach((element, j) => (result[j] += factor * element)));
    return result;
  });
}

function rowNorm(matrix) {
  const sums = matrix.map((row) => row.reduce((sum, element) => sum + Math.abs(element), 0));
  return Math.max(0, ...sums);
}

// Halves the matrix until its norm is at most 1/2, sums Taylor's series, and squares the sum as
// often (Golub and Van Loan, Matrix Computations, 9.3).
function exponential(matrix) {
  const terms = 18; // the next one is below 2**-74
  let squarings = 0;
  for (let norm = rowNorm(matrix); Number.isFinite(norm) && norm > 0.5; norm /= 2) ++squarings;
  let scaled = matrix;
  for (let k = 0; k < squarings; ++k) scaled = scaled.map((row) => row.map((x) => x / 2));
  let sum = matrix.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  let term = sum;
  for (let k = 1; k <= terms; ++k) {
    term = matrixProduct(term, scaled).map((row) => row.map((element) => element / k));
    sum = sum.map((row, i) => row.map((element, j) => element + term[i][j]));
  }
  for (let k = 0; k < squarings; ++k) sum = matrixProduct(sum, sum);
  return sum;
}

export function matrix_exp(output, input) {
  eachMatrix(input, (matrix, index) => writeMatrix(output, index, exponential(matrix)));
}
