// Discrete Fourier transforms of complex numbers, which are pairs along the last axis. The
// algorithms are those of mithril/ops/shared/fourier.hpp.

const LARGEST_FACTOR = 13;

export function fft(output, input, inverse) {
  const size = input.dims[input.dims.length - 2];
  if (size === 0) return;
  const transform = transformOf(size, inverse);
  for (let first = 0; first < input.size; first += 2 * size) {
    const row = Float64Array.from(input.data.subarray(first, first + 2 * size));
    output.data.set(transform(row), first);
  }
}

// A function of pairs that returns pairs.
function transformOf(size, inverse) {
  const factors = radicesOf(size);
  return factors ? smooth(size, factors, inverse) : chirped(size, inverse);
}

// The prime factors, or null if one of them is large.
function radicesOf(size) {
  const factors = [];
  for (let factor = 2; factor <= LARGEST_FACTOR; ++factor) {
    for (; size > 1 && size % factor === 0; size /= factor) factors.push(factor);
  }
  return size === 1 ? factors : null;
}

function rootsOf(order, inverse) {
  const roots = new Float64Array(2 * order);
  for (let k = 0; k < order; ++k) {
    const angle = (2 * Math.PI * k) / order;
    roots[2 * k] = Math.cos(angle);
    roots[2 * k + 1] = inverse ? Math.sin(angle) : -Math.sin(angle);
  }
  return roots;
}

function smooth(size, factors, inverse) {
  const roots = rootsOf(size, inverse);
  const terms = new Float64Array(2 * LARGEST_FACTOR);

  // Elements k of the parts become elements k, k + part, k + 2 part of the whole.
  function join(radix, part, step, k, out, at) {
    for (let r = 0; r < radix; ++r) {
      const place = 2 * (at + k + r * part);
      const root = 2 * r * k * step;
      terms[2 * r] = out[place] * roots[root] - out[place + 1] * roots[root + 1];
      terms[2 * r + 1] = out[place] * roots[root + 1] + out[place + 1] * roots[root];
    }
    for (let q = 0; q < radix; ++q) {
      let [real, imaginary] = [0, 0];
      for (let r = 0; r < radix; ++r) {
        const root = 2 * ((r * q) % radix) * part * step;
        real += terms[2 * r] * roots[root] - terms[2 * r + 1] * roots[root + 1];
        imaginary += terms[2 * r] * roots[root + 1] + terms[2 * r + 1] * roots[root];
      }
      out[2 * (at + k + q * part)] = real;
      out[2 * (at + k + q * part) + 1] = imaginary;
    }
  }

  function run(count, level, row, from, out, at) {
    if (count === 1) {
      out[2 * at] = row[2 * from];
      out[2 * at + 1] = row[2 * from + 1];
      return;
    }
    const radix = factors[level];
    const [part, step] = [count / radix, size / count];
    for (let r = 0; r < radix; ++r) run(part, level + 1, row, from + r * step, out, at + r * part);
    for (let k = 0; k < part; ++k) join(radix, part, step, k, out, at);
  }

  return (row) => {
    const out = new Float64Array(2 * size);
    run(size, 0, row, 0, out, 0);
    return out;
  };
}

// As a convolution whose size is a power of two.
function chirped(size, inverse) {
  let count = 1;
  while (count < 2 * size - 1) count *= 2;
  const forward = transformOf(count, false);
  const back = transformOf(count, true);
  const roots = rootsOf(2 * size, inverse);
  const chirp = new Float64Array(2 * count);
  const taps = new Float64Array(2 * count);
  for (let k = 0; k < size; ++k) {
    const root = 2 * ((k * k) % (2 * size));
    chirp.set(roots.subarray(root, root + 2), 2 * k);
    for (const place of k > 0 ? [k, count - k] : [0]) {
      taps.set([roots[root] / count, -roots[root + 1] / count], 2 * place);
    }
  }
  const filter = forward(taps);
  return (row) => {
    const terms = new Float64Array(2 * count);
    terms.set(row);
    const sums = back(products(forward(products(terms, chirp)), filter));
    return products(sums, chirp).subarray(0, 2 * size);
  };
}

function products(x, y) {
  const out = new Float64Array(x.length);
  for (let k = 0; k < x.length; k += 2) {
    out[k] = x[k] * y[k] - x[k + 1] * y[k + 1];
    out[k + 1] = x[k] * y[k + 1] + x[k + 1] * y[k];
  }
  return out;
}
