// Signs and logarithms of determinants.
import { factorsOf } from "./factors.js";
import { eachMatrix } from "./matrices.js";

export function slogdet(sign, logabsdet, input) {
  eachMatrix(input, (matrix, index) => {
    const factors = factorsOf(matrix);
    const pivots = factors.both.map((row, i) => row[i]);
    const signs = pivots.reduce((product, pivot) => product * Math.sign(pivot), factors.sign);
    sign.data[index] = signs + 0; // 0 in place of -0
    logabsdet.data[index] = pivots.reduce((sum, pivot) => sum + Math.log(Math.abs(pivot)), 0);
  });
}
