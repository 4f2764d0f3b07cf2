// Errors, and sizes of tensors.

export class MithrilError extends Error {
  constructor(code, message, kind = "BackendError") {
    super(`mithril.${kind}[${code}]: ${message}`);
    this.name = "MithrilError";
    this.code = code;
  }
}

export function sizeOf(shape) {
  return shape.reduce((product, dim) => product * dim, 1);
}
