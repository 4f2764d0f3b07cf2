// The index of the smallest element.
import { addPlace } from "./extremum.js";

export function argmin(output, input, axis, _keepdim) {
  addPlace(output, input, axis, "<");
}
