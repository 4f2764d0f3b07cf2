export interface LoadOptions {
  /** The bytes of model.wasm, or a WebAssembly.Module; otherwise the file beside this one. */
  wasm?: ArrayBuffer | ArrayBufferView | object;
}

/** Error E1045 where there is no WebAssembly SIMD. */
export declare function createModel(options?: LoadOptions): Promise<Model>;
