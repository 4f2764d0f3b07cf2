
let compiledModule = null;

// The file model.wasm beside this one, compiled once.
async function ownModule() {
  compiledModule ??= await WebAssembly.compile(await ownBytes());
  return compiledModule;
}

async function ownBytes() {
  if (moduleUrl.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(moduleUrl);
  }
  const response = await fetch(moduleUrl);
  if (!response.ok)
    throw new MithrilError("E1045", `${moduleUrl} cannot be read: status ${response.status}`);
  return response.arrayBuffer();
}

async function createModel({ wasm = undefined } = {}) {
  refuseWithoutSimd();
  return new Model(description, await wasmEngine(wasm ?? (await ownModule()), description.bytes));
}
