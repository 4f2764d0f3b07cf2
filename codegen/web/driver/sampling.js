// Random numbers, and tokens by their probability.

// Numbers from 0 to 1 that only depend on the seed (mulberry32). Without a seed they are random.
export function randomNumbers(seed) {
  if (seed === undefined) return Math.random;
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// A number of the normal distribution (Box and Muller).
export function normalNumber(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

// A token by its probability, among the most probable ones that together have topP.
export function choose(logits, temperature, topP, random) {
  const order = Array.from(logits, (_, token) => token).sort((a, b) => logits[b] - logits[a]);
  if (temperature === 0) return order[0];
  const top = logits[order[0]];
  const weights = order.map((token) => Math.exp((logits[token] - top) / temperature));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  let kept = 0;
  let mass = 0;
  while (kept < order.length && (kept === 0 || mass < topP * whole)) mass += weights[kept++];
  let left = random() * mass;
  for (let i = 0; i < kept; ++i) {
    left -= weights[i];
    if (left < 0) return order[i];
  }
  return order[kept - 1];
}
