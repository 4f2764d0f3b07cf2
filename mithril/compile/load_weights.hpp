// Parameters from the weights of another program: renamed, fused, split, transposed, cast.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mithril/compile/compiled_model.hpp"

namespace mithril {

// The source of a parameter. Each stored tensor is transposed, then the tensors are concatenated,
// then the part is taken.
struct WeightSource {
  std::vector<std::string> names;  // several stored tensors are concatenated along the axis
  bool transpose = false;          // exchanges the last two axes
  int axis = 0;                    // of the parameter; negative: from the end
  int part = 0, parts = 1;         // takes one of `parts` equal parts along the axis

  WeightSource(const char* name) : names{name} {}
  WeightSource(std::string name) : names{std::move(name)} {}
  WeightSource(std::vector<std::string> stored) : names(std::move(stored)) {}
  // GPT-2's query: ml::WeightSource("h.*.attn.c_attn.weight").transposed().taking(0, 3)
  WeightSource transposed() const;
  WeightSource taking(int one, int of, int along_axis = 0) const;
  WeightSource along(int along_axis) const;
};

struct WeightOptions {
  // Whether a missing and an unexpected tensor are errors. Otherwise missing parameters are those
  // of get_parameters(), and unexpected tensors are left out. Mismatches are errors in either case.
  bool strict = true;
  // Only stored names that begin with this prefix are read. The prefix is removed.
  std::string prefix = {};
  // Patterns of parameters, and their sources: the first that matches. A '*' matches any characters
  // but '.', and stands for the same characters in the names of the source. A parameter without a
  // pattern comes from the tensor of its name. Two parameters may have one source (tied weights).
  std::vector<std::pair<std::string, WeightSource>> name_map = {};
  // Patterns of stored names that are ignored, and so are not unexpected.
  std::vector<std::string> ignore = {};
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
  WeightReport report;
};

// The parameters of the model. They share elements with `saved` where no rule and no cast changes
// them. StateError E0901 lists all missing, unexpected and mismatched tensors with the nearest
// names. Example:
//   auto params = ml::load_weights(compiled, ml::load("model.safetensors").params,
//                                  {.prefix = "transformer."}).params;
LoadedWeights load_weights(const CompiledModel& model, const TensorMap& saved,
                           const WeightOptions& options = {});
// From a file, index or folder, as load() reads it.
LoadedWeights load_weights(const CompiledModel& model, const std::string& path,
                           const WeightOptions& options = {});

}  // namespace mithril
