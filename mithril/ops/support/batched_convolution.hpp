// Batching rules of convolutions: a batch of convolutions is one with more groups.
#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/ops/support/batching.hpp"

namespace mithril {

// [N, C, H, W] with the new axis as [N, size * C, H, W].
inline Expression channels_joined(BatchContext& c, std::string_view port) {
  std::vector<Dim> dims = c.dims(port);
  const Expression x = call("transpose", {c.batched(port), Datum::ints({1, 0, 2, 3, 4})});
  dims[1] = c.size() * dims[1];
  return call("reshape", {x, Datum::dims(dims)});
}

// The reverse, for an output.
inline Expression channels_divided(BatchContext& c, const Expression& x) {
  std::vector<Dim> dims = c.out_dims();
  dims.insert(dims.begin() + 1, c.size());
  return call("transpose", {call("reshape", {x, Datum::dims(dims)}), Datum::ints({1, 0, 2, 3, 4})});
}

// The weight or the bias: the new axis and the first dim as one.
inline Expression outputs_joined(BatchContext& c, std::string_view port) {
  std::vector<Dim> dims = c.dims(port);
  dims[0] = c.size() * dims[0];
  return call("reshape", {c.batched(port), Datum::dims(dims)});
}

// The op with the groups of all: `images` have channels, `weights` have outputs first.
inline Expression grouped_convolution(BatchContext& c, std::vector<std::string_view> images,
                                      std::vector<std::string_view> weights) {
  std::vector<Operand> operands = c.operands();
  for (const std::string_view port : images) operands[c.position(port)] = channels_joined(c, port);
  for (const std::string_view port : weights) {
    if (c.has(port)) operands[c.position(port)] = outputs_joined(c, port);
  }
  operands[c.position("groups")] = Datum(c.size() * c.value("groups").dim());
  return call(c.op().name, std::move(operands));
}

}  // namespace mithril
