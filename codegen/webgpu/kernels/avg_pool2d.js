// Means of windows.
import { addPooling } from "./pooling.js";

export function avg_pool2d(output, input, kernel, stride, padding, dilation) {
  addPooling({ output }, input, { kernel, stride, padding, dilation }, {
    start: "var sum = 0f;",
    each: "sum += x;",
    end: (taps) => `output[element] = sum / f32(${taps});`,
  });
}
