/** Generates text with a language model of a Mithril package, or with a network that it trains. */

export type DeviceType = "cpu" | "webgl" | "webgpu";

export interface GenerationOptions {
  /** Default 64. */
  maxTokens?: number;
  /** 0: always the most probable byte. Default 1. */
  temperature?: number;
  /** Default 1. */
  topP?: number;
  stopSequences?: string[];
}

/** What pipelines take as a language model. */
export interface LMDriver {
  generate(prompt: string, options?: GenerationOptions): Promise<string>;
  init?(): Promise<void>;
  cleanup?(): Promise<void>;
}

export interface Architecture {
  /** The number of tokens that the network reads. With 256 of inputs and outputs they are bytes. */
  inputSize: number;
  hiddenSize: number;
  /** The number of tokens that the network chooses from. */
  outputSize: number;
  /** The number of attention blocks, at most 1000. Default 1. */
  numLayers?: number;
  /** The number of tokens that the network reads at a time. Default 64. */
  contextLength?: number;
}

export interface TorchModelConfig {
  /** The folder or .zip file of a package, or a .safetensors file that save() wrote: an address, or in
   * Node a path. */
  modelPath?: string;
  /** The bytes that save() returned. */
  weights?: ArrayBuffer | Uint8Array;
  /** The sizes of a new network. With modelPath or weights: sizes that the model must have. */
  architecture?: Architecture;
  /** Default "cpu". A device that is not available is an LMError. */
  deviceType?: DeviceType;
  /** The same seed gives a new network the same weights. */
  seed?: number;
}

export interface GenerateOptions extends GenerationOptions {
  /** The same seed gives the same text. */
  seed?: number;
}

export type Numbers =
  | readonly number[]
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

export interface TrainOptions {
  /** Default 100. */
  steps?: number;
  /** Sequences in a step. Default 8. */
  batchSize?: number;
  /** Default 0.003. */
  learningRate?: number;
  /** Default "adam". */
  optimizer?: "adam" | "sgd";
  /** The same seed takes the same sequences. */
  seed?: number;
  onStep?: (progress: { step: number; loss: number }) => void;
}

export declare class LMError extends Error {
  constructor(message: string, cause?: unknown);
  readonly cause?: any;
}

export declare class TorchModel implements LMDriver {
  constructor(config?: TorchModelConfig);
  init(): Promise<void>;
  generate(prompt: string, options?: GenerateOptions): Promise<string>;
  /** Trains a network of the driver on a text or on tokens. `losses` has the mean cross entropy of each
   * step, in nats per token. */
  train(data: string | Numbers, options?: TrainOptions): Promise<{ losses: number[] }>;
  /** The weights of a network as a .safetensors file. In Node it is also written to a path. */
  save(path?: string): Promise<Uint8Array>;
  cleanup(): Promise<void>;
}

export type TensorDType = "float32" | "float64" | "int32" | "uint8";
export type TensorData = Float32Array | Float64Array | Int32Array | Uint8Array;

export interface Tensor {
  readonly data: TensorData;
  readonly shape: readonly number[];
  readonly dtype: TensorDType;
  readonly device: DeviceType;
  readonly requiresGrad: boolean;
}

export interface TensorOptions {
  /** Default "float32". */
  dtype?: TensorDType;
  /** Default "cpu". */
  device?: DeviceType;
  /** A mark. Default false. */
  requiresGrad?: boolean;
}

export declare const TorchUtils: {
  /** A tensor of one axis. */
  createTensor(data: Numbers, options?: TensorOptions): Tensor;
  createTensor(data: Numbers, shape: readonly number[], options?: TensorOptions): Tensor;
  toDevice(tensor: Tensor, device: DeviceType): Tensor;
  /** The elements as numbers. */
  extractTensorData(tensor: Tensor): number[];
  /** In bytes. */
  calculateTensorMemory(tensor: Tensor): number;
  calculateTensorMemory(shape: readonly number[], dtype?: TensorDType): number;
};
