// Matrices of doubles: the last two axes of a tensor.

// Calls body(matrix, index) with the rows of each matrix, which it may change.
export function eachMatrix(tensor, body) {
  const rank = tensor.dims.length;
  const [rows, columns] = [tensor.dims[rank - 2], tensor.dims[rank - 1]];
  const count = tensor.dims.slice(0, rank - 2).reduce((product, dim) => product * dim, 1);
  for (let index = 0; index < count; ++index) body(matrixAt(tensor, index, rows, columns), index);
}

export function matrixAt(tensor, index, rows, columns) {
  return Array.from({ length: rows }, (_, i) => {
    const first = (index * rows + i) * columns;
    return Float64Array.from(tensor.data.subarray(first, first + columns));
  });
}

export function writeMatrix(output, index, matrix) {
  const rows = matrix.length;
  matrix.forEach((row, i) => output.data.set(row, (index * rows + i) * row.length));
}

// The mean of a square matrix and its transpose.
export function symmetricPart(matrix) {
  return matrix.map((row, i) => row.map((element, j) => (element + matrix[j][i]) / 2));
}
