// Repeats elements to fill the shape of another tensor.
import { broadcast } from "./broadcast.js";

export function expand_like(output, input, _like) {
  broadcast(output, input);
}
