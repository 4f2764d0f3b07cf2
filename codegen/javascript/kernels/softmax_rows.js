// The largest element of a row, and the sum of the exponentials below it.

// Writes x - top - log(sum) or exp(x - top) / sum for each row along the axis.
export function softmaxRows(output, input, view, logarithm) {
  const x = input.data;
  const y = output.data;
  const { outer, size, inner } = view;
  for (let o = 0; o < outer; ++o) {
    for (let i = 0; i < inner; ++i) {
      const first = o * size * inner + i;
      const end = first + size * inner;
      let top = -Infinity;
      for (let at = first; at < end; at += inner) if (!(x[at] <= top)) top = x[at];
      let sum = 0;
      for (let at = first; at < end; at += inner) {
        const power = Math.exp(x[at] - top);
        sum += power;
        if (!logarithm) y[at] = power;
      }
      const offset = top + Math.log(sum);
      if (logarithm) {
        for (let at = first; at < end; at += inner) y[at] = x[at] - offset;
      } else {
        for (let at = first; at < end; at += inner) y[at] /= sum;
      }
    }
  }
}
