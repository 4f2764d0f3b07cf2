// Elements that move.
import { addElements } from "./elements.js";
import { indexText } from "./indices.js";

// Each element of the output is an element of the input: that of the same place, with these steps.
export function addMove(output, input, steps, start = 0) {
  const from = indexText("element", output.dims, steps, start);
  addElements({ output }, { input }, `    output[element] = input[${from}];\n`);
}
