// The engine of a module that computes with WebGPU.

function refuseDevice(why) {
  const help =
    "open the page from https:// or http://localhost in a browser with WebGPU, or use the module " +
    "that ml.to_javascript writes for the CPU, or that of ml.to_wasm";
  return new MithrilError("E1045", `${why}\n  help: ${help}`);
}

// With the largest buffers that the device has.
async function newDevice() {
  const gpu = globalThis.navigator?.gpu;
  if (!gpu) throw refuseDevice("there is no WebGPU here: navigator.gpu is undefined");
  const adapter = await gpu.requestAdapter();
  if (!adapter) throw refuseDevice("WebGPU finds no adapter here");
  const { maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
  const device = await adapter.requestDevice({
    requiredLimits: { maxStorageBufferBindingSize, maxBufferSize },
  });
  device.lost.then(() => {
    sharedDevice = null;
  });
  return device;
}

let sharedDevice = null; // a promise

function deviceOfModels() {
  sharedDevice ??= newDevice().catch((error) => {
    sharedDevice = null;
    throw error;
  });
  return sharedDevice;
}

// Runs an action, and throws what the device finds wrong with it.
async function checked(device, what, action) {
  device.pushErrorScope("out-of-memory");
  device.pushErrorScope("validation");
  let result;
  let failure = null;
  try {
    result = await action();
  } catch (error) {
    failure = error;
  }
  const found = await Promise.all([device.popErrorScope(), device.popErrorScope()]);
  failure ??= found.find((error) => error);
  if (failure instanceof MithrilError) throw failure;
  if (failure) throw new MithrilError("E1053", `WebGPU cannot ${what}: ${failure.message}`);
  return result;
}

const bytesOfElement = 4; // of all types on the device

class GpuEngine {
  start = 0;
  Int64Array = Int32Array; // ints of 64 bits are ints of 32 bits on the device
  #description;
  #device;
  #program;
  #memory; // the ports
  #changed = new Set();
  #buffers = new Map();
  #kernels = [];
  #results; // the outputs and the flag of failures, for the CPU to read
  #isRunning = false;
  #loss = null;

  constructor(description, device, program) {
    this.#description = description;
    this.#device = device;
    this.#program = program;
    this.#memory = new ArrayBuffer(description.bytes);
    device.lost.then(({ message }) => {
      this.#loss = message || "it is lost";
    });
  }

  // Makes the buffers and compiles the shaders. Ports that no kernel reads have no buffer.
  async prepare() {
    const { bytes, constants, kernels } = this.#program;
    const { STORAGE, COPY_DST, COPY_SRC, MAP_READ } = GPUBufferUsage;
    await checked(this.#device, "prepare the model", async () => {
      const usage = STORAGE | COPY_DST | COPY_SRC;
      for (const [key, size] of bytes) this.#buffers.set(key, this.#newBuffer(size, usage));
      for (const [key, elements] of constants) this.#upload(key, elements);
      const sizes = this.#outputs().map((port) => bytesOfElement * sizeOf(port.shape));
      const size = sizes.reduce((sum, each) => sum + each, bytesOfElement);
      this.#results = this.#newBuffer(size, MAP_READ | COPY_DST);
      const pipelines = new Map();
      for (const { code, written, keys } of kernels) {
        if (!pipelines.has(code)) pipelines.set(code, this.#pipeline(code, written, keys.length));
      }
      const made = new Map();
      for (const [code, pipeline] of pipelines) made.set(code, await pipeline);
      this.#kernels = kernels.map((kernel) => ({
        pipeline: made.get(kernel.code),
        bindings: this.#bindings(made.get(kernel.code), kernel.keys),
        groups: kernel.groups,
      }));
    });
  }

  memory() {
    return this.#memory;
  }

  // The elements of the port are uploaded before the next evaluation.
  changed(port) {
    this.#changed.add(port);
  }

  // Computes the outputs, and returns what `read` returns.
  async compute(read) {
    if (this.#loss !== null) throw new MithrilError("E1053", `the device is lost: ${this.#loss}`);
    if (this.#isRunning)
      throw new MithrilError("E1053", "the model is being evaluated: await evaluate() first");
    this.#isRunning = true;
    try {
      await checked(this.#device, "evaluate the model", () => this.#run());
      return read();
    } finally {
      this.#isRunning = false;
    }
  }

  dispose() {
    for (const buffer of this.#buffers.values()) buffer.destroy();
    this.#results.destroy();
  }

  #outputs() {
    return this.#description.outputs.filter((port) => this.#buffers.has(port.offset));
  }

  #newBuffer(size, usage) {
    return this.#device.createBuffer({ size, usage });
  }

  #pipeline(code, written, count) {
    const device = this.#device;
    const entries = Array.from({ length: count }, (_, binding) => ({
      binding,
      visibility: GPUShaderStage.COMPUTE,
      buffer: { type: binding < written ? "storage" : "read-only-storage" },
    }));
    const layout = device.createPipelineLayout({
      bindGroupLayouts: [device.createBindGroupLayout({ entries })],
    });
    const module = device.createShaderModule({ code });
    return device.createComputePipelineAsync({ layout, compute: { module, entryPoint: "main" } });
  }

  #bindings(pipeline, keys) {
    const entries = keys.map((key, binding) => ({
      binding,
      resource: { buffer: this.#buffers.get(key) },
    }));
    return this.#device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
  }

  #upload(key, elements) {
    const buffer = this.#buffers.get(key);
    if (buffer && elements.length > 0) this.#device.queue.writeBuffer(buffer, 0, elements);
  }

  #elements(port) {
    const Elements = { float32: Float32Array, bool: Uint8Array }[port.dtype] ?? Int32Array;
    return new Elements(this.#memory, port.offset, sizeOf(port.shape));
  }

  async #run() {
    for (const port of this.#changed) {
      const elements = this.#elements(port);
      this.#upload(port.offset, port.dtype === "bool" ? Uint32Array.from(elements) : elements);
    }
    this.#changed.clear();
    const encoder = this.#device.createCommandEncoder();
    const failure = this.#buffers.get("failure");
    if (failure) encoder.clearBuffer(failure);
    const pass = encoder.beginComputePass();
    for (const { pipeline, bindings, groups } of this.#kernels) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, bindings);
      pass.dispatchWorkgroups(...groups);
    }
    pass.end();
    let end = bytesOfElement;
    if (failure) encoder.copyBufferToBuffer(failure, 0, this.#results, 0, bytesOfElement);
    for (const port of this.#outputs()) {
      const size = bytesOfElement * sizeOf(port.shape);
      encoder.copyBufferToBuffer(this.#buffers.get(port.offset), 0, this.#results, end, size);
      end += size;
    }
    this.#device.queue.submit([encoder.finish()]);
    await this.#results.mapAsync(GPUMapMode.READ);
    this.#read(this.#results.getMappedRange());
  }

  #read(results) {
    const [failure] = new Uint32Array(results, 0, 1);
    let end = bytesOfElement;
    for (const port of this.#outputs()) {
      const to = this.#elements(port);
      const Elements = port.dtype === "bool" ? Uint32Array : to.constructor;
      to.set(new Elements(results, end, to.length));
      end += bytesOfElement * to.length;
    }
    this.#results.unmap();
    if (this.#program.failures.length > 0 && failure > 0)
      throw new MithrilError("E1053", this.#program.failures[failure - 1]);
  }
}

async function webgpuEngine(ports, record) {
  const device = await deviceOfModels();
  const program = new GpuProgram();
  record(program);
  const engine = new GpuEngine(ports, device, program);
  await engine.prepare();
  return engine;
}
