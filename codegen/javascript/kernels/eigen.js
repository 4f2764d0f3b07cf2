// Eigenvalues and eigenvectors of symmetric matrices, by Jacobi's rotations.
import { isFlipped } from "./column_sign.js";

function squaresOffDiagonal(matrix) {
  let squares = 0;
  for (let i = 0; i < matrix.length; ++i)
    for (let j = 0; j < i; ++j) squares += matrix[i][j] * matrix[i][j];
  return squares;
}

// Rotates rows and columns p and q so that matrix[p][q] becomes 0 (Golub and Van Loan, Matrix
// Computations, 8.5). The columns of `vectors` rotate with them.
function rotate(matrix, vectors, p, q) {
  if (matrix[p][q] === 0) return;
  const tau = (matrix[q][q] - matrix[p][p]) / (2 * matrix[p][q]);
  const tangent = (tau < 0 ? -1 : 1) / (Math.abs(tau) + Math.sqrt(1 + tau * tau));
  const cosine = 1 / Math.sqrt(1 + tangent * tangent);
  const sine = tangent * cosine;
  const turnColumns = (row) => {
    const [a, b] = [row[p], row[q]];
    row[p] = cosine * a - sine * b;
    row[q] = sine * a + cosine * b;
  };
  matrix.forEach(turnColumns);
  for (let k = 0; k < matrix.length; ++k) {
    const [a, b] = [matrix[p][k], matrix[q][k]];
    matrix[p][k] = cosine * a - sine * b;
    matrix[q][k] = sine * a + cosine * b;
  }
  matrix[p][q] = matrix[q][p] = 0;
  vectors.forEach(turnColumns);
}

// The eigenvalues in ascending order, and a vector for each, as arrays of doubles. Vectors have
// length 1, and their first large element is positive. Changes the matrix.
export function eigenOfSymmetric(matrix) {
  const mostSweeps = 60; // convergence is quadratic: ten sweeps are many
  const size = matrix.length;
  const turned = matrix.map((row, i) => row.map((_, j) => (i === j ? 1 : 0)));
  for (let sweep = 0; sweep < mostSweeps && squaresOffDiagonal(matrix) > 0; ++sweep) {
    for (let p = 0; p < size; ++p) for (let q = p + 1; q < size; ++q) rotate(matrix, turned, p, q);
  }
  const order = Array.from(matrix.keys()).sort((a, b) => matrix[a][a] - matrix[b][b]);
  const values = order.map((i) => matrix[i][i]);
  const vectors = order.map((i) => {
    const column = Float64Array.from(turned, (row) => row[i]);
    return isFlipped(column) ? column.map((element) => -element) : column;
  });
  return { values, vectors };
}
