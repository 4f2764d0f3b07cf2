// Kernels with a thread for each element.
import { addKernel } from "./kernel.js";

// Runs `body` for each number `element` below `count`, by default the size of the first tensor.
export function addElements(writes, reads, body, { count = undefined, globals = "" } = {}) {
  const end = count ?? Object.values(writes)[0].size;
  addKernel({
    writes, reads, globals, groups: Math.ceil(end / 64),
    body: `    let element = group * 64u + thread;
    if (element >= ${end}u) { return; }
${body}`,
  });
}
