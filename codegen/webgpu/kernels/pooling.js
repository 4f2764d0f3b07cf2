// Pooling: a thread for each output reads its window.
import { addElements } from "./elements.js";
import { placeText, windowsOf } from "./windows.js";

// `start` declares variables, `each` runs for every element x of a window, at index `at` of its plane,
// and `end` stores the result. The default stride is the kernel size.
export function addPooling(writes, input, sizes, { start, each, end }) {
  const { kernel, stride, padding, dilation } = sizes;
  const output = Object.values(writes)[0];
  const { rows, columns } = windowsOf(
    input.dims, output.dims, kernel, stride ?? kernel, padding, dilation,
  );
  const outputs = rows.output * columns.output;
  addElements(writes, { input }, `    let plane = element / ${outputs}u * ${rows.input * columns.input}u;
    let place = element % ${outputs}u;
    ${start}
    for (var p = 0u; p < ${rows.kernel}u; p++) {
      let row = ${placeText(rows, `place / ${columns.output}u`, "p")};
      if (row < 0i || row >= ${rows.input}i) { continue; }
      for (var q = 0u; q < ${columns.kernel}u; q++) {
        let column = ${placeText(columns, `place % ${columns.output}u`, "q")};
        if (column < 0i || column >= ${columns.input}i) { continue; }
        let at = row * ${columns.input}i + column;
        let x = input[plane + u32(at)];
        ${each}
      }
    }
    ${end(rows.kernel * columns.kernel)}
`);
}
