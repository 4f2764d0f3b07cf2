// Parameters of a model for an edited copy of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/compile/compile.hpp"

namespace mithril {

struct Transfer {
  TensorMap params;                   // all parameters of the new model
  std::vector<std::string> added;     // that the old model does not have: as they begin
  std::vector<std::string> dropped;   // that the new model does not have
  std::vector<std::string> reshaped;  // with other dims in the new model: as they begin
};

// Takes over parameters that kept their path and dims; they share their elements with `params`. The
// others are those of to.get_parameters(seed). NameError E0609 if `params` lacks a parameter of
// `from`.
Transfer transfer(const TensorMap& params, const CompiledModel& from, const CompiledModel& to,
                  std::uint64_t seed = 0);

}  // namespace mithril
