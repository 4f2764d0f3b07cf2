// Random numbers in [0, 1).
import { RandomBits } from "./random_bits.js";

export function random_uniform(output, _like, key) {
  const bits = new RandomBits(key);
  for (let i = 0; i < output.size; ++i) {
    bits.at(i);
    output.data[i] = (bits.high >>> 8) * 2 ** -24; // 24 bits: the precision of float32
  }
}
