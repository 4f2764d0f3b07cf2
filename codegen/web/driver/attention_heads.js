// Causal attention of several heads, and its gradient.
import { gemm } from "../../javascript/kernels/gemm.js";
import { Tensor } from "../../javascript/kernels/tensor.js";

// The width of a head must divide that of the model.
function headsOf(width) {
  return width % 4 === 0 ? 4 : 1;
}

// Calls visit(start, width of a head, number) for each head of each sequence: `start` is where its
// columns begin in a tensor [rows, width] whose rows are sequences of this length.
function forEachHead(rows, length, width, visit) {
  const heads = headsOf(width);
  for (let sequence = 0; sequence < rows / length; ++sequence) {
    for (let head = 0; head < heads; ++head) {
      const column = (head * width) / heads;
      visit(sequence * length, column, width / heads, sequence * heads + head);
    }
  }
}

const transposed = ({ data, start, row, column }) => ({ data, start, row: column, column: row });

// A matrix with the columns from `column` on of a tensor [rows, width].
function columnsOf(tensor, row, column) {
  const width = tensor.dims[1];
  return { data: tensor.data, start: row * width + column, row: width, column: 1 };
}

// The parts of a tensor [rows, 3 * width]: query, key and value.
function partsOf(joined, row, column) {
  const width = joined.dims[1] / 3;
  return [0, 1, 2].map((part) => columnsOf(joined, row, part * width + column));
}

// softmax(scores * scale) of the first row + 1 elements of each row; zeros behind them.
function causalSoftmax(scores, start, length, scale) {
  for (let row = 0; row < length; ++row) {
    const first = start + row * length;
    let top = -Infinity;
    for (let j = 0; j <= row; ++j) top = Math.max(top, scores[first + j] * scale);
    let sum = 0;
    for (let j = 0; j <= row; ++j) {
      scores[first + j] = Math.exp(scores[first + j] * scale - top);
      sum += scores[first + j];
    }
    for (let j = 0; j <= row; ++j) scores[first + j] /= sum;
    scores.fill(0, first + row + 1, first + length);
  }
}

// Replaces the gradient of the softmax by that of the scores.
function causalSoftmaxGrad(grad, weights, start, length, scale) {
  for (let row = 0; row < length; ++row) {
    const first = row * length;
    let sum = 0;
    for (let j = 0; j <= row; ++j) sum += grad[first + j] * weights[start + first + j];
    for (let j = 0; j < length; ++j)
      grad[first + j] = weights[start + first + j] * (grad[first + j] - sum) * scale;
  }
}

// Maps queries, keys and values [rows, 3 * width] to [output [rows, width], gradient]. Rows attend
// to those of their sequence up to themselves. gradient(grad) returns the gradient of the input.
export function attend(joined, length) {
  const [rows, width] = [joined.dims[0], joined.dims[1] / 3];
  const output = new Tensor(new Float32Array(rows * width), [rows, width]);
  const weights = new Float32Array(rows * headsOf(width) * length);
  const scale = 1 / Math.sqrt(width / headsOf(width));
  const square = (data, start) => ({ data, start, row: length, column: 1 });
  forEachHead(rows, length, width, (row, column, size, number) => {
    const [query, key, value] = partsOf(joined, row, column);
    const start = number * length * length;
    gemm(length, length, size, query, transposed(key), square(weights, start));
    causalSoftmax(weights, start, length, scale);
    gemm(length, size, length, square(weights, start), value, columnsOf(output, row, column));
  });
  const gradient = (grad) => {
    const result = new Tensor(new Float32Array(rows * 3 * width), [rows, 3 * width]);
    forEachHead(rows, length, width, (row, column, size, number) => {
      const [query, key, value] = partsOf(joined, row, column);
      const [queryGrad, keyGrad, valueGrad] = partsOf(result, row, column);
      const given = columnsOf(grad, row, column);
      const start = number * length * length;
      gemm(length, size, length, transposed(square(weights, start)), given, valueGrad);
      const scores = new Float32Array(length * length);
      gemm(length, length, size, given, transposed(value), square(scores, 0));
      causalSoftmaxGrad(scores, weights, start, length, scale);
      gemm(length, size, length, square(scores, 0), key, queryGrad);
      gemm(length, size, length, transposed(square(scores, 0)), query, keyGrad);
    });
    return result;
  };
  return [output, gradient];
}
