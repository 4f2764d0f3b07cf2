// For `expand` of ops that move elements, where the rank of an input may not be known.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/graph/grad_context.hpp"

namespace mithril {

// The dims of the tensor. ValueError E0403 if its rank is not known.
inline std::vector<Dim> ranked_dims(const Expression& x, std::string_view op) {
  if (x.ranked()) return x.dims();
  raise({.kind = ErrorKind::value,
         .code = "E0403",
         .path = x.value().name,
         .message = std::string(op) + ": the rank of this input is not known",
         .help = "state its shape: `shapes` of compile, or set_shapes"});
}

// The tensor repeated along axes of size 1, of which the rank stays.
inline Expression broadcast(const Expression& x, const std::vector<Dim>& dims) {
  return call("broadcast_to", {x, Datum::dims(dims)});
}

// `count` copies of a tensor of unknown rank, concatenated along the axis.
inline Expression copies(const Expression& x, const Dim& count, int64_t axis, std::string_view op) {
  const Dim number = resolve(count);
  if (!number.is_constant()) ranked_dims(x, op);
  if (number.is_constant(0)) {
    return call("slice",
                {x, Datum(Tuple{0}), Datum(Tuple{0}), Datum(Tuple{1}), Datum(Tuple{axis})});
  }
  std::vector<Operand> operands(static_cast<size_t>(number.constant()), x);
  operands.emplace_back(Datum(axis));
  return call("concat", std::move(operands));
}

inline Expression reshaped(const Expression& x, const std::vector<Dim>& dims) {
  return call("reshape", {x, Datum::dims(dims)});
}

}  // namespace mithril
