
let compiledModule = null;

// The file model.wasm beside this one, compiled once.
async function ownModule() {
  compiledModule ??= await WebAssembly.compile(await ownBytes());
  return compiledModule;
}

async function ownBytes() {
  const url = moduleUrl();
  if (url.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok)
    throw new MithrilError("E1045", `${url} cannot be read: status ${response.status}`);
  return response.arrayBuffer();
}

async function createModel({ wasm = undefined } = {}) {
  refuseWithoutSimd();
  return new Model(description, await wasmEngine(wasm ?? (await ownModule()), description.bytes));
}
