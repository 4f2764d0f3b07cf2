// An element of each row for each index of that row.
import { addChoice } from "./gathering.js";
import { axisOf, indexText, stridesOf } from "./indices.js";

export function take_along_axis(output, input, index, axis) {
  const steps = stridesOf(input.dims);
  const along = axisOf(axis, input.dims.length);
  const step = steps[along];
  steps[along] = 0;
  addChoice(output, input, index, {
    places: "    let at = element;",
    size: input.dims[along],
    from: `${indexText("element", index.dims, steps)} + chosen * ${step}u`,
    message: "an index is out of range",
  });
}
