// 0, 1, 2, ...
import { addElements } from "./elements.js";

export function positions(output, _like) {
  addElements({ output }, {}, `    output[element] = ${output.type}(element);\n`);
}
