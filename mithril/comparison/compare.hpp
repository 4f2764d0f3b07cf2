// Compares backends on one model, node by node.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mithril/comparison/reduced_failure.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril {

struct CompareOptions {
  // The allowed difference of an element, relative to the largest element of the value, or to 1 if
  // all elements are 0. Empty: 1e-9 for float64, 1e-4 for float32, 4e-3 for float16 and 3e-2 for
  // bfloat16. Larger differences are accepted if rounding of the inputs of the node causes them.
  // Ints and bools must be equal.
  std::optional<double> tolerance = {};
  bool gradients = true;   // whether gradients are compared, too
  std::uint64_t seed = 0;  // of the gradients of the outputs
  bool reduce = false;     // whether a failure is reduced to the smallest graph that still fails
  State state = {};        // empty: the initial one
  // The names of the backends in results, the reference first. Empty: the backends' own names,
  // numbered where they are equal: "cpu", "cpu 2".
  // compare raises ValueError E0438 if there are not as many as backends.
  std::vector<std::string> names = {};
};

// The first value, in the order of the graph, whose results differ.
struct BackendDifference {
  std::string path;     // of the value
  std::string op;       // of the node that makes it
  std::string backend;  // which differs from the reference
  Tensor expected, got;
  Dims worst;                            // the index of the element with the largest difference
  double expected_element, got_element;  // there
  double difference, allowed;
  // Whether the node differs only within the whole graph, where a backend may fuse ops.
  bool in_whole_graph = false;
  std::optional<ReducedFailure> reduced = {};
};

struct BackendComparison {
  std::vector<std::string> backends;           // the reference first
  std::size_t nodes = 0;                       // that were compared
  std::vector<BackendDifference> differences;  // one for each backend that differs

  bool agrees() const { return differences.empty(); }
  std::string text() const;
};

// Runs the model on the backends and compares each value with that of the first backend, including
// the gradients of all parameters. Each backend computes every node from the values of the first
// backend, so errors do not add up. Then it runs the whole graph, and its outputs and gradients are
// compared. All values of the graph are in memory at once. ValueError E0438 for less than two
// backends; errors of compile and evaluate; BackendError E1001 for ops that a backend lacks, E1061
// for backends whose floats have different dtypes. Example:
//   const ml::BackendComparison found = ml::compare(net, {ml::cpu(), ml::torch()}, params, data);
//   if (!found.agrees()) std::cout << found.text();
BackendComparison compare(const Model& model, const std::vector<std::shared_ptr<Backend>>& backends,
                          const TensorMap& params, const TensorMap& data,
                          const CompareOptions& options = {}, CompileOptions how = {});
// The same with a compiled model as the reference.
BackendComparison compare(const CompiledModel& reference,
                          const std::vector<std::shared_ptr<Backend>>& others,
                          const TensorMap& params, const TensorMap& data,
                          const CompareOptions& options = {});

}  // namespace mithril
