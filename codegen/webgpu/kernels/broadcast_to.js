// Repeats elements to fill a shape.
import { broadcastSteps } from "./indices.js";
import { addMove } from "./moving.js";

export function broadcast_to(output, input, _shape) {
  addMove(output, input, broadcastSteps(output.dims, input.dims));
}
