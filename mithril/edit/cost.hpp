// The number of parameters of a model, and the work of one evaluation.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

// Sizes of inputs and parameters, by key.
using KeyShapes = std::vector<std::pair<std::string, ShapeSpec>>;

// The number of elements of all parameters. A parameter that several parts read counts once.
// ShapeError E0209 with the parameters whose sizes `shapes` leaves open. Each function of this file
// raises ShapeError E0205 for a count that 64 bits cannot hold.
std::int64_t count_parameters(const Model& model, const KeyShapes& shapes = {});

// The parameters of a model and of its parts.
struct PartParameters {
  std::vector<std::string> keys;
  // For the path of each part, of all levels: the number of elements of the parameters that it
  // reads; nothing if a size is not known. A parameter that several parts read counts for each.
  std::map<std::string, std::optional<std::int64_t>> counts;
};
// The inputs `others` count as parameters, too.
PartParameters parameters_by_part(const Model& model, const std::vector<std::string>& others = {});

struct Cost {
  // Additions and multiplications of ops that multiply tensors or convolve. Each other op counts as
  // one operation per element of its output or, if it reduces, of its input.
  std::int64_t operations = 0;
  // What the ops read and write, if nothing stays in a cache. Floats have four bytes and ints eight
  // where no port states a dtype.
  std::int64_t bytes = 0;
};
struct ModelCost {
  Cost total;
  std::map<std::string, Cost> parts;  // by path, of all levels
  // Paths of parts that do more than is counted: derivatives, maps, which count as one row, and
  // ops that factor matrices.
  std::vector<std::string> uncounted;
};
// The cost of one evaluation without gradients. The body of a loop counts once per step. ShapeError
// E0209 with a value whose sizes `shapes` leaves open.
ModelCost cost(const Model& model, const KeyShapes& shapes = {});

}  // namespace mithril
