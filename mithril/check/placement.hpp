// A row's op placed as in a model: the op itself and the facts about its inputs, one by one, in any
// order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mithril/check/op_case.hpp"
#include "mithril/check/row_graph.hpp"
#include "mithril/tensor/tensor.hpp"

namespace mithril {
struct OpDef;
}

namespace mithril::check {

// The inferred facts of an output after all facts are stated.
struct Inferred {
  std::string name;
  Kinds kinds = 0;
  std::optional<Dims> dims = {};    // empty: not all of them known
  std::optional<Datum> value = {};  // of an output that is a value
  bool is_value() const { return !(kinds & kind::tensor); }
};

// Infers the outputs of the row. Symbolic sizes become numbers at the end, as when a model is
// compiled. Errors as of inference. Seed 0 states the facts in the order of the ports and places
// the op last; other seeds shuffle them.
std::vector<Inferred> place(const OpDef& op, const OpCase& row, Knowledge knowledge,
                            std::uint64_t seed);

// Whether an output is a value, so that the row cannot be a graph.
bool makes_values(const OpDef& op, const OpCase& row);

// Whether inference accepts the row in these sizes.
bool is_accepted(const OpDef& op, const OpCase& row);
// Whether the op also evaluates the row: eval may refuse some elements.
bool is_evaluated(const OpDef& op, const OpCase& row);

}  // namespace mithril::check
