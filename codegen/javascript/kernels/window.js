// Windows over the last two axes of a tensor.

// The number for one axis, from a number or a tuple with a number for each axis.
export function along(numbers, axis) {
  return Array.isArray(numbers) ? numbers[axis] : numbers;
}

// One axis of a window: output i reads the input at i * stride - before + tap * dilation. Axis
// number `axis` of the last two, for tensors of these dims before and after the window.
export function windowAlong(axis, from, to, kernel, stride, padding, dilation) {
  return {
    input: from[from.length - 2 + axis],
    kernel,
    output: to[to.length - 2 + axis],
    stride: along(stride, axis),
    before: along(along(padding, axis), 0),
    dilation: along(dilation, axis),
  };
}

// The outputs from begin up to end have that tap inside the input.
export function outputsOfTap(window, tap) {
  const reaching = (place) => {
    const distance = place + window.before - tap * window.dilation;
    return distance <= 0 ? 0 : Math.min(window.output, Math.ceil(distance / window.stride));
  };
  const begin = reaching(0);
  return [begin, Math.max(begin, reaching(window.input))];
}
