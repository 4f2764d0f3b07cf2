// Functions of operands that are broadcast to the output.
import { addElements } from "./elements.js";
import { literal } from "./functions.js";
import { broadcastText } from "./indices.js";
import { GpuTensor } from "./program.js";

// output = `result`, an expression of the names of the operands, which are tensors or numbers.
export function addFunction(output, operands, result, { writes = {}, before = "" } = {}) {
  const reads = {};
  const values = Object.entries(operands).map(([name, operand]) => {
    if (!(operand instanceof GpuTensor))
      return `    let ${name} = ${literal(operand, output.type)};\n`;
    reads[`${name}_tensor`] = operand;
    const at = broadcastText("element", output.dims, operand.dims);
    return `    let ${name} = ${output.type}(${name}_tensor[${at}]);\n`;
  });
  const end = `    output[element] = ${result};\n`;
  addElements({ output, ...writes }, reads, values.join("") + before + end);
}

// The same for the quotient or the rest of `a` and `b`, with other expressions for ints. An int
// that is divided by zero is an error.
export function addDivision(output, a, b, { floats, ints, name }) {
  if (output.type === "f32") {
    addFunction(output, { a, b }, floats);
    return;
  }
  const { flag, number } = output.program.failure(`${name}: an int is divided by zero`);
  addFunction(output, { a, b }, `select(${ints}, 0i, b == 0i)`, {
    writes: { failure: flag },
    before: `    if (b == 0i) { failure[0] = ${number}u; }\n    let rest = a % b;\n`,
  });
}
