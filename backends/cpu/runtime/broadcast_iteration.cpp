#include "backends/cpu/runtime/broadcast_iteration.hpp"

namespace mithril::cpu_backend {

BroadcastIteration::BroadcastIteration(const Dims& from, const Dims& to) {
  int64_t step = 1;
  for (size_t back = 1; back <= to.size(); ++back) {
    const int64_t size = to[to.size() - back];
    const int64_t own = back <= from.size() ? from[from.size() - back] : 1;
    const int64_t along = own == 1 ? 0 : step;
    step *= own;
    if (size == 1) continue;
    if (!axes_.empty() && along == axes_.back().step * axes_.back().size) {
      axes_.back().size *= size;
    } else {
      axes_.push_back({size, along});
    }
  }
  if (axes_.empty()) axes_.push_back({1, 0});
}

bool BroadcastIteration::is_dense() const {
  return axes_.size() == 1 && (axes_.front().step == 1 || axes_.front().size == 1);
}

bool BroadcastIteration::is_single() const { return axes_.size() == 1 && axes_.front().step == 0; }

}  // namespace mithril::cpu_backend
