// Axes, counted from either end.

export function axisOf(axis, rank) {
  return axis < 0 ? axis + rank : axis;
}

// The product of dims[from] to dims[to - 1].
export function product(dims, from, to) {
  let result = 1;
  for (let axis = from; axis < to; ++axis) result *= dims[axis];
  return result;
}

export function stridesOf(dims) {
  const strides = new Array(dims.length);
  let stride = 1;
  for (let axis = dims.length - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    stride *= dims[axis];
  }
  return strides;
}

// Dims relative to one axis: element k of the row (o, i) is at (o * size + k) * inner + i.
export function viewAlong(dims, axis) {
  if (dims.length === 0) return { outer: 1, size: 1, inner: 1 };
  const place = axisOf(axis, dims.length);
  return {
    outer: product(dims, 0, place),
    size: dims[place],
    inner: product(dims, place + 1, dims.length),
  };
}

// The element of a tensor of dims `from` that broadcasts to element i of `to`; the last `skipped`
// axes of both are left out.
export function broadcastIndex(i, to, from, skipped = 0) {
  let index = 0;
  let stride = 1;
  for (let back = skipped + 1; back <= to.length && back <= from.length; ++back) {
    const size = from[from.length - back];
    const whole = to[to.length - back];
    if (size !== 1) index += (i % whole) * stride;
    i = Math.floor(i / whole);
    stride *= size;
  }
  return index;
}
