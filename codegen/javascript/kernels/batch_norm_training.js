// Normalises channels by the statistics of the batch, and updates the running statistics.
import { groupsOfChannels, momentsOf, normalise } from "./normalization.js";

export function batch_norm_training(
  output, mean, rstd, newMean, newVar, input, runningMean, runningVar, weight, bias, momentum, eps,
) {
  const channels = groupsOfChannels(input.dims);
  const count = channels.runs * channels.length;
  for (let g = 0; g < channels.groups; ++g) {
    const moments = momentsOf(input.data, channels, g);
    const reciprocal = 1 / Math.sqrt(moments.squares / count + eps);
    const variance = moments.squares / (count - 1);
    normalise(output.data, input.data, channels, g, moments.mean, reciprocal, weight, bias);
    mean.data[g] = moments.mean;
    rstd.data[g] = reciprocal;
    newMean.data[g] = runningMean.data[g] * (1 - momentum) + moments.mean * momentum;
    newVar.data[g] = runningVar.data[g] * (1 - momentum) + variance * momentum;
  }
}
