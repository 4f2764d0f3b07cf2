// The gradient of batch_norm_training, and of batch_norm_inference.
import { groupsOfChannels, normGrad } from "./normalization.js";

export function batch_norm_grad(
  inputGrad, weightGrad, biasGrad, grad, input, mean, rstd, weight, training,
) {
  const outputs = [inputGrad, weightGrad, biasGrad];
  normGrad(outputs, grad, input, mean, rstd, weight, groupsOfChannels(input.dims), !training);
}
