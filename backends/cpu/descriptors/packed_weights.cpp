#include "backends/cpu/descriptors/packed_weights.hpp"

#include <algorithm>

#include "backends/cpu/runtime/half_elements.hpp"
#include "mithril/base/large_memory.hpp"

namespace mithril::cpu_backend {

PackedWeights::PackedWeights(const Graph& graph) {
  for (const Constant& constant : graph.constants()) {
    constants_.emplace(constant.value, &constant.tensor);
  }
}

const Tensor* PackedWeights::find(ValueId id) const {
  const auto at = constants_.find(id);
  return at == constants_.end() ? nullptr : at->second;
}

Tensor PackedWeights::plain(ValueId id) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = plain_.try_emplace(id);
  if (is_new) known->second = where_floats_begin(constants_.at(id)->host()).as_read_only();
  return known->second;
}

PackedWeights::Bytes PackedWeights::pack(ValueId id, const PackedFormat& format,
                                         const std::function<Bytes(const Tensor&)>& make) {
  const std::lock_guard lock(mutex_);
  Bytes& packed = packed_[{id, format}];
  if (!packed) packed = make(*constants_.at(id));
  return packed;
}

std::shared_ptr<std::byte[]> PackedWeights::allocate(int64_t bytes) {
  constexpr int64_t line = 64, least = 1 << 16, most = 1 << 25;
  const int64_t size = (bytes + line - 1) / line * line;
  if (size > left_) {
    const int64_t more = std::max(size, std::clamp(allocated_, least, most));
    next_ = large_memory(more);
    left_ = more;
    allocated_ += more;
  }
  const std::shared_ptr<std::byte[]> piece(next_, next_.get());
  next_ = {next_, next_.get() + size};
  left_ -= size;
  return piece;
}

}  // namespace mithril::cpu_backend
