// Attention weights: softmax of the scores.
import { attentionRows } from "./attention.js";

export function attention_weights(output, query, key, mask, isCausal, scale) {
  const rank = output.dims.length;
  const size = output.dims[rank - 2] * output.dims[rank - 1];
  for (let matrix = 0; matrix * size < output.size; ++matrix) {
    attentionRows(
      output.data, matrix * size, query, key, mask, isCausal, scale, output.dims, matrix,
    );
  }
}
