// Compares models, and their gradients, as generated C++ with the reference.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "tests/codegen/generated.hpp"

namespace mithril::tests {

// A model for a generator, and the expected results of its functions.
struct ModelCheck {
  ExportedModel model;
  GeneratedCall forward;
  std::optional<GeneratedCall> backward = {};
};

// Makes a check of a graph before the passes. All float outputs receive gradients, and the check
// asks for the gradients of `wanted`. If there are none, or an op has no gradient, only outputs are
// compared.
ModelCheck model_check(const std::string& what, const Graph& graph,
                       const std::vector<Tensor>& inputs, const std::vector<std::string>& wanted);

// Half-precision sums, and sums of infinities, do not test kernels.
bool is_comparable(const Graph& graph);

struct CompilerChoice {
  size_t most_compilers = 2;  // of the installed ones
  std::string flags = "-O0";
};

class ModelChecks {
 public:
  // Adds the model_check of these arguments.
  void add(const std::string& what, const Graph& graph, const std::vector<Tensor>& inputs,
           const std::vector<std::string>& wanted);
  // The same for inputs of known sizes: `given`, and then random ones. Asks for all gradients.
  void add_drawn(const std::string& what, const Graph& graph, unsigned seed,
                 std::vector<Tensor> given = {});

  // Builds and compares with each chosen compiler, or prints that there is none.
  void run(const CompilerChoice& choice = {});

 private:
  GeneratedModels models_;
  std::vector<std::string> refusals_;  // refusals of the generator
};

}  // namespace mithril::tests
