// Normalises the last axis.
import { groupsOfRows, momentsOf, normalise } from "./normalization.js";

export function layer_norm(output, mean, rstd, input, weight, bias, eps) {
  const rows = groupsOfRows(input.dims);
  for (let g = 0; g < rows.groups; ++g) {
    const moments = momentsOf(input.data, rows, g);
    const reciprocal = 1 / Math.sqrt(moments.squares / rows.length + eps);
    normalise(output.data, input.data, rows, g, moments.mean, reciprocal, weight, bias);
    mean.data[g] = moments.mean;
    rstd.data[g] = reciprocal;
  }
}
