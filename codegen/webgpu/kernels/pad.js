// Pads a tensor.
import { addElements } from "./elements.js";
import { literal } from "./functions.js";
import { stridesOf } from "./indices.js";

// `widths`: a pair (before, after) for each axis; negative widths remove elements.
export function pad(output, input, widths, filler) {
  const strides = stridesOf(input.dims);
  const within = stridesOf(output.dims);
  const checks = output.dims.map((dim, axis) => {
    const place = `i32(element / ${within[axis]}u % ${dim}u) - ${widths[axis][0]}i`;
    return `    let p${axis} = ${place};
    inside = inside && p${axis} >= 0i && p${axis} < ${input.dims[axis]}i;
    source += p${axis} * ${strides[axis]}i;
`;
  });
  addElements({ output }, { input }, `    var inside = true;
    var source = 0i;
${checks.join("")}    output[element] = ${literal(filler, output.type)};
    if (inside) { output[element] = input[source]; }
`);
}
