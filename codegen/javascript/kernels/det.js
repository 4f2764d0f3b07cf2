// Determinants.
import { factorsOf } from "./factors.js";
import { eachMatrix } from "./matrices.js";

export function det(output, input) {
  eachMatrix(input, (matrix, index) => {
    const { both, sign } = factorsOf(matrix);
    output.data[index] = both.reduce((product, row, i) => product * row[i], sign);
  });
}
