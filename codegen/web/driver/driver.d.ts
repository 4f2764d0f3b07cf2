/** Generates text with a byte-level language model in a Mithril package. */

export type DeviceType = "cpu" | "webgl" | "webgpu";

export interface TorchModelConfig {
  /** The folder or .zip file of a package: an address, or in Node a path. */
  modelPath?: string;
  /** Default "cpu". A device that is not available is an LMError. */
  deviceType?: DeviceType;
  /** Sizes that the package must have. */
  architecture?: {
    inputSize: number;
    hiddenSize: number;
    outputSize: number;
    numLayers: number;
  };
}

export interface GenerateOptions {
  maxTokens?: number;
  /** 0: always the most probable byte. */
  temperature?: number;
  topP?: number;
  stopSequences?: string[];
  /** The same seed gives the same text. */
  seed?: number;
}

export declare class LMError extends Error {
  constructor(message: string, options?: { cause?: unknown });
  readonly cause?: unknown;
}

export declare class TorchModel {
  constructor(config?: TorchModelConfig);
  init(): Promise<void>;
  generate(prompt: string, options?: GenerateOptions): Promise<string>;
  cleanup(): void;
}

export type TensorDType = "float32" | "float64" | "int32" | "uint8";
export type TensorData = Float32Array | Float64Array | Int32Array | Uint8Array;

export interface Tensor {
  readonly data: TensorData;
  readonly shape: readonly number[];
  readonly dtype: TensorDType;
  readonly device: DeviceType;
}

export declare const TorchUtils: {
  createTensor(
    data: ArrayLike<number>,
    shape: readonly number[],
    options?: { dtype?: TensorDType; device?: DeviceType },
  ): Tensor;
  toDevice(tensor: Tensor, device: DeviceType): Tensor;
  /** A copy of the elements. */
  extractTensorData(tensor: Tensor): TensorData;
  /** In bytes. */
  calculateTensorMemory(shape: readonly number[], dtype?: TensorDType): number;
};
