// The largest element of each window, and its index in the plane.
import { addPooling } from "./pooling.js";

export function max_pool2d(output, places, input, kernel, stride, padding, dilation) {
  addPooling({ output, places }, input, { kernel, stride, padding, dilation }, {
    start: "var best = -infinity(); var found = -1i;",
    each: "if (found < 0i || x > best || is_nan(x)) { best = x; found = at; }",
    end: () => "output[element] = best; places[element] = found;",
  });
}
