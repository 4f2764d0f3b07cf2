// Measures a workload on the CPU backend.
#pragma once

#include <optional>
#include <string>

#include "mithril/tensor/dtype.hpp"

namespace mithril::bench {

struct BenchOptions {
  std::string workload;
  int rounds = 5, threads = 0;
  // The folder that benchmarks/peers/prepare.py writes: inputs.npz, params.npz and ref.npz. Empty:
  // random numbers, and no error is reported.
  std::string data = {};
  bool native = false;           // loops over elements are compiled by the system's compiler
  DType dtype = DType::float32;  // of inputs, weights and results
  std::optional<DType> weight_dtype = {};  // in which products of float32 hold bound weights
  bool mixed = false;                      // products in bfloat16, the rest in float32
  // Measures on request: for each number of seconds that it reads from standard input.
  bool takes_turns = false;
};

// Prints a line: {"ms": the median of a call, "cold_s": from the weights in memory to the first
// result, "rel_err": the relative distance from the reference}. Where it takes turns, the line is
// without "ms", and one follows for each turn: {"ms", "cpu_s": seconds of the processor}.
void bench(const BenchOptions& options);

}  // namespace mithril::bench
