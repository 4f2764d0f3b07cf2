// The least time of a call of a generated module, in milliseconds. With labels a call is a step of
// Adam.
export async function measure(module, file, { shapes, rounds, turn }) {
  const model = await module.createModel();
  const weights = module.readSafetensors(file);
  model.loadStateDict(weights);
  const data = {};
  for (const [key, shape] of Object.entries(shapes)) {
    const size = shape.reduce((product, dim) => product * dim, 1);
    data[key] =
      key === "label"
        ? Int32Array.from({ length: size }, (_, i) => i % 10)
        : Float32Array.from({ length: size }, (_, i) => Math.sin(i));
  }
  const adam = new module.Adam(model);
  const call = shapes.label
    ? () => model.trainStep(data, adam, { loss: [1] })
    : () => model.evaluate(data);
  let least = Infinity;
  for (let round = 0; round <= rounds; ++round) {
    for (const end = performance.now() + turn; performance.now() < end; ) {
      // Clocks of browsers have steps of 0.1 ms, so short calls are timed together.
      const began = performance.now();
      let calls = 0;
      do {
        call();
        ++calls;
      } while (performance.now() - began < 5);
      least = Math.min(least, (performance.now() - began) / calls);
    }
  }
  return least;
}
