// Matrices with zeros above the diagonal.
import { addElements } from "./elements.js";

export function tril(output, input) {
  const [rows, columns] = output.dims.slice(-2);
  addElements({ output }, { input }, `    let column = element % ${columns}u;
    let row = element / ${columns}u % ${rows}u;
    output[element] = select(input[element], ${output.type}(0), column > row);
`);
}
