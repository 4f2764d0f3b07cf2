// Rows of attention: softmax(query @ key.T * scale + mask).
import { literal } from "./functions.js";
import { broadcastText, product } from "./indices.js";
import { addProduct } from "./products.js";
import { addRows } from "./rows.js";
import { lowest } from "./softmax_rows.js";

// Writes the weights [lead..., rows, columns]. Fully masked rows become zeros. A mask of bools is
// true where a query attends.
export function addAttention(weights, query, key, mask, isCausal, scale) {
  const [rows, columns] = weights.dims.slice(-2);
  const lead = weights.dims.slice(0, -2);
  const depth = query.dims.at(-1);
  const factor = scale === null ? 1 / Math.sqrt(Math.max(1, depth)) : scale;
  const matrix = (tensor) => `(${broadcastText("batch", lead, tensor.dims.slice(0, -2))})`;
  addProduct({
    writes: { weights }, reads: { query, key },
    batches: product(lead), rows, columns, depth, byColumn: true,
    left: `    return query[(${matrix(query)} * ${rows}u + m) * ${depth}u + k];\n`,
    right: `    return key[(${matrix(key)} * ${columns}u + n) * ${depth}u + k];\n`,
    store: `    weights[(batch * ${rows}u + m) * ${columns}u + n] =
        value * ${literal(factor, "f32")};
`,
  });
  const maskAt = mask === null ? "" : broadcastText("at", weights.dims, mask.dims);
  const isBool = mask !== null && mask.type === "u32";
  const count = isCausal ? `min(row % ${rows}u + 1u, ${columns}u)` : `${columns}u`;
  const attends = isBool ? `i < count && mask[${maskAt}] != 0u` : "i < count";
  const added = mask === null || isBool ? "" : ` + f32(mask[${maskAt}])`;
  addRows({
    writes: { weights }, reads: mask === null ? {} : { mask },
    rows: product(lead) * rows, size: columns,
    combine: { largest_of: "max(a, b)", sum_of: "a + b" },
    body: (each) => `    let count = ${count};
    var largest = ${lowest};
    ${each} {
      let at = row * ${columns}u + i;
      if (${attends}) {
        let score = weights[at]${added};
        if (isOwn) { weights[at] = score; }
        largest = max(largest, score);
      }
    }
    let top = largest_of(thread, largest);
    var total = 0f;
    ${each} {
      let at = row * ${columns}u + i;
      var power = 0f;
      if (${attends}) { power = exp(weights[at] - top); }
      if (isOwn) { weights[at] = power; }
      total += power;
    }
    let sum = sum_of(thread, total);
    ${each} {
      let at = row * ${columns}u + i;
      if (isOwn && sum != 0f) { weights[at] /= sum; }
    }
`,
  });
}
