// The index of the largest element.
import { addPlace } from "./extremum.js";

export function argmax(output, input, axis, _keepdim) {
  addPlace(output, input, axis, ">");
}
