// Heads of attention: queries, keys and values as [batch, heads, length, size].
#pragma once
#include <optional>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {

// [B, S, heads * D] as [B, heads, S, D], and back.
Connection split_heads(const Connection& x, std::int64_t heads);
Connection merged_heads(const Connection& x);

// Inputs 0, 1 and 2, whose keys and values are repeated for neighbouring heads of the queries. The
// numbers of heads have to be known.
struct Heads {
  Connection queries, keys, values;
};
Heads aligned(Heads heads);

// The products of queries and keys. The scale is the attribute of the node, or else 1 / sqrt(D).
// Its root multiplies both, rounded to their type.
Connection scaled_products(const NodeContext& node, const Heads& heads);

}  // namespace mithril::onnx
