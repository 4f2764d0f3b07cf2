// Copies blocks whose axes have any strides.

export function copyStrided(to, toStart, toSteps, from, fromStart, fromSteps, dims) {
  const rank = dims.length;
  const length = rank > 0 ? dims[rank - 1] : 1;
  const toStep = rank > 0 ? toSteps[rank - 1] : 0;
  const fromStep = rank > 0 ? fromSteps[rank - 1] : 0;
  const place = new Array(rank).fill(0);
  let rows = 1;
  for (let axis = 0; axis < rank - 1; ++axis) rows *= dims[axis];
  let t = toStart;
  let f = fromStart;
  for (let row = 0; row < rows; ++row) {
    for (let i = 0; i < length; ++i) to[t + i * toStep] = from[f + i * fromStep];
    for (let axis = rank - 2; axis >= 0; --axis) {
      t += toSteps[axis];
      f += fromSteps[axis];
      if (++place[axis] < dims[axis]) break;
      t -= toSteps[axis] * dims[axis];
      f -= fromSteps[axis] * dims[axis];
      place[axis] = 0;
    }
  }
}
