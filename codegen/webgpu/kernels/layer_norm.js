// Normalises the last axis.
import { literal } from "./functions.js";
import { product } from "./indices.js";
import { addRows } from "./rows.js";

export function layer_norm(output, mean, rstd, input, weight, bias, eps) {
  const size = input.dims.at(-1);
  const factor = weight === null ? "" : " * weight[i]";
  const offset = bias === null ? "" : " + bias[i]";
  addRows({
    writes: { output, mean, rstd },
    reads: { input, ...(weight && { weight }), ...(bias && { bias }) },
    rows: product(input.dims, 0, input.dims.length - 1), size, combine: { sum_of: "a + b" },
    body: (each) => `    let first = row * ${size}u;
    var sum = 0f;
    ${each} { sum += input[first + i]; }
    let center = sum_of(thread, sum) / f32(${size});
    var squares = 0f;
    ${each} {
      let distance = input[first + i] - center;
      squares += distance * distance;
    }
    let scale = 1f / sqrt(sum_of(thread, squares) / f32(${size}) + ${literal(eps, "f32")});
    ${each} {
      output[first + i] = (input[first + i] - center) * scale${factor}${offset};
    }
    mean[row] = center;
    rstd[row] = scale;
`,
  });
}
