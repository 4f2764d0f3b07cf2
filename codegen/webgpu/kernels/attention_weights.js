// Attention weights: softmax of the scores.
import { addAttention } from "./attention.js";

export function attention_weights(output, query, key, mask, isCausal, scale) {
  addAttention(output, query, key, mask, isCausal, scale);
}
