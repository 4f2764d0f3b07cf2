// The smallest part of a graph on which backends differ.
#pragma once

#include <cstddef>

#include "mithril/model/model.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

// The part of a graph that fails on its own, as a model: its inputs are data.
struct ReducedFailure {
  Model model;
  TensorMap data;
  std::size_t nodes = 0;
};

}  // namespace mithril
