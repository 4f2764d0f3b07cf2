// Products of matrices, in tiles that the threads of a group share.
import { addKernel } from "./kernel.js";

const depthOfTile = 16;
const side = 8; // threads of a group: a square

// For each batch, row m and column n, runs `store` with the sum over k of left * right, `value`.
// `left` is an expression of `batch`, `m` and `k`, `right` one of `batch`, `k` and `n`. `byColumn`:
// neighbours along k are neighbours in the memory of the right operand, rather than those along n.
export function addProduct({
  writes, reads, batches, rows, columns, depth, left, right, store, byColumn = false, globals = "",
}) {
  if (batches * rows * columns === 0) return;
  const { type } = Object.values(writes)[0];
  const perThread = rows <= side ? 1 : 4; // rows of a thread, with four columns each
  const tile = { rows: side * perThread, columns: side * 4 };
  const count = { rows: Math.ceil(rows / tile.rows), columns: Math.ceil(columns / tile.columns) };
  const eachRow = (text) => Array.from({ length: perThread }, (_, r) => text(r)).join("");
  const rightPlace = byColumn
    ? `let n = i / ${depthOfTile}u; let k = i % ${depthOfTile}u;`
    : `let n = i % ${tile.columns}u; let k = i / ${tile.columns}u;`;
  addKernel({
    writes, reads, threads: side * side, groups: batches * count.rows * count.columns,
    globals: `var<workgroup> left_tile: array<${type}, ${tile.rows * (depthOfTile + 1)}>;
var<workgroup> right_tile: array<${type}, ${(tile.columns + 1) * depthOfTile}>;
fn left_at(batch: u32, m: u32, k: u32) -> ${type} {
    if (m >= ${rows}u || k >= ${depth}u) { return ${type}(0); }
${left}}
fn right_at(batch: u32, k: u32, n: u32) -> ${type} {
    if (n >= ${columns}u || k >= ${depth}u) { return ${type}(0); }
${right}}
fn store(batch: u32, m: u32, n: u32, value: ${type}) {
    if (m >= ${rows}u || n >= ${columns}u) { return; }
${store}}
${globals}`,
    // The sum of each tile is added to the total, which bounds the rounding of a long depth.
    body: `    let batch = group / ${count.rows * count.columns}u;
    let top = group / ${count.columns}u % ${count.rows}u * ${tile.rows}u;
    let first = group % ${count.columns}u * ${tile.columns}u;
    let row = thread / ${side}u;
    let column = thread % ${side}u;
${eachRow((r) => `    var total${r} = vec4<${type}>(0);\n`)}\
    for (var start = 0u; start < ${depth}u; start += ${depthOfTile}u) {
      for (var i = thread; i < ${tile.rows * depthOfTile}u; i += ${side * side}u) {
        let m = i / ${depthOfTile}u;
        let k = i % ${depthOfTile}u;
        left_tile[m * ${depthOfTile + 1}u + k] = left_at(batch, top + m, start + k);
      }
      for (var i = thread; i < ${tile.columns * depthOfTile}u; i += ${side * side}u) {
        ${rightPlace}
        right_tile[k * ${tile.columns + 1}u + n] = right_at(batch, start + k, first + n);
      }
      workgroupBarrier();
${eachRow((r) => `      var sum${r} = vec4<${type}>(0);\n`)}\
      for (var k = 0u; k < ${depthOfTile}u; k++) {
        let at = k * ${tile.columns + 1}u + column;
        let b = vec4<${type}>(right_tile[at], right_tile[at + ${side}u],
            right_tile[at + ${2 * side}u], right_tile[at + ${3 * side}u]);
${eachRow((r) => `        sum${r} += left_tile[(row + ${r * side}u) * ${depthOfTile + 1}u + k] * b;\n`)}\
      }
${eachRow((r) => `      total${r} += sum${r};\n`)}\
      workgroupBarrier();
    }
${eachRow((r) => `    for (var c = 0u; c < 4u; c++) {
      store(batch, top + row + ${r * side}u, first + column + c * ${side}u, total${r}[c]);
    }
`)}\
`,
  });
}
