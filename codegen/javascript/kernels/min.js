// The smallest element.
import { choose } from "./extremum.js";

export function min(output, input, axis, _keepdim) {
  choose(output, input, axis, -1);
}
