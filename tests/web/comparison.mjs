// Compares a generated module with tensors: param:NAME, data:NAME, gradients that come in
// (seed:NAME), and the expected outputs (output:NAME) and gradients (gradient:NAME).

function elementsOf(tensors) {
  return Object.fromEntries(Object.entries(tensors).map(([name, { data }]) => [name, data]));
}

// The largest difference, relative to the size of the numbers.
function difference(expected, got) {
  if (!got || got.length !== expected.length) return 1e300;
  let largest = 0;
  for (let i = 0; i < got.length; ++i) {
    const [a, b] = [Number(expected[i]), Number(got[i])];
    if (Object.is(a, b) || a === b) continue;
    const apart = Math.abs(a - b) / Math.max(1, Math.abs(a));
    if (!(apart < 1e300)) return 1e300;
    largest = Math.max(largest, apart);
  }
  return largest;
}

// `file`: the bytes of a safetensors file. Returns the difference of each output and gradient.
export async function compare({ createModel, readSafetensors }, file) {
  const sections = { param: {}, data: {}, seed: {}, output: {}, gradient: {} };
  for (const [name, tensor] of Object.entries(readSafetensors(file))) {
    const colon = name.indexOf(":");
    sections[name.slice(0, colon)][name.slice(colon + 1)] = tensor;
  }
  const model = await createModel();
  model.loadStateDict(sections.param);
  const data = elementsOf(sections.data);
  const result = { outputs: {}, gradients: {} };
  const check = (kind, expected, got) => {
    for (const [name, { data: elements }] of Object.entries(expected)) {
      const before = result[kind][name] ?? 0;
      result[kind][name] = Math.max(before, difference(elements, got[name]));
    }
  };
  for (let call = 0; call < 2; ++call) {
    model.resetStates();
    check("outputs", sections.output, await model.evaluate(data));
    if (Object.keys(sections.gradient).length === 0) continue;
    model.resetStates();
    const { outputs, gradients } = model.evaluateGradients(data, elementsOf(sections.seed));
    check("outputs", sections.output, outputs);
    check("gradients", sections.gradient, gradients);
  }
  return result;
}
