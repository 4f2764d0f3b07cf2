// The expansion of stack_rows and stack_units.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/graph/batching.hpp"
#include "mithril/ops/support/batching.hpp"

namespace mithril {

// ValueError E0427 if the rank is not known.
inline void require_rank(const Expression& x) {
  if (x.ranked()) return;
  raise({.kind = ErrorKind::value,
         .code = "E0427",
         .message = "vmap cannot compute '" + x.value().name + "': its rank is not known",
         .help = "give the shapes of the inputs"});
}

// The values with a new first axis of this size, which `seeds` have: pairs of one index and all.
inline std::vector<Expression> batched_values(
    const std::vector<Expression>& values, const Dim& size,
    const std::vector<std::pair<ValueId, ValueId>>& seeds) {
  const Expression& any = values.front();
  Batching batching(*any.graph, *any.scope + ".", size);
  std::vector<ValueId> wanted;
  for (const auto& [row, all] : seeds) batching.seed(row, all);
  for (const Expression& value : values) wanted.push_back(value.id);
  batching.run(wanted);
  std::vector<Expression> results;
  for (const Expression& value : values) {
    require_rank(value);
    std::vector<Dim> dims = value.dims();
    dims.insert(dims.begin(), size);
    const auto& batched = batching.batched(value.id);
    const Expression same{value.graph, batching.shared(value.id), value.scope};
    results.push_back(batched ? Expression{value.graph, *batched, value.scope}
                              : call("broadcast_to", {same, Datum::dims(dims)}));
  }
  return results;
}

}  // namespace mithril
