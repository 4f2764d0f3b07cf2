// Files of tensors in the format of safetensors.
import { MithrilError, sizeOf } from "./basics.js";

const arraysOfSafetensors = {
  F64: ["float64", Float64Array],
  F32: ["float32", Float32Array],
  I64: ["int64", BigInt64Array],
  I32: ["int32", Int32Array],
  I16: ["int16", Int16Array],
  I8: ["int8", Int8Array],
  U8: ["uint8", Uint8Array],
  BOOL: ["bool", Uint8Array],
  F16: ["float16", Uint16Array],
  BF16: ["bfloat16", Uint16Array],
};

function parseError(code, why) {
  return new MithrilError(code, why, "ParseError");
}

function headerOf(bytes) {
  if (bytes.byteLength < 8) throw parseError("E0740", "the file has no header of a safetensors file");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Number(view.getBigUint64(0, true));
  if (length > bytes.byteLength - 8) throw parseError("E0740", "the file has no header of a safetensors file");
  const text = new TextDecoder().decode(bytes.subarray(8, 8 + length));
  try {
    return { header: JSON.parse(text), begin: 8 + length };
  } catch (error) {
    const text = "the header is not that of a safetensors file";
    throw parseError("E0741", `${text}\n  why : ${error.message}`);
  }
}

function tensorOf(name, entry, bytes, begin) {
  const known = arraysOfSafetensors[entry?.dtype];
  if (!known) throw parseError("E0742", `the tensor '${name}' has the unknown dtype '${entry?.dtype}'`);
  const [dtype, Elements] = known;
  const [first, last] = entry.data_offsets ?? [];
  const shape = Array.isArray(entry.shape) ? entry.shape : [NaN];
  if (![first, last, ...shape].every((number) => Number.isSafeInteger(number) && number >= 0))
    throw parseError("E0741", `the dims or data_offsets of the tensor '${name}' are not sizes`);
  const size = sizeOf(shape);
  if (last - first !== size * Elements.BYTES_PER_ELEMENT)
    throw parseError("E0744", `the tensor '${name}' has another size than its dims`);
  if (!(first >= 0 && last <= bytes.byteLength - begin))
    throw parseError("E0745", `the file is cut in the tensor '${name}'`);
  let at = bytes.byteOffset + begin + first;
  let buffer = bytes.buffer;
  if (at % Elements.BYTES_PER_ELEMENT !== 0) {
    buffer = buffer.slice(at, at + last - first);
    at = 0;
  }
  const elements = new Elements(buffer, at, size);
  if (dtype === "float16" || dtype === "bfloat16")
    return { dtype: "float32", shape: entry.shape, data: widened(elements, dtype) };
  return { dtype, shape: entry.shape, data: elements };
}

// Halves as floats of 32 bits.
function widened(halves, dtype) {
  const bits = new Uint32Array(halves.length);
  const floats = new Float32Array(bits.buffer);
  for (let i = 0; i < halves.length; ++i) {
    if (dtype === "bfloat16") {
      bits[i] = halves[i] << 16;
      continue;
    }
    const sign = halves[i] & 0x8000 ? -1 : 1;
    const exponent = (halves[i] >> 10) & 31;
    const fraction = halves[i] & 1023;
    if (exponent === 0) floats[i] = sign * fraction * 2 ** -24;
    else if (exponent === 31) floats[i] = fraction ? NaN : sign * Infinity;
    else floats[i] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  return floats;
}

// The tensors of a file by name: views of its bytes, unless they are halves or lie at an address
// that is not a multiple of their size.
export function readSafetensors(file) {
  const bytes = file instanceof ArrayBuffer ? new Uint8Array(file) : file;
  const { header, begin } = headerOf(bytes);
  const tensors = {};
  for (const [name, entry] of Object.entries(header))
    if (name !== "__metadata__") tensors[name] = tensorOf(name, entry, bytes, begin);
  return tensors;
}

// A file of tensors, as stateDict returns them.
export function writeSafetensors(tensors) {
  const names = { float64: "F64", float32: "F32", int64: "I64", int32: "I32", bool: "BOOL" };
  const header = {};
  const parts = [];
  let offset = 0;
  for (const name of Object.keys(tensors).sort()) {
    const { dtype, shape, data } = tensors[name];
    const whole = dtype === "int64" ? BigInt64Array.from(data, (x) => BigInt(x)) : data;
    const part = new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength);
    header[name] = { dtype: names[dtype], shape, data_offsets: [offset, offset + part.length] };
    parts.push(part);
    offset += part.length;
  }
  let text = JSON.stringify(header);
  text += " ".repeat((8 - (text.length % 8)) % 8);
  const head = new TextEncoder().encode(text);
  const padding = (8 - (head.length % 8)) % 8;
  const file = new Uint8Array(8 + head.length + padding + offset).fill(32);
  new DataView(file.buffer).setBigUint64(0, BigInt(head.length + padding), true);
  file.set(head, 8);
  let at = 8 + head.length + padding;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}
