// The largest element.
import { addExtremum } from "./extremum.js";

export function max(output, input, axis, _keepdim) {
  addExtremum(output, input, axis, ">");
}
