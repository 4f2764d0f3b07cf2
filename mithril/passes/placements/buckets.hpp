// Which partial values are reduced in one exchange.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/passes/placements/find_placements.hpp"

namespace mithril {

struct Bucket {
  Reduction reduction;
  DType dtype = DType::float32;
  int64_t bytes = 0;  // of the members whose size is known
  std::vector<ValueId> members = {};
  int64_t made = -1;  // the node that makes the last member; -1: an input
};

// The reduced values in the order of their makers, in buckets of at most `bytes` bytes. Values on
// which a later exchange depends have buckets of their own, which end at their first reader.
std::vector<Bucket> make_buckets(const Graph& graph, const FoundPlacements& placements,
                                 int64_t bytes);

// The bytes of a value; none if its size is open.
std::optional<int64_t> known_bytes(const Value& value);

}  // namespace mithril
