#include "backends/cpu/packed_constants.hpp"

#include <new>

namespace mithril::cpu_backend {

PackedConstants::PackedConstants(const Graph& graph) {
  for (const Constant& constant : graph.constants()) {
    constants_.emplace(constant.value, &constant.tensor);
  }
}

const Tensor* PackedConstants::find(ValueId id) const {
  const auto at = constants_.find(id);
  return at == constants_.end() ? nullptr : at->second;
}

PackedConstants::Bytes PackedConstants::pack(ValueId id, int64_t form,
                                             const std::function<Bytes(const Tensor&)>& make) {
  const std::lock_guard lock(mutex_);
  Bytes& packed = packed_[{id, form}];
  if (!packed) packed = make(*constants_.at(id));
  return packed;
}

std::shared_ptr<std::byte[]> aligned_bytes(int64_t bytes) {
  constexpr std::align_val_t alignment{64};
  auto* memory = static_cast<std::byte*>(::operator new(static_cast<size_t>(bytes), alignment));
  return {memory, [](std::byte* held) { ::operator delete (held, std::align_val_t{64}); }};
}

}  // namespace mithril::cpu_backend
