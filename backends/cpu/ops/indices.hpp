// The indices of ops that gather and scatter.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backends/cpu/runtime/step.hpp"
#include "mithril/tensor/dtype.hpp"

namespace mithril::cpu_backend {

// `count` indices, int32 or int64, along an axis of `size` elements. Negative ones count from the
// end.
struct Indices {
  BufferRef place;
  DType dtype;
  int64_t count, size;

  Indices at(BufferRef other) const { return {other, dtype, count, size}; }

  // Calls body(at), where at(i) is index i, from 0 to size - 1. If an index is out of range,
  // returns false instead: the `eval` of the op then raises the error.
  template <typename Body>
  bool visit(const BufferTable& buffers, const Body& body) const {
    return dtype == DType::int64 ? visit_as<int64_t>(buffers, body)
                                 : visit_as<int32_t>(buffers, body);
  }

 private:
  template <typename Index, typename Body>
  bool visit_as(const BufferTable& buffers, const Body& body) const {
    const Index* index = buffers.read<Index>(place);
    const bool fits =
        std::all_of(index, index + count, [&](Index at) { return at >= -size && at < size; });
    if (fits) {
      body([index, size = size](int64_t i) {
        const auto at = static_cast<int64_t>(index[i]);
        return at < 0 ? at + size : at;
      });
    }
    return fits;
  }
};

}  // namespace mithril::cpu_backend
