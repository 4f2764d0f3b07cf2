// The gradient of the loss of connectionist temporal classification.
import { eachSample } from "./ctc.js";

export function ctc_loss_grad(output, logProbs, targets, inputLengths, targetLengths, blank, zero) {
  const [, samples, classes] = output.dims;
  const slopes = new Float64Array(output.size);
  eachSample(logProbs, targets, inputLengths, targetLengths, blank, (n, paths) => {
    if (paths.likelihood === -Infinity) {
      for (let step = 0; step < paths.steps; ++step) {
        const first = (step * samples + n) * classes;
        slopes.fill(zero ? 0 : NaN, first, first + classes);
      }
      return;
    }
    paths.eachState((step, label, probability) => {
      slopes[(step * samples + n) * classes + label] -= probability;
    });
  });
  output.data.set(slopes);
}
