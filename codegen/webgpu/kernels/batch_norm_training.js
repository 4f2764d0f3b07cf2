// Normalises channels by the statistics of the batch, and updates the running statistics.
import { literal } from "./functions.js";
import { product } from "./indices.js";
import { addRows } from "./rows.js";

export function batch_norm_training(
  output, mean, rstd, newMean, newVar, input, runningMean, runningVar, weight, bias, momentum, eps,
) {
  const [runs, channels] = input.dims;
  const length = product(input.dims, 2);
  const size = runs * length;
  const { program } = output;
  // The statistics of a channel together, so that the shader has few enough buffers.
  const moments = program.scratch("f32", [3, channels]);
  const at =
    size === 0
      ? "0u" // there is no element
      : `(i / ${length}u * ${channels}u + row) * ${length}u + i % ${length}u`;
  addRows({
    writes: { moments }, reads: { input }, rows: channels, size, combine: { sum_of: "a + b" },
    body: (each) => `    var sum = 0f;
    ${each} { sum += input[${at}]; }
    let center = sum_of(thread, sum) / f32(${size});
    var squares = 0f;
    ${each} {
      let distance = input[${at}] - center;
      squares += distance * distance;
    }
    let total = sum_of(thread, squares);
    moments[row] = center;
    moments[row + ${channels}u] = 1f / sqrt(total / f32(${size}) + ${literal(eps, "f32")});
    moments[row + ${2 * channels}u] = total / f32(${Math.max(size - 1, 1)});
`,
  });
  const moved = (old, ofBatch) =>
    size === 0
      ? old
      : `${old} * ${literal(1 - momentum, "f32")} + ${ofBatch} * ${literal(momentum, "f32")}`;
  addRows({
    writes: { mean, rstd, newMean, newVar }, reads: { moments, runningMean, runningVar },
    rows: channels, size: 1,
    body: () => `    mean[row] = moments[row];
    rstd[row] = moments[row + ${channels}u];
    newMean[row] = ${moved("runningMean[row]", "moments[row]")};
    newVar[row] = ${moved("runningVar[row]", `moments[row + ${2 * channels}u]`)};
`,
  });
  const factor = weight === null ? "" : " * weight[row]";
  const offset = bias === null ? "" : " + bias[row]";
  addRows({
    writes: { output },
    reads: { moments, input, ...(weight && { weight }), ...(bias && { bias }) },
    rows: channels, size,
    body: (each) => `    ${each} {
      let unit = (input[${at}] - moments[row]) * moments[row + ${channels}u];
      output[${at}] = unit${factor}${offset};
    }
`,
  });
}
