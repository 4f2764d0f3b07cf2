// The peak performance of this machine, for comparison with workloads.
#pragma once

namespace mithril::bench {

// Prints {"gflops": 10^9 operations a second, where a fused multiply-add of floats counts as two,
// "gbytes_per_s": the memory traffic of sums or of a * x + y, whichever is more}, both the best of
// several tries on this number of threads.
void peak(int threads);

}  // namespace mithril::bench
