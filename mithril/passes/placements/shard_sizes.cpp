#include "mithril/passes/placements/shard_sizes.hpp"

namespace mithril {
namespace {

// dim / divisor if there is no remainder for any size.
std::optional<Dim> exact_quotient(const Dim& dim, int64_t divisor) {
  if (divisor <= 0) return std::nullopt;
  const Dim quotient = resolve(floor_divide(dim, Dim(divisor)));
  if (!same(quotient * Dim(divisor), dim)) return std::nullopt;
  return quotient;
}

}  // namespace

std::optional<BlockSizes> block_sizes(const Dim& dim, int64_t size, int64_t outer,
                                      int64_t processes) {
  const Dim whole = resolve(dim);
  const std::optional<Dim> local = exact_quotient(whole, processes);
  if (!local || outer <= 0 || size % (outer * processes) != 0) return std::nullopt;
  if (outer == 1) return BlockSizes{1, *local, *local};
  // One of both is a number. The example does not say which if both can be.
  const int64_t inner = size / (outer * processes);
  const std::optional<Dim> inner_size = exact_quotient(*local, outer);
  const std::optional<Dim> outer_size = exact_quotient(*local, inner);
  if (whole.is_constant() && inner_size) return BlockSizes{outer, *inner_size, *local};
  if (inner_size.has_value() == outer_size.has_value()) return std::nullopt;
  if (inner_size) return BlockSizes{outer, *inner_size, *local};
  return BlockSizes{*outer_size, inner, *local};
}

}  // namespace mithril
