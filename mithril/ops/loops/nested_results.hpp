// For ops whose nodes contain graphs.
#pragma once
#include <vector>

#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {

// Their `solve`: outputs have the dtypes and dims that `results` states.
inline bool solve_nested_results(Solver& s) {
  const Datum* results = s.value("results");
  if (!results) return false;
  int item = 0;
  for (const Datum& result : results->tuple()) {
    std::vector<Dim> dims;
    for (const Datum& dim : result.tuple()[1].tuple()) dims.push_back(dim.dim());
    s.set_shape("outputs", dims, item);
    s.narrow("outputs", tensor_kind(result.tuple()[0].dtype()), item++);
  }
  return true;
}

}  // namespace mithril
