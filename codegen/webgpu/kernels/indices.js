// Axes, and indices of elements as expressions of WGSL.

export function axisOf(axis, rank) {
  return axis < 0 ? axis + rank : axis;
}

// The product of dims[from] to dims[to - 1].
export function product(dims, from = 0, to = dims.length) {
  let result = 1;
  for (let axis = from; axis < to; ++axis) result *= dims[axis];
  return result;
}

export function stridesOf(dims) {
  return dims.map((_, axis) => product(dims, axis + 1));
}

// Dims relative to one axis: element k of the row (o, i) is at (o * size + k) * inner + i.
export function viewAlong(dims, axis) {
  if (dims.length === 0) return { outer: 1, size: 1, inner: 1 };
  const place = axisOf(axis, dims.length);
  return { outer: product(dims, 0, place), size: dims[place], inner: product(dims, place + 1) };
}

// Per axis of `to`, the step in a tensor of dims `from` that is broadcast to it.
export function broadcastSteps(to, from) {
  const strides = stridesOf(from);
  return to.map((_, axis) => {
    const own = axis - to.length + from.length;
    return own < 0 || from[own] === 1 ? 0 : strides[own];
  });
}

// The index, in a tensor with these steps, of element number `variable` of a tensor of these sizes.
// Unsigned numbers wrap, so steps may be negative.
export function indexText(variable, sizes, steps, start = 0) {
  if (sizes.includes(0)) return "0u"; // there is no element
  const axes = [];
  sizes.forEach((size, axis) => {
    const last = axes.at(-1);
    if (size === 1) return;
    if (!last || last.step !== steps[axis] * size) {
      axes.push({ size, step: steps[axis] });
      return;
    }
    last.size *= size;
    last.step = steps[axis];
  });
  const terms = [];
  let within = product(sizes);
  axes.forEach(({ size, step }, axis) => {
    within /= size;
    if (step === 0) return;
    const place = within === 1 ? variable : `${variable} / ${within}u`;
    const along = axis === 0 ? `(${place})` : `(${place} % ${size}u)`;
    terms.push(step === 1 ? along : `${along} * ${step >>> 0}u`);
  });
  if (start !== 0 || terms.length === 0) terms.push(`${start >>> 0}u`);
  return terms.join(" + ");
}

// The index of the element of a tensor of dims `from` that broadcasts to element number `variable`
// of `to`.
export function broadcastText(variable, to, from) {
  return indexText(variable, to, broadcastSteps(to, from));
}
