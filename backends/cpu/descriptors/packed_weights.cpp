#include "backends/cpu/descriptors/packed_weights.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "backends/cpu/kernels/blocking.hpp"
#include "backends/cpu/runtime/elements.hpp"
#include "mithril/base/file_pages.hpp"
#include "mithril/base/large_memory.hpp"

namespace mithril::cpu_backend {

std::string_view name(PackedLayout layout) {
  constexpr std::array<std::string_view, 11> names = {
      "gemm",           "vnni_gemm",     "int16_gemm",   "byte_gemm",
      "integer_scales", "implicit_gemm", "direct_nchwc", "direct_nchw",
      "winograd_nchwc", "grouped_nchwc", "im2col"};
  return names[static_cast<size_t>(layout)];
}

PackedWeights::PackedWeights(const Graph& graph) {
  for (const Constant& constant : graph.constants()) {
    constants_.emplace(constant.value, &constant.tensor);
  }
}

const Tensor* PackedWeights::find(ValueId id) const {
  const auto at = constants_.find(id);
  return at == constants_.end() ? nullptr : at->second;
}

void PackedWeights::borrow(ValueId id, PackedWeights& owner, ValueId source) {
  borrowed_[id] = {&owner, source};
}

bool PackedWeights::can_pack(ValueId id) const { return find(id) || borrowed_.contains(id); }

const Tensor* PackedWeights::packable(ValueId id) const {
  const auto at = borrowed_.find(id);
  return at == borrowed_.end() ? find(id) : at->second.first->packable(at->second.second);
}

namespace {

Tensor padded(const Tensor& tensor, int64_t bytes) {
  const std::shared_ptr<std::byte[]> memory = large_memory(bytes);
  std::memset(memory.get(), 0, static_cast<size_t>(bytes));
  std::memcpy(memory.get(), tensor.raw_data(), tensor.bytes());
  return Tensor::over(tensor.dtype(), tensor.dims(), memory.get(), memory);
}

// Gives back the memory of a constant in a file, whose elements were copied.
void release(const Tensor& constant) {
  if (!constant.foreign()) release_file_pages(constant.raw_data(), constant.bytes());
}

}  // namespace

Tensor PackedWeights::plain(ValueId id, int64_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::pair key(id, bytes);
  auto known = plain_.find(key);
  if (known == plain_.end()) {
    const Tensor host = constants_.at(id)->host();
    const bool pads = static_cast<int64_t>(host.bytes()) < bytes;
    Tensor made = (pads ? padded(host, bytes) : where_floats_begin(host)).as_read_only();
    known = plain_.emplace(key, std::move(made)).first;
  }
  return known->second;
}

PackedWeights::Bytes PackedWeights::pack(ValueId id, const PackedFormat& format,
                                         const std::function<Bytes(const Tensor&)>& make) {
  const auto lent = borrowed_.find(id);
  if (lent != borrowed_.end()) return lent->second.first->pack(lent->second.second, format, make);
  const std::lock_guard lock(mutex_);
  Bytes& packed = packed_[{id, format}];
  if (packed) return packed;
  const Tensor& constant = *constants_.at(id);
  packed = make(constant);
  release(constant);
  return packed;
}

std::shared_ptr<std::byte[]> PackedWeights::allocate(int64_t bytes) {
  constexpr int64_t least = 1 << 16, most = 1 << 25;
  const int64_t size = round_up(bytes, 64);
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
