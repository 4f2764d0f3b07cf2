// Windows over the last two axes of a tensor.

// The number for one axis, from a number or a tuple with a number for each axis.
function along(numbers, axis) {
  return Array.isArray(numbers) ? numbers[axis] : numbers;
}

// One axis of a window: output i reads the input at i * stride - before + tap * dilation.
function windowAlong(axis, from, to, kernel, stride, padding, dilation) {
  return {
    input: from.at(axis - 2),
    output: to.at(axis - 2),
    kernel: along(kernel, axis),
    stride: along(stride, axis),
    before: along(along(padding, axis), 0),
    dilation: along(dilation, axis),
  };
}

// Both axes, for tensors of these dims before and after the window.
export function windowsOf(...sizes) {
  return { rows: windowAlong(0, ...sizes), columns: windowAlong(1, ...sizes) };
}

// An expression for the place that an output and a tap read; it is negative or too large in padding.
export function placeText({ stride, before, dilation }, output, tap) {
  return `i32(${output}) * ${stride}i - ${before}i + i32(${tap}) * ${dilation}i`;
}
