// What this machine can do at most, to compare workloads with.
#pragma once

namespace mithril::bench {

// Prints {"gflops": 10^9 operations a second, a fused multiply-add of floats counted as two,
// "gbytes_per_s": what sums or a * x + y take from memory and give to it, whichever is more}, both
// the best of some tries by so many threads.
void peak(int threads);

}  // namespace mithril::bench
