// Matrices with zeros above the diagonal.

export function tril(output, input) {
  const rank = output.dims.length;
  const [rows, columns] = [output.dims[rank - 2], output.dims[rank - 1]];
  for (let i = 0; i < output.size; ++i)
    output.data[i] = i % columns > Math.floor(i / columns) % rows ? 0 : input.data[i];
}
