// Memory of kernels, which grows to the largest need and stays.

const scratches = new Map();

// At least `size` elements, with unknown contents. `name` tells several uses at a time apart.
export function scratch(name, Elements, size) {
  let found = scratches.get(name);
  if (!found || found.length < size || found.constructor !== Elements) {
    found = new Elements(size);
    scratches.set(name, found);
  }
  return found;
}
