// Repeats elements to fill a shape.
import { broadcast } from "./broadcast.js";

export function broadcast_to(output, input, _shape) {
  broadcast(output, input);
}
