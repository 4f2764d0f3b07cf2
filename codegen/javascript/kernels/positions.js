// 0, 1, 2, ...

export function positions(output, _like) {
  for (let i = 0; i < output.size; ++i) output.data[i] = i;
}
