// The loss of connectionist temporal classification.
import { eachSample } from "./ctc.js";

export function ctc_loss(output, logProbs, targets, inputLengths, targetLengths, blank, zero) {
  eachSample(logProbs, targets, inputLengths, targetLengths, blank, (n, paths) => {
    output.data[n] = zero && paths.likelihood === -Infinity ? 0 : -paths.likelihood;
  });
}
