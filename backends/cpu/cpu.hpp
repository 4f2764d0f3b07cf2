// The backend that runs in this process on the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "mithril/backend/backend.hpp"

namespace mithril {

struct CpuOptions {
  DType dtype = DType::float32;  // of floats that nothing else decides; a floating one
  // At most so many threads work on one evaluation; 0: as many as the process has processors. The
  // results have the same bits with any number.
  int threads = 0;
  // Runs node by node what each op's record says that it means, as slow as it is: the oracle that
  // tests compare with.
  bool reference = false;
  // In bytes: evaluating what would need more at once, inputs left out, is OutOfMemoryError E1101.
  std::optional<int64_t> memory_limit = {};
  // Convolutions of float32 with windows of 3 x 3 and a bound weight may be done by Winograd's
  // algorithm: faster, at a larger error (docs/cpu-backend.md), and NaN and infinity spread to
  // the neighbouring outputs.
  bool winograd = true;
  // Bound weights of products of float32 are rounded to this and held so, float16 or bfloat16, half
  // as large to read; they are widened to float32 when they are multiplied.
  std::optional<DType> weight_dtype = {};
  // Mixed precision (passes/mix_precision.hpp): products and convolutions in `amp_dtype`, float16
  // or bfloat16, what loses by it in float32; parameters and gradients stay as they are.
  bool use_amp = false;
  DType amp_dtype = DType::bfloat16;
};

// Shared, because every model compiled for it keeps it. TypeError E0383 for a dtype that is not
// floating, E0385 for an amp_dtype and E0387 for a weight_dtype that has not 16 bits, ValueError
// E0433 for fewer threads than none.
std::shared_ptr<Backend> cpu(CpuOptions options = {});

}  // namespace mithril
