// The engine of a WebAssembly module.

// (module (func (result v128) i32.const 0 i8x16.splat))
const simdModule = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15,
  11,
]);

// An error for an engine of JavaScript that cannot run the module; none if it can.
function refuseWithoutSimd() {
  const why = typeof WebAssembly !== "object" ? "WebAssembly" : "WebAssembly SIMD";
  if (why !== "WebAssembly" && WebAssembly.validate(simdModule)) return;
  const help = "\n  help: update the browser, or use the module that ml.to_javascript writes";
  throw new MithrilError("E1045", `this page has no ${why}${help}`);
}

function textAt(memory, address) {
  const bytes = new Uint8Array(memory.buffer, address);
  return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
}

// `source`: the bytes of the module, or a compiled one. The model has `bytes` bytes of memory.
async function wasmEngine(source, bytes) {
  refuseWithoutSimd();
  let memory = null;
  let stack = null;
  let stackTop = 0;
  const imports = {
    env: {
      mithril_fail(address) {
        stack.value = stackTop;
        throw new MithrilError("E1053", textAt(memory, address));
      },
    },
  };
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  const { exports } = await WebAssembly.instantiate(module, imports);
  memory = exports.memory;
  stack = exports.__stack_pointer;
  stackTop = stack.value;
  const start = Math.ceil(exports.__heap_base.value / 64) * 64;
  const pages = Math.ceil((start + bytes - memory.buffer.byteLength) / 65536);
  if (pages > 0) memory.grow(pages);
  const engine = {
    start,
    Int64Array: BigInt64Array,
    memory: () => memory.buffer,
    evaluate: () => exports.evaluate(start),
  };
  if (exports.evaluate_gradients)
    engine.evaluateGradients = () => exports.evaluate_gradients(start);
  return engine;
}
