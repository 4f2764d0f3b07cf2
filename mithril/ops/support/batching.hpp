// Batching rules: `OpDef::batch`. A batched tensor has a new first axis.
#pragma once
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "mithril/graph/batch_context.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/ops/support/axes.hpp"
#include "mithril/ops/support/sizes.hpp"

namespace mithril {

// The value of a port `axis` of a tensor of this rank, after a new first axis. None, which means
// all axes, becomes a list of them.
inline Datum batched_axis(const Datum& axis, size_t rank) {
  const auto shifted = [](size_t at) { return Datum(static_cast<int64_t>(at) + 1); };
  if (axis.kind() == kind::int_value) return shifted(axis_of(axis.integer(), rank));
  Tuple items;
  const std::vector<bool> set = axis_set(axis, rank);
  if (axis.is_none()) {
    for (size_t at = 0; at < rank; ++at) items.push_back(shifted(at));
  } else {
    for (const size_t at : axis_list(axis, rank)) items.push_back(shifted(at));
  }
  return Datum(items);
}

// Calls the op with all tensors batched and in one dim, along which it then works.
inline void batch_flattened(BatchContext& c) {
  std::vector<Operand> operands = c.operands();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].expression()) continue;
    const std::string_view port = c.port_of(i);
    const int item = static_cast<int>(i - c.position(port));
    operands[i] = c.reshaped(c.batched(port, item), {product(c.dims(port, item))});
  }
  operands[c.position("axis")] = Datum(1);
  const std::vector<Expression> results = call_all(c.op().name, std::move(operands));
  for (size_t i = 0; i < results.size(); ++i) {
    const int index = static_cast<int>(i);
    c.become(c.reshaped(results[i], c.out_dims(index)), index);
  }
}

// Ops that mix the elements along `axis`, or along all axes if it is None.
inline void batch_beside_axis(BatchContext& c) {
  const std::string_view first = c.port_of(0);
  const size_t rank = c.rank(first);
  if (rank == 0) return batch_flattened(c);  // axis 0 of a scalar is not an axis
  std::vector<Operand> operands = c.operands();
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].expression()) continue;
    const std::string_view port = c.port_of(i);
    operands[i] = c.batched(port, static_cast<int>(i - c.position(port)));
  }
  operands[c.position("axis")] = batched_axis(c.value("axis"), rank);
  c.become_all(call_all(c.op().name, std::move(operands)));
}

// The same for ops whose axis None means the elements in one row.
inline void batch_beside_axis_or_flat(BatchContext& c) {
  return c.value("axis").is_none() ? batch_flattened(c) : batch_beside_axis(c);
}

// Ops that keep all elements in their order.
inline void batch_reshaped(BatchContext& c) {
  if (!c.is_batched("input"))
    return c.become_shared(call("reshape", {c.in("input"), Datum::dims(c.out_dims())}));
  c.become(c.reshaped(c.in("input"), c.out_dims()));
}

// The input broadcasts to the dims of the output.
inline void batch_expanded(BatchContext& c) {
  if (!c.is_batched("input"))
    return c.become_shared(call("broadcast_to", {c.in("input"), Datum::dims(c.out_dims())}));
  const Expression x = c.padded("input", c.out_dims().size());
  c.become(call("broadcast_to", {x, c.shape(c.out_dims())}));
}

// Ops that only read the dims of their tensor.
inline void batch_made(BatchContext& c) {
  std::vector<Operand> operands = c.operands();
  operands[c.position("like")] = c.shaped_like("like");
  c.become_shared(call(c.op().name, std::move(operands)));
}

// Slices, and their gradients, along `axes`.
inline void batch_sliced(BatchContext& c, std::vector<std::string_view> tensors, size_t rank) {
  std::vector<Operand> operands = c.operands();
  for (const std::string_view port : tensors) operands[c.position(port)] = c.batched(port);
  Datum axes = c.value("axes");
  if (axes.is_none()) {
    Tuple leading;
    for (size_t i = 0; i < c.value("starts").tuple().size(); ++i)
      leading.push_back(Datum(static_cast<int64_t>(i)));
    axes = Datum(leading);
  }
  operands[c.position("axes")] = batched_axis(axes, rank);
  c.become(call(c.op().name, std::move(operands)));
}

// The axis `from` of a tensor of this rank moved to the front.
inline Expression moved_to_front(const Expression& x, size_t from) {
  if (from == 0) return x;
  Tuple order{Datum(static_cast<int64_t>(from))};
  for (size_t i = 0; i < x.dims().size(); ++i) {
    if (i != from) order.push_back(Datum(static_cast<int64_t>(i)));
  }
  return call("transpose", {x, Datum(order)});
}

// The first axis moved to `to`.
inline Expression moved_from_front(const Expression& x, size_t to) {
  if (to == 0) return x;
  Tuple order;
  for (size_t i = 1; i < x.dims().size(); ++i) order.push_back(Datum(static_cast<int64_t>(i)));
  order.insert(order.begin() + static_cast<std::ptrdiff_t>(to), Datum(0));
  return call("transpose", {x, Datum(order)});
}

}  // namespace mithril
