// The smallest element.
import { addExtremum } from "./extremum.js";

export function min(output, input, axis, _keepdim) {
  addExtremum(output, input, axis, "<");
}
