// The gradient of layer_norm.
import { groupsOfRows, normGrad } from "./normalization.js";

export function layer_norm_grad(
  inputGrad, weightGrad, biasGrad, grad, input, mean, rstd, weight,
) {
  const outputs = [inputGrad, weightGrad, biasGrad];
  normGrad(outputs, grad, input, mean, rstd, weight, groupsOfRows(input.dims), false);
}
