// node run_table.mjs FOLDER: compares the module of each case of cases.json with its results. Prints
// a line for each difference; then the exit status is 1.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const cases = JSON.parse(await readFile(join(folder, "cases.json"), "utf8"));

function numbers(arrays) {
  return Object.fromEntries(
    Object.entries(arrays).map(([key, elements]) => [key, elements.map(Number)]),
  );
}

function complaint(expected, got, tolerance) {
  for (const [key, elements] of Object.entries(expected)) {
    const found = got[key];
    if (found?.length !== elements.length) return `${key} has ${found?.length} elements`;
    for (let i = 0; i < found.length; ++i) {
      const [a, b] = [elements[i], Number(found[i])];
      if (Object.is(a, b)) continue;
      if (a === 0 && b === 0) return `${key}[${i}] is a zero of the other sign`;
      if (!(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a))))
        return `${key}[${i}] is ${b}, expected ${a}`;
    }
  }
  return "";
}

let wrong = 0;
for (const [number, each] of cases.entries()) {
  let found = "";
  try {
    const module = await import(pathToFileURL(join(folder, `${number}.mjs`)));
    const model = await module.createModel();
    model.loadStateDict(numbers(each.params));
    const data = numbers(each.data);
    found = complaint(numbers(each.outputs), model.evaluate(data), each.tolerance);
    if (!found && Object.keys(each.gradients).length > 0) {
      const { outputs, gradients } = model.evaluateGradients(data, numbers(each.seeds));
      found =
        complaint(numbers(each.outputs), outputs, each.tolerance) ||
        complaint(numbers(each.gradients), gradients, each.tolerance);
    }
  } catch (error) {
    found = error.stack;
  }
  if (!found) continue;
  ++wrong;
  console.log(`${each.what}: ${found}`);
}
process.exitCode = wrong > 0 ? 1 : 0;
