#include "mithril/tensor/memory_extents.hpp"

#include <algorithm>
#include <iterator>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril {

void MemoryExtents::add(const void* data, std::size_t bytes, const std::string& name) {
  const auto* begin = static_cast<const std::byte*>(data);
  if (bytes > 0) all_.push_back({begin, begin + bytes, &name});
}

void MemoryExtents::add(const Tensor& tensor, const std::string& name) {
  if (!tensor.foreign()) add(tensor.raw_data(), tensor.bytes(), name);
}

void MemoryExtents::check_apart() {
  std::sort(all_.begin(), all_.end(),
            [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  const auto met = std::adjacent_find(
      all_.begin(), all_.end(), [](const Extent& a, const Extent& b) { return b.begin < a.end; });
  if (met == all_.end()) return;
  raise({.kind = ErrorKind::input,
         .code = "E0812",
         .message = in_quotes(*met->name) + " and " + in_quotes(*std::next(met)->name) +
                    " share elements, and a training step updates each in place",
         .help = "give copies of them, or make them one parameter of the model"});
}

bool MemoryExtents::meet(const Tensor& tensor) const {
  if (tensor.foreign()) return false;
  const auto* begin = static_cast<const std::byte*>(tensor.raw_data());
  const auto* end = begin + tensor.bytes();
  return std::any_of(all_.begin(), all_.end(),
                     [&](const Extent& other) { return begin < other.end && other.begin < end; });
}

}  // namespace mithril
