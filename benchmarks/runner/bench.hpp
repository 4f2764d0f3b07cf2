// Measures a workload on the CPU backend.
#pragma once

#include <string>

namespace mithril::bench {

struct BenchOptions {
  std::string workload;
  int rounds = 5, threads = 0;
  // The folder that shared/benchmarks/peers.py prepares: inputs.npz, params.npz and ref.npz. Empty:
  // random numbers, and no error is told.
  std::string data = {};
};

// {"ms": the median of a call, "cold_s": from the weights in memory to the first result,
// "rel_err": the relative distance from the reference}
std::string bench(const BenchOptions& options);

}  // namespace mithril::bench
