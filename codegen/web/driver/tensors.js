// Tensors of the driver, and utilities for them.
import { sizeOf } from "../basics.js";
import { LMError, check, checkDevice, isObject, isWhole, optionsOf, shown } from "./errors.js";

const arrays = {
  float32: Float32Array,
  float64: Float64Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

function arrayOf(dtype) {
  const known = Object.keys(arrays).join(", ");
  check("dtype", dtype, (name) => Object.hasOwn(arrays, name), `one of ${known}`);
  return arrays[dtype];
}

function checkShape(shape) {
  const isShape = (dims) => Array.isArray(dims) && dims.every(isWhole);
  check("shape", shape, isShape, "an array of whole numbers");
}

function checkData(data) {
  const isArray = Array.isArray(data) || (ArrayBuffer.isView(data) && "length" in data);
  if (!isArray) throw new LMError(`data is ${shown(data)}, expected an array of numbers`);
  for (let i = 0; i < data.length; ++i)
    check(`data[${i}]`, data[i], (element) => typeof element === "number", "a number");
}

function checkTensor(tensor) {
  check("tensor", tensor, isObject, "a tensor");
}

const tensorDefaults = { dtype: "float32", device: "cpu", requiresGrad: false };

export const TorchUtils = Object.freeze({
  // createTensor(data, options) makes a tensor of one axis; createTensor(data, shape, options) has
  // the shape.
  createTensor(data, shapeOrOptions = undefined, options = undefined) {
    const hasShape = Array.isArray(shapeOrOptions);
    if (options !== undefined) checkShape(shapeOrOptions);
    const given = hasShape ? options : shapeOrOptions;
    const { dtype, device, requiresGrad } = optionsOf(
      "createTensor()", given === undefined ? {} : given, tensorDefaults,
    );
    const Elements = arrayOf(dtype);
    checkDevice("device", device);
    check("requiresGrad", requiresGrad, (flag) => typeof flag === "boolean", "true or false");
    if (requiresGrad && !dtype.startsWith("float"))
      throw new LMError(`requiresGrad is true and dtype is '${dtype}': only floats have gradients`);
    checkData(data);
    const shape = hasShape ? [...shapeOrOptions] : [data.length];
    checkShape(shape);
    if (data.length !== sizeOf(shape))
      throw new LMError(`${data.length} elements do not fill the shape [${shape.join(", ")}]`);
    return { data: Elements.from(data), shape, dtype, device, requiresGrad };
  },

  // A tensor of another library is moved by its own method.
  toDevice(tensor, device) {
    checkTensor(tensor);
    checkDevice("device", device);
    return typeof tensor.to === "function" ? tensor.to(device) : { ...tensor, device };
  },

  extractTensorData(tensor) {
    checkTensor(tensor);
    const { data } = tensor;
    if (typeof data === "function") return Array.from(tensor.data());
    if (data === undefined && typeof tensor.dataSync !== "function")
      throw new LMError(`the tensor ${shown(tensor)} has no data`);
    return Array.from(data ?? tensor.dataSync());
  },

  // Of a tensor, or of a shape and a dtype. A tensor without a dtype has elements of 4 bytes.
  calculateTensorMemory(tensor, dtype = "float32") {
    if (Array.isArray(tensor)) {
      checkShape(tensor);
      return sizeOf(tensor) * arrayOf(dtype).BYTES_PER_ELEMENT;
    }
    checkTensor(tensor);
    if (typeof tensor.numel === "function") return tensor.numel() * tensor.element_size();
    checkShape(tensor.shape);
    return sizeOf(tensor.shape) * arrayOf(tensor.dtype ?? "float32").BYTES_PER_ELEMENT;
  },
});
