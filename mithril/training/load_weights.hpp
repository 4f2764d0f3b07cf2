// Parameters from the weights of another program: renamed, fused, split, transposed, cast.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mithril/compile/compiled_model.hpp"
#include "mithril/training/weight_source.hpp"

namespace mithril {

struct WeightOptions {
  // Whether a missing and an unexpected tensor are errors. Otherwise missing parameters are those
  // of get_parameters(), and unexpected tensors are left out. Mismatches are errors in either case.
  bool strict = true;
  // Only stored names that begin with this prefix are read. The prefix is removed.
  std::string prefix = {};
  // Patterns of parameters and states, and their sources: the first that matches. As in a
  // ParameterGroup, `*` is any text, dots included, and `?` one character. In the names of the
  // source they stand for the same text. A parameter without a pattern comes from the tensor of its
  // name. Two parameters may have one source (tied weights).
  std::vector<std::pair<std::string, WeightSource>> name_map = {};
  // Patterns of stored names that are ignored, and so are not unexpected.
  std::vector<std::string> ignore = {};
  // Whether the state is loaded, too. If it is strict, all running statistics must be stored.
  // Otherwise stored running statistics are an error, unless they are ignored.
  bool return_state = false;
};

struct WeightReport {
  struct Cast {
    std::string key;
    DType from, to;
  };
  std::vector<std::string> missing, unexpected;  // empty if strict
  std::vector<std::string> tied;  // unused tensors with the elements of one that was used
  std::vector<Cast> casts;        // parameters with another dtype than the stored tensor
};

struct LoadedWeights {
  TensorMap params;
  State state;  // of return_state; what is not stored is that of initial_state_dict()
  WeightReport report;
};

// The parameters of the model. They share elements with `saved` where no rule and no cast changes
// them. StateError E0901 lists all missing, unexpected and mismatched tensors with the nearest
// names; it is also raised, strict or not, if no stored name is that of a parameter. NameError
// E0623 for a pattern of name_map that matches no parameter and no state. Example:
//   auto [params, state, report] = ml::load_weights(compiled, "resnet.safetensors",
//                                                   {.return_state = true});
LoadedWeights load_weights(const CompiledModel& model, const TensorMap& saved,
                           const WeightOptions& options = {});
// Loads weights from a file, index or folder that load() reads; of a checkpoint with its state.
LoadedWeights load_weights(const CompiledModel& model, const std::string& path,
                           const WeightOptions& options = {});

// The tensors of a checkpoint under their names.
TensorMap with_state(const TensorMap& params, const State& state);

}  // namespace mithril
