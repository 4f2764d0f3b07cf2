// Normalises channels by given statistics.
import { groupsOfChannels, normalise } from "./normalization.js";

export function batch_norm_inference(output, input, mean, variance, weight, bias, eps) {
  const channels = groupsOfChannels(input.dims);
  for (let g = 0; g < channels.groups; ++g) {
    const rstd = 1 / Math.sqrt(variance.data[g] + eps);
    normalise(output.data, input.data, channels, g, mean.data[g], rstd, weight, bias);
  }
}
