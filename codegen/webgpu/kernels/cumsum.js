// Cumulative sums along an axis.
import { addElements } from "./elements.js";
import { viewAlong } from "./indices.js";

export function cumsum(output, input, axis, reverse) {
  const { outer, size, inner } = viewAlong(output.dims, axis);
  const k = reverse ? `${size}u - 1u - i` : "i";
  addElements({ output }, { input }, `    var total = ${output.type}(0);
    for (var i = 0u; i < ${size}u; i++) {
      let at = (element / ${inner}u * ${size}u + ${k}) * ${inner}u + element % ${inner}u;
      total += ${output.type}(input[at]);
      output[at] = total;
    }
`, { count: output.size === 0 ? 0 : outer * inner });
}
