// Kernels that reduce rows of elements.
import { addKernel } from "./kernel.js";
import { axisOf, indexText, stridesOf } from "./indices.js";

const groupSize = 64;

// Threads that share a row: a power of two, with at least four elements each in all but short rows.
function lanesFor(size) {
  let lanes = 1;
  while (lanes < groupSize && lanes * 8 <= size) lanes *= 2;
  return lanes;
}

// A function of WGSL, NAME(thread, value): the values of all lanes of a row, combined by an
// expression of `a` and `b`.
function laneFunction(name, type, lanes, expression) {
  const head = `fn ${name}(thread: u32, value: ${type}) -> ${type} {\n`;
  if (lanes === 1) return `${head}    return value;\n}\n`;
  return `var<workgroup> ${name}_of_lanes: array<${type}, ${groupSize}>;
${head}    ${name}_of_lanes[thread] = value;
    workgroupBarrier();
    for (var step = ${lanes / 2}u; step > 0u; step /= 2u) {
      if (thread % ${lanes}u < step) {
        let a = ${name}_of_lanes[thread];
        let b = ${name}_of_lanes[thread + step];
        ${name}_of_lanes[thread] = ${expression};
      }
      workgroupBarrier();
    }
    let combined = ${name}_of_lanes[thread - thread % ${lanes}u];
    workgroupBarrier();
    return combined;
}
`;
}

// Runs `body` for each number `row` below `rows`, in several threads. The body has the expression
// `each`, the head of a loop over the elements `i` of this thread, of `size` elements. `combine` has
// an expression for each function of lanes. Threads beyond the last row repeat it: they may write the
// same results, but a row that changes in place is written only where `isOwn`.
export function addRows({ writes, reads, rows, size, type = "f32", combine = {}, body }) {
  if (rows === 0) return;
  const lanes = lanesFor(size);
  const together = groupSize / lanes;
  const functions = Object.entries(combine).map(([name, expression]) =>
    laneFunction(name, type, lanes, expression),
  );
  addKernel({
    writes, reads, threads: groupSize, groups: Math.ceil(rows / together),
    globals: functions.join(""),
    body: `    let lane = thread % ${lanes}u;
    let place = group * ${together}u + thread / ${lanes}u;
    let isOwn = place < ${rows}u;
    let row = min(place, ${rows - 1}u);
${body(`for (var i = lane; i < ${size}u; i += ${lanes}u)`)}`,
  });
}

// The rows of a reduction: all axes for null, one for a number. `at` is the index of element `i` of
// row `row`.
export function reducedRows(dims, axis) {
  const rank = dims.length;
  const chosen = axis === null ? dims.map((_, place) => place) : [axis].flat();
  const axes = new Set(chosen.map((each) => axisOf(each, rank)));
  const strides = stridesOf(dims);
  const some = (list, isReduced) => list.filter((_, place) => axes.has(place) === isReduced);
  const [kept, reduced] = [some(dims, false), some(dims, true)];
  const count = (list) => list.reduce((product, dim) => product * dim, 1);
  const base = indexText("row", kept, some(strides, false));
  const offset = indexText("i", reduced, some(strides, true));
  return { rows: count(kept), size: count(reduced), at: `${base} + ${offset}` };
}
