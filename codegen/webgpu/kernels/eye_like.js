// Ones on the diagonal.
import { addElements } from "./elements.js";

export function eye_like(output, _like) {
  const columns = output.dims[1];
  addElements({ output }, {}, `    let row = element / ${columns}u;
    output[element] = ${output.type}(row == element % ${columns}u);
`);
}
