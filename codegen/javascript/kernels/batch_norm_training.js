// Normalises channels by the statistics of the batch, and updates the running statistics.
import { groupsOfChannels, momentsOf, normalise } from "./normalization.js";

export function batch_norm_training(
  output, mean, rstd, newMean, newVar, input, runningMean, runningVar, weight, bias, momentum, eps,
) {
  const channels = groupsOfChannels(input.dims);
  const count = channels.runs * channels.length;
  const moved = (old, ofBatch) => (count === 0 ? old : old * (1 - momentum) + ofBatch * momentum);
  for (let g = 0; g < channels.groups; ++g) {
    const moments = momentsOf(input.data, channels, g);
    const reciprocal = 1 / Math.sqrt(moments.squares / count + eps);
    const variance = moments.squares / Math.max(count - 1, 1);
    normalise(output.data, input.data, channels, g, moments.mean, reciprocal, weight, bias);
    mean.data[g] = moments.mean;
    rstd.data[g] = reciprocal;
    newMean.data[g] = moved(runningMean.data[g], moments.mean);
    newVar.data[g] = moved(runningVar.data[g], variance);
  }
}
