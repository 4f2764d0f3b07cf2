// Ops that only move elements: iteration over strided memory, reshaping, errors in eval.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/graph/grad_context.hpp"
#include "mithril/op/eval_context.hpp"

namespace mithril {

// Calls body(flat, at) for every index of `dims` in row-major order: `at` starts at `start` and
// moves by steps[i] along axis i. Example, a transposed matrix: each_strided({columns, rows}, {1,
// columns}, 0, ...).
template <typename Body>
void each_strided(const Dims& dims, const Dims& steps, int64_t start, Body body) {
  const int64_t count = element_count(dims);
  const size_t rank = dims.size();
  const int64_t inner = rank == 0 ? 1 : dims.back(), inner_step = rank == 0 ? 0 : steps.back();
  Dims index(rank);
  for (int64_t flat = 0; flat < count;) {
    for (int64_t i = 0; i < inner; ++i, ++flat) body(flat, start + i * inner_step);
    for (size_t axis = rank - (rank > 0); axis-- > 0;) {
      start += steps[axis];
      if (++index[axis] < dims[axis]) break;
      start -= steps[axis] * dims[axis];
      index[axis] = 0;
    }
  }
}

// The elements of "input" that each_strided visits for the output's dims.
inline void copy_strided(EvalContext& c, const Dims& steps, int64_t start) {
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    each_strided(c.out().dims(), steps, start, [&](int64_t i, int64_t at) { y[i] = x[at]; });
  });
}

// For conditions that are only known at run time: ValueError E0402.
[[noreturn]] inline void reject(const EvalContext& c, const std::string& message,
                                std::string expected, std::string got) {
  raise({.kind = ErrorKind::value,
         .code = "E0402",
         .message = c.op_name() + ": " + message,
         .facts = {{"expected", std::move(expected), ""}, {"got", std::move(got), ""}}});
}

// The elements of "input" in the same order, for ops that only change the shape.
inline void copy_elements(EvalContext& c) {
  if (c.in("input").size() != c.out().size()) {
    reject(c, "the shapes have different numbers of elements", to_string(c.out().dims()),
           to_string(c.dims("input")));
  }
  c.typed([&](auto zero) {
    using T = decltype(zero);
    const auto x = c.read<T>("input");
    auto y = c.write<T>();
    for (int64_t i = 0; i < x.size(); ++i) y[i] = x[i];
  });
}

// Their gradient: in the shape of "input" again.
inline void flow_reshaped(GradContext& g) {
  g.flow("input", call("reshape_like", {g.out_grad(), g.in("input")}));
}

}  // namespace mithril
