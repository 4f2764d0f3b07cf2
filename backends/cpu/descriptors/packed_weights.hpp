// Constants in the layouts that kernels read, packed once for all plans of a graph.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "mithril/graph/graph.hpp"

namespace mithril::cpu_backend {

// How a weight is packed: the kernel that reads it, and what else the bytes depend on.
enum class PackedLayout : uint8_t {
  gemm,
  vnni_gemm,       // pairs of bfloat16 along k
  int16_gemm,      // pairs of int16 along k
  byte_gemm,       // quads of int8 along k
  integer_scales,  // the scales of integers times scales, and no elements
  implicit_gemm,
  direct_nchwc,
  direct_nchw,  // for a planar source with few channels
  winograd_nchwc,
  grouped_nchwc,
  im2col,
};

std::string_view name(PackedLayout layout);  // "direct_nchwc"

struct PackedFormat {
  PackedLayout layout;
  int64_t groups = 1;                // of a convolution
  std::optional<DType> stored = {};  // the narrower dtype of the elements; none: their own
  bool transposed = false;           // the last two axes of a GEMM's B are exchanged

  auto operator<=>(const PackedFormat&) const = default;
};

// Thread-safe.
class PackedWeights {
 public:
  using Bytes = std::shared_ptr<const std::byte[]>;  // plans share their ownership

  explicit PackedWeights(const Graph& graph);  // the graph must outlive this object

  const Tensor* find(ValueId id) const;  // null: not a constant
  // The input `id` is the constant `source` of another graph. It is packed there, once for both.
  // `owner` must outlive this object.
  void borrow(ValueId id, PackedWeights& owner, ValueId source);
  bool can_pack(ValueId id) const;  // a constant, or borrowed
  // The elements that `pack` would pass to `make`; null: there are none.
  const Tensor* packable(ValueId id) const;
  // The input is the same in all steps of a loop, so a step may pack it before the first one
  // (Step::begin_loop).
  void mark_invariant(ValueId id) { invariant_.insert(id); }
  bool is_invariant(ValueId id) const { return invariant_.contains(id); }
  // The constant in its own layout, read-only. If it has fewer than `bytes` bytes, a copy that is
  // followed by zeros.
  Tensor plain(ValueId id, int64_t bytes);
  // The constant, or what was borrowed, in this format. Calls `make` if it was not packed in this
  // format before.
  Bytes pack(ValueId id, const PackedFormat& format,
             const std::function<Bytes(const Tensor&)>& make);
  // Memory for `make`, which holds the lock: this many bytes, aligned to 64, next to the bytes that
  // were allocated before.
  std::shared_ptr<std::byte[]> allocate(int64_t bytes);

 private:
  std::map<ValueId, const Tensor*> constants_;
  std::map<ValueId, std::pair<PackedWeights*, ValueId>> borrowed_;
  std::set<ValueId> invariant_;
  std::mutex mutex_;
  std::map<std::pair<ValueId, int64_t>, Tensor> plain_;
  std::map<std::pair<ValueId, PackedFormat>, Bytes> packed_;
  std::shared_ptr<std::byte[]> next_;  // free memory of left_ bytes; allocated_: bytes in all
  int64_t left_ = 0, allocated_ = 0;
};

}  // namespace mithril::cpu_backend
