export type DType = "float32" | "float64" | "int32" | "int64" | "bool";

/** Elements in row-major order. Int64 is read as numbers. */
export type Elements = Float32Array | Float64Array | Int32Array | Uint8Array;

export interface Port {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: readonly number[];
}

export interface Weight {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: ArrayLike<number> | BigInt64Array;
}
export type Weights = Record<string, Weight | ArrayLike<number>>;

export interface LoadReport {
  missing: string[];
  unexpected: string[];
  mismatched: { key: string; expected: number[]; found: number[] }[];
}

export declare class MithrilError extends Error {
  readonly code: string;
}

export interface Optimizer {
  step(gradients: Gradients): void;
}

export declare class Model {
  private constructor();
  readonly name: string;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  /** Views of the memory of the parameters. */
  readonly parameters: Parameters;
  /** Views of the memory of the states, which evaluation replaces. */
  readonly states: States;
  evaluate(data: Data): Evaluation;
  /** Without outputGradients, final_cost gets 1, or the only output if it is a scalar. */
  evaluateGradients(
    data: Data,
    outputGradients?: OutputGradients,
  ): { outputs: Outputs; gradients: Gradients };
  /** Evaluates gradients and takes a step of the optimizer. */
  trainStep(data: Data, optimizer: Optimizer, outputGradients?: OutputGradients): Outputs;
  loadStateDict(weights: Weights, options?: { strict?: boolean }): LoadReport;
  stateDict(): Record<string, { dtype: DType; shape: number[]; data: Elements | BigInt64Array }>;
  resetStates(): void;
  dispose(): void;
}

export interface SGDOptions {
  learningRate?: number;
  momentum?: number;
  dampening?: number;
  weightDecay?: number;
  nesterov?: boolean;
}
export declare class SGD implements Optimizer {
  constructor(model: Model, options?: SGDOptions);
  learningRate: number;
  step(gradients: Gradients): void;
}

export interface AdamOptions {
  learningRate?: number;
  beta1?: number;
  beta2?: number;
  epsilon?: number;
  weightDecay?: number;
}
export declare class Adam implements Optimizer {
  constructor(model: Model, options?: AdamOptions);
  learningRate: number;
  step(gradients: Gradients): void;
}

/** The tensors of a safetensors file: views of its bytes. */
export declare function readSafetensors(file: ArrayBuffer | Uint8Array): Record<string, Weight>;
export declare function writeSafetensors(
  tensors: Record<
    string,
    { dtype: DType; shape: readonly number[]; data: Elements | BigInt64Array }
  >,
): Uint8Array;
