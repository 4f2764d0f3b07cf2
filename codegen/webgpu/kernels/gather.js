// Elements along an axis, chosen by index.
import { addChoice } from "./gathering.js";
import { viewAlong } from "./indices.js";
import { GpuTensor } from "./program.js";

export function gather(output, input, index, axis) {
  const { size, inner } = viewAlong(input.dims, axis);
  const count = index instanceof GpuTensor ? index.size : 1;
  addChoice(output, input, index, {
    places: `    let row = element / ${inner}u;\n    let at = row % ${count}u;`,
    size,
    from: `(row / ${count}u * ${size}u + chosen) * ${inner}u + element % ${inner}u`,
    message: "an index is out of range",
  });
}
