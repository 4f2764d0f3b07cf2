// Constants as kernels like them best, made once for all plans of a graph.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// Any number of threads may ask at once.
class PackedWeights {
 public:
  using Bytes = std::shared_ptr<const std::byte[]>;  // shared: plans keep what their steps read

  explicit PackedWeights(const Graph& graph);  // which outlives it

  const Tensor* find(ValueId id) const;  // null: it is no constant
  Tensor plain(ValueId id);              // a constant as it is, read-only
  // What `make` gives for this constant, if it was not asked for before: `form` tells the ways
  // apart in which one constant may be packed.
  Bytes pack(ValueId id, int64_t form, const std::function<Bytes(const Tensor&)>& make);
  // For `make`, in which no other thread asks: so many bytes, aligned to 64, side by side with
  // those that were allocated before.
  std::shared_ptr<std::byte[]> allocate(int64_t bytes);

 private:
  std::map<ValueId, const Tensor*> constants_;
  std::mutex mutex_;
  std::map<ValueId, Tensor> plain_;
  std::map<std::pair<ValueId, int64_t>, Bytes> packed_;
  std::shared_ptr<std::byte[]> next_;  // where so many bytes are left, of so many in all
  int64_t left_ = 0, allocated_ = 0;
};

}  // namespace mithril::cpu_backend
