// The element at the class of each sample; the second axis holds the classes.
import { addChoice } from "./gathering.js";
import { viewAlong } from "./indices.js";

// output[n, ...] = input[n, index[n, ...], ...]
export function pick_class(output, input, index) {
  const { size, inner } = viewAlong(input.dims, 1);
  addChoice(output, input, index, {
    places: "    let at = element;",
    size,
    from: `(element / ${inner}u * ${size}u + chosen) * ${inner}u + element % ${inner}u`,
    message: "a class is out of range",
    wraps: false,
  });
}
