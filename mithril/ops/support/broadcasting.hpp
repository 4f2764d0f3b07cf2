// Broadcasting: walking tensors that are broadcast together, and undoing it in gradients.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "mithril/graph/grad_context.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {

// An axis of the result, and the stride of each operand along it: 0 if it is broadcast.
template <size_t n>
struct BroadcastAxis {
  int64_t size;
  std::array<int64_t, n> steps;

  bool continues(const BroadcastAxis& inner) const {
    for (size_t k = 0; k < n; ++k) {
      if (steps[k] != inner.steps[k] * inner.size) return false;
    }
    return true;
  }
};

// Compares sizes that were symbols when the graph was made.
inline void require_broadcast(const Dims& from, const Dims& to) {
  bool fits = from.size() <= to.size();
  for (size_t back = 1; fits && back <= from.size(); ++back) {
    const int64_t size = from[from.size() - back];
    fits = size == 1 || size == to[to.size() - back];
  }
  if (fits) return;
  raise({.kind = ErrorKind::shape,
         .code = "E0203",
         .message = "dims " + to_string(from) + " do not broadcast to " + to_string(to)});
}

// The axes of `to`, innermost first; adjacent axes are merged if the strides of every operand allow
// it.
template <size_t n>
std::vector<BroadcastAxis<n>> broadcast_axes(const Dims& to,
                                             const std::array<const Dims*, n>& from) {
  for (const Dims* dims : from) require_broadcast(*dims, to);
  std::vector<BroadcastAxis<n>> axes;
  std::array<int64_t, n> strides;
  strides.fill(1);
  for (size_t back = 1; back <= to.size(); ++back) {
    BroadcastAxis<n> axis{to[to.size() - back], {}};
    for (size_t k = 0; k < n; ++k) {
      const int64_t size = back <= from[k]->size() ? (*from[k])[from[k]->size() - back] : 1;
      axis.steps[k] = size == 1 ? 0 : strides[k];
      strides[k] *= size;
    }
    if (axis.size == 1) continue;
    if (!axes.empty() && axis.continues(axes.back())) {
      axes.back().size *= axis.size;
    } else {
      axes.push_back(axis);
    }
  }
  if (axes.empty()) axes.push_back({1, {}});
  return axes;
}

// Calls body(flat, at) for every element of `to` in row-major order; at[k] is the index of the
// element of operand k that meets it. The dims of each operand broadcast to `to`. Example:
//   each_broadcast<2>(c.out().dims(), {&c.dims("left"), &c.dims("right")},
//                     [&](int64_t i, auto& at) { y[i] = a[at[0]] + b[at[1]]; });
template <size_t n, typename Body>
void each_broadcast(const Dims& to, const std::array<const Dims*, n>& from, Body body) {
  const int64_t count = element_count(to);
  const auto axes = broadcast_axes(to, from);
  const BroadcastAxis<n> inner = axes.front();
  std::vector<int64_t> index(axes.size());
  std::array<int64_t, n> start{};
  auto move = [](std::array<int64_t, n>& at, const std::array<int64_t, n>& steps, int64_t times) {
    for (size_t k = 0; k < n; ++k) at[k] += steps[k] * times;
  };
  for (int64_t flat = 0; flat < count;) {
    std::array<int64_t, n> at = start;
    for (int64_t i = 0; i < inner.size; ++i, ++flat, move(at, inner.steps, 1)) body(flat, at);
    for (size_t axis = 1; axis < axes.size(); ++axis) {
      move(start, axes[axis].steps, 1);
      if (++index[axis] < axes[axis].size) break;
      move(start, axes[axis].steps, -axes[axis].size);
      index[axis] = 0;
    }
  }
}

inline bool same_dims(const Expression& a, const Expression& b) {
  if (!a.ranked() || !b.ranked() || a.dims().size() != b.dims().size()) return false;
  for (size_t i = 0; i < a.dims().size(); ++i) {
    if (!same(a.dims()[i], b.dims()[i])) return false;
  }
  return true;
}

// The sum over the axes along which `like` was broadcast; sizes and the rank may be unknown.
inline Expression sum_to(const Expression& grad, const Expression& like) {
  return same_dims(grad, like) ? grad : call("sum_to", {grad, like});
}

// Broadcast to the dims of `like`; the dtype stays.
inline Expression expand_like(const Expression& input, const Expression& like) {
  return same_dims(input, like) ? input : call("expand_like", {input, like});
}

// One number in the dims and the dtype of `like`.
inline Expression fill_like(const Expression& like, double number) {
  return call("fill_like", {like, number});
}

// States the gradient of a port that the op may have broadcast and promoted.
inline void flow_summed(GradContext& g, std::string_view port, const Expression& grad,
                        int item = 0) {
  const Expression like = g.in(port, item);
  const Expression summed = sum_to(grad, like);
  const bool narrowed = summed.dtype() != like.dtype();
  g.flow(port, narrowed ? call("cast", {summed, Datum(like.dtype())}) : summed, item);
}

}  // namespace mithril
