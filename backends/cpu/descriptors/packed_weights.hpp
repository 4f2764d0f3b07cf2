// Constants in the layouts that kernels read, packed once for all plans of a graph.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Thread-safe.
class PackedWeights {
 public:
  using Bytes = std::shared_ptr<const std::byte[]>;  // plans share their ownership

  explicit PackedWeights(const Graph& graph);  // the graph must outlive this object

  const Tensor* find(ValueId id) const;  // null: not a constant
  Tensor plain(ValueId id);              // the constant in its own layout, read-only
  // Returns what `make` returns for this constant. Calls `make` only once for each `form`, which
  // identifies the packed layout.
  Bytes pack(ValueId id, int64_t form, const std::function<Bytes(const Tensor&)>& make);
  // Allocates memory for packed weights, aligned to 64 bytes and adjacent to earlier allocations if
  // possible. Only `make` may call this: pack() holds the lock meanwhile.
  std::shared_ptr<std::byte[]> allocate(int64_t bytes);

 private:
  std::map<ValueId, const Tensor*> constants_;
  std::mutex mutex_;
  std::map<ValueId, Tensor> plain_;
  std::map<std::pair<ValueId, int64_t>, Bytes> packed_;
  std::shared_ptr<std::byte[]> next_;  // free memory of left_ bytes; allocated_: bytes in all
  int64_t left_ = 0, allocated_ = 0;
};

}  // namespace mithril::cpu_backend
