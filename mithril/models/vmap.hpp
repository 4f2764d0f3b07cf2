// A model over a new axis.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

// Keys of `in_axes`, `out_axes` and `params` may contain the wildcards * and ? of any characters.
struct VmapOptions {
  // Inputs that have the new axis, and its place among their axes.
  std::vector<std::pair<std::string, std::int64_t>> in_axes = {};
  // Its place in outputs; 0 in those that are not named.
  std::vector<std::pair<std::string, std::int64_t>> out_axes = {};
  // Parameters of layers that have it as their first axis: each index has its own, which begin
  // independently.
  std::vector<std::string> params = {};
  std::optional<std::int64_t> size = {};  // of the axis; absent: as inferred
};

// A model that computes `model`, which becomes its part, for each index of a new axis, at once. It
// has the ports of `model`. All outputs have the axis. Inputs without it are the same for each
// index; random values that depend on a mapped input differ. A state whose next value differs for
// each index has the axis first: each index has its own. An exact key counts before a pattern, and
// in_axes before params. NameError E0623 for a pattern without a match. ValueError E0476 if no
// input has the axis, for patterns that disagree, and for a parameter of a layer that does not have
// it first. Compiling raises ValueError E0427, which names all ops of the model without a batching
// rule, and E0428 for a value inside of the model that is read outside.
Model vmap(const Model& model, const VmapOptions& options);

}  // namespace mithril
