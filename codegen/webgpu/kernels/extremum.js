// The largest and the smallest element. NaN wins over all numbers.
import { addElements } from "./elements.js";
import { addReduction } from "./reduction.js";
import { reducedRows } from "./rows.js";

function checkSize(rows, size) {
  if (rows > 0 && size === 0)
    throw new MithrilError("E1053", "there is no element to choose from");
}

// `sign` is ">" for the largest element.
export function addExtremum(output, input, axis, sign) {
  const { rows, size } = reducedRows(input.dims, axis);
  checkSize(rows, size);
  const worst = { f32: "infinity()", i32: "i32(2147483647)", u32: "1u" }[output.type];
  const best = { f32: "-infinity()", i32: "i32(-2147483648)", u32: "0u" }[output.type];
  const isNumber = output.type === "f32" ? "is_nan(b) || " : "";
  addReduction(output, input, axis, {
    start: sign === ">" ? best : worst,
    combine: `select(a, b, ${isNumber}b ${sign} a)`,
  });
}

// The index along the axis, or in the whole input, of the first of the best elements.
export function addPlace(output, input, axis, sign) {
  const { rows, size, at } = reducedRows(input.dims, axis);
  checkSize(rows, size);
  const isBetter = `x ${sign} best`;
  const wins = input.type === "f32" ? `(is_nan(x) && !is_nan(best)) || ${isBetter}` : isBetter;
  addElements({ output }, { input }, `    let row = element;
    var i = 0u;
    var best = input[${at}];
    var place = 0u;
    for (i = 1u; i < ${size}u; i++) {
      let x = input[${at}];
      if (${wins}) {
        best = x;
        place = i;
      }
    }
    output[element] = ${output.type}(place);
`);
}
