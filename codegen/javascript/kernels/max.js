// The largest element.
import { choose } from "./extremum.js";

export function max(output, input, axis, _keepdim) {
  choose(output, input, axis, 1);
}
