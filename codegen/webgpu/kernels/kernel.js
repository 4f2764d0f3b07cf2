// A kernel: a shader for tensors of given sizes, and the number of its workgroups.
import { withFunctions } from "./functions.js";

const mostGroups = 65535; // along one axis, on every device

// Records a kernel. `writes` and `reads` are tensors by their names in the shader, at most eight.
// `body` runs in each of `threads` threads of each of `groups` groups; it has the numbers `thread`
// and `group`. `globals` are declarations before it.
export function addKernel({ writes, reads = {}, groups, threads = 64, globals = "", body }) {
  if (groups === 0) return;
  const tensors = [...Object.entries(writes), ...Object.entries(reads)];
  const written = Object.keys(writes).length;
  const bindings = tensors.map(([name, { type }], i) => {
    const access = i < written ? "read_write" : "read";
    return `@group(0) @binding(${i}) var<storage, ${access}> ${name}: array<${type}>;\n`;
  });
  const rows = Math.ceil(groups / mostGroups);
  const columns = Math.ceil(groups / rows);
  const end = rows > 1 ? `    if (group >= ${groups}u) { return; }\n` : "";
  const main = `@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let group = workgroup.x + workgroup.y * ${columns}u;
${end}${body}}
`;
  tensors[0][1].program.kernels.push({
    code: bindings.join("") + withFunctions(globals + main),
    written,
    keys: tensors.map(([, tensor]) => tensor.key),
    groups: [columns, rows],
  });
}
