// The index of the largest element.
import { chooseIndex } from "./extremum.js";

export function argmax(output, input, axis, _keepdim) {
  chooseIndex(output, input, axis, 1);
}
