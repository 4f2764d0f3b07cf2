// Normally distributed numbers.
import { RandomBits } from "./random_bits.js";

export function randn(output, _shape, key, _dtype) {
  const bits = new RandomBits(key);
  for (let i = 0; i < output.size; ++i) output.data[i] = bits.normal(i);
}
