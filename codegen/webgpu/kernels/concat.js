// Concatenates tensors along an axis.
import { addElements } from "./elements.js";
import { rowsAlong } from "./joining.js";

export function concat(output, inputs, axis) {
  const row = rowsAlong(output.dims, axis);
  let offset = 0;
  for (const input of inputs) {
    const size = rowsAlong(input.dims, axis);
    const to = `element / ${size}u * ${row}u + element % ${size}u + ${offset}u`;
    const body = `    output[${to}] = input[element];\n`;
    addElements({ output }, { input }, body, { count: input.size });
    offset += size;
  }
}
