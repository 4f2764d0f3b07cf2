// Splits a tensor along an axis.
import { addElements } from "./elements.js";
import { rowsAlong } from "./joining.js";

export function split(outputs, input, _sizes, axis) {
  const row = rowsAlong(input.dims, axis);
  let offset = 0;
  for (const output of outputs) {
    const size = rowsAlong(output.dims, axis);
    const from = `element / ${size}u * ${row}u + element % ${size}u + ${offset}u`;
    addElements({ output }, { input }, `    output[element] = input[${from}];\n`);
    offset += size;
  }
}
