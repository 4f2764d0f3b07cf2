// Orthogonal factors of matrices.
import { eachMatrix, writeMatrix } from "./matrices.js";

// The vector v and the scale of I - scale v vᵀ, which moves column k to a multiple of unit vector k
// (Golub and Van Loan, Matrix Computations, 5.1).
function reflectionOfColumn(matrix, k) {
  const v = Float64Array.from(matrix, (row, i) => (i > k ? row[k] : 0));
  const rest = Math.hypot(...v);
  v[k] = 1;
  if (rest === 0) return { k, v, scale: 0 };
  const first = matrix[k][k];
  const size = Math.hypot(first, rest);
  const target = first < 0 || Object.is(first, -0) ? size : -size;
  for (let i = k + 1; i < v.length; ++i) v[i] /= first - target;
  return { k, v, scale: (target - first) / target };
}

function reflect(matrix, columns, { k, v, scale }) {
  for (let j = 0; j < columns; ++j) {
    let product = 0;
    for (let i = k; i < v.length; ++i) product += v[i] * matrix[i][j];
    for (let i = k; i < v.length; ++i) matrix[i][j] -= scale * v[i] * product;
  }
}

function negate(row, from) {
  for (let j = from; j < row.length; ++j) row[j] = -row[j];
}

// The diagonal of R is not negative.
export function qr(qOutput, rOutput, input, _mode) {
  const width = qOutput.dims[qOutput.dims.length - 1];
  const columns = input.dims[input.dims.length - 1];
  eachMatrix(input, (matrix, index) => {
    const reflections = [];
    for (let k = 0; k < Math.min(matrix.length, columns); ++k) {
      reflections.push(reflectionOfColumn(matrix, k));
      reflect(matrix, columns, reflections[k]);
    }
    const q = matrix.map((_, i) => Float64Array.from({ length: width }, (_, j) => (i === j ? 1 : 0)));
    const r = matrix.slice(0, width).map((row, i) => row.map((element, j) => (j < i ? 0 : element)));
    for (const reflection of reflections.reverse()) reflect(q, width, reflection);
    reflections.forEach(({ k }) => {
      if (!(r[k][k] < 0)) return;
      negate(r[k], k);
      for (const row of q) row[k] = -row[k];
    });
    writeMatrix(qOutput, index, q);
    writeMatrix(rOutput, index, r);
  });
}
