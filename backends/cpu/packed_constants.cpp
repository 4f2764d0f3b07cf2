#include "backends/cpu/packed_constants.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <new>

namespace mithril::cpu_backend {
namespace {

constexpr size_t large_page = size_t{1} << 21;

}  // namespace

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
  const auto size = static_cast<size_t>(bytes);
  const std::align_val_t alignment{size < large_page ? size_t{64} : large_page};
  auto* memory = static_cast<std::byte*>(::operator new(size, alignment));
#ifdef __linux__
  // Advice that may be left: weights that come from memory wait less for its tables.
  if (size >= large_page) static_cast<void>(madvise(memory, size, MADV_HUGEPAGE));
#endif
  return {memory, [alignment](std::byte* held) { ::operator delete(held, alignment); }};
}

}  // namespace mithril::cpu_backend
