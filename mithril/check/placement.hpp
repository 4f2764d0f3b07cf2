// A row's op placed as in a model: the op itself and the facts about its inputs, one by one, in any
// order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/check/op_case.hpp"
#include "mithril/check/row_graph.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril::check {

// What inference knows about an output when all facts are stated.
struct Inferred {
  std::string name;
  Kinds kinds = 0;
  std::optional<Dims> dims = {};    // empty: not all of them known
  std::optional<Datum> value = {};  // of an output that is a value
  bool is_value() const { return !(kinds & kind::tensor); }
};

// Sizes that are symbols become numbers in the end, as when a model is compiled; so all that can be
// known is known. Throws what inference throws. Seed 0 states the facts in the order of
// the ports and places the op last.
std::vector<Inferred> place(const OpDef& op, const OpCase& row, Knowledge knowledge,
                            std::uint64_t seed);

// Whether an output is a value, so that the row has no place in a graph.
bool makes_values(const OpDef& op, const OpCase& row);

// Whether the op takes the row in these sizes; a refusal is not a failure.
bool is_accepted(const OpDef& op, const OpCase& row);
// The same, and evaluates it: what it refuses may depend on the elements.
bool is_evaluated(const OpDef& op, const OpCase& row);

}  // namespace mithril::check
