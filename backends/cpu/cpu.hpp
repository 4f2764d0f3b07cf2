// The backend that runs in this process on the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "mithril/backend/backend.hpp"

namespace mithril {

struct CpuOptions {
  DType dtype = DType::float32;  // the default dtype; a floating-point one
  // The most threads that one evaluation uses; 0: one for each processor of the process. Results
  // have the same bits with any number of threads.
  int threads = 0;
  // Runs the `eval` of each node's op, without any optimization. Slow: tests use it as the oracle.
  bool reference = false;
  // In bytes. An evaluation that needs more at once, without its inputs, raises OutOfMemoryError
  // E1101.
  std::optional<int64_t> memory_limit = {};
  // Lets float32 convolutions with 3 x 3 windows and a bound weight use Winograd's algorithm. It is
  // faster but has a larger error (docs/cpu-backend.md), and it spreads NaN and infinity to
  // neighbouring outputs.
  bool winograd = true;
  // Rounds bound weights of float32 GEMMs to this dtype, float16 or bfloat16, and holds them in 16
  // bits. The kernels read half as many bytes, and widen the weights to float32 to multiply.
  std::optional<DType> weight_dtype = {};
  // Mixed precision (passes/mix_precision.hpp): GEMMs and convolutions compute in `amp_dtype`,
  // float16 or bfloat16. Ops that would lose accuracy compute in float32. Parameters and gradients
  // keep their dtype.
  bool use_amp = false;
  DType amp_dtype = DType::bfloat16;
};

// Each compiled model shares the ownership of its backend. Raises TypeError E0383 if `dtype` is not
// floating-point, E0385 if `amp_dtype` does not have 16 bits, E0387 if `weight_dtype` does not have
// 16 bits, and ValueError E0433 if `threads` is negative.
std::shared_ptr<Backend> cpu(CpuOptions options = {});

}  // namespace mithril
