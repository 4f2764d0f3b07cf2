// Rows of elements along the last axis.

// Calls body(at, other) for each row: the index of its first element in a tensor of these dims,
// and its index with these steps.
export function eachRow(dims, steps, body) {
  const rank = dims.length;
  const length = rank > 0 ? dims[rank - 1] : 1;
  const place = new Array(rank).fill(0);
  let rows = 1;
  for (let axis = 0; axis < rank - 1; ++axis) rows *= dims[axis];
  let other = 0;
  for (let row = 0; row < rows; ++row) {
    body(row * length, other);
    for (let axis = rank - 2; axis >= 0; --axis) {
      other += steps[axis];
      if (++place[axis] < dims[axis]) break;
      other -= steps[axis] * dims[axis];
      place[axis] = 0;
    }
  }
}
