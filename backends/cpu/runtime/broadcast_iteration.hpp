// How a tensor is walked along the elements of another that it is broadcast to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backends/cpu/runtime/axes.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::cpu_backend {

class BroadcastIteration {
 public:
  // The dims broadcast: each is that of `to`, or 1, or missing at the front.
  BroadcastIteration(const Dims& from, const Dims& to);

  bool is_dense() const;   // the elements are those of `to`, in their order
  bool is_single() const;  // there is one element for all
  // How many of the other's elements a run has at most, and whether all of them meet one element.
  int64_t run_size() const { return axes_.front().size; }
  bool is_repeated() const { return axes_.front().step == 0; }

  // Into how many equal parts both can be cut at most, so that each meets the same of the other.
  int64_t parts() const { return axes_.back().step == 0 ? 1 : axes_.back().size; }

  // Calls run(to, from, count, step) for runs of elements: `to` counts from 0 for the element
  // `begin`, `from` counts the tensor's elements, which are `step` (0 or more) apart.
  template <typename Run>
  void each_run(int64_t begin, int64_t end, Run run) const {
    int64_t at = begin;
    while (at < end) {
      int64_t rest = at, from = 0;
      for (const Axis& axis : axes_) {
        from += rest % axis.size * axis.step;
        rest /= axis.size;
      }
      const Axis& inner = axes_.front();
      const int64_t count = std::min(end - at, inner.size - at % inner.size);
      run(at - begin, from, count, inner.step);
      at += count;
    }
  }

 private:
  std::vector<Axis> axes_;  // innermost first; neighbours that are walked alike are one
};

}  // namespace mithril::cpu_backend
