// Triangular factors of square matrices.

// Gaussian elimination with the largest pivot of each column (Golub and Van Loan, Matrix
// Computations, 3.4). The matrix becomes L below the diagonal, whose own is 1, and U; row i of L U is
// row order[i] of the matrix. `sign` is that of the permutation.
export function factorsOf(matrix) {
  const size = matrix.length;
  const order = Array.from({ length: size }, (_, i) => i);
  let sign = 1;
  let isSingular = false;
  for (let k = 0; k < size; ++k) {
    let pivot = k;
    for (let i = k + 1; i < size; ++i)
      if (Math.abs(matrix[i][k]) > Math.abs(matrix[pivot][k])) pivot = i;
    if (matrix[pivot][k] === 0) {
      isSingular = true;
      continue;
    }
    if (pivot !== k) {
      [matrix[k], matrix[pivot]] = [matrix[pivot], matrix[k]];
      [order[k], order[pivot]] = [order[pivot], order[k]];
      sign = -sign;
    }
    for (let i = k + 1; i < size; ++i) {
      matrix[i][k] /= matrix[k][k];
      for (let j = k + 1; j < size; ++j) matrix[i][j] -= matrix[i][k] * matrix[k][j];
    }
  }
  return { both: matrix, order, sign, isSingular };
}
