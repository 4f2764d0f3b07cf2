// Random ints.
import { RandomBits } from "./random_bits.js";

// From `low` up to but excluding `high`.
export function randint(output, _shape, key, low, high, _dtype) {
  const bits = new RandomBits(key);
  for (let i = 0; i < output.size; ++i)
    output.data[i] = low + Math.trunc(bits.uniform(i) * (high - low));
}
