// Reductions to one number for each row.
import { addRows, reducedRows } from "./rows.js";

// output = `result`, an expression of `total`: the elements combined by an expression of `a` and `b`
// from `start` on.
export function addReduction(output, input, axis, { start, combine, result = () => "total" }) {
  const { rows, size, at } = reducedRows(input.dims, axis);
  addRows({
    writes: { output }, reads: { input }, rows, size, type: output.type,
    combine: { combined: combine },
    body: (each) => `    var a = ${output.type}(${start});
    ${each} {
      let b = ${output.type}(input[${at}]);
      a = ${combine};
    }
    let total = combined(thread, a);
    output[row] = ${result(size)};
`,
  });
}
