// The index of the smallest element.
import { chooseIndex } from "./extremum.js";

export function argmin(output, input, axis, _keepdim) {
  chooseIndex(output, input, axis, -1);
}
