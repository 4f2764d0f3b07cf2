// Compares models, and their gradients, as generated C++ with the reference.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mithril/graph/graph.hpp"
#include "tests/codegen/generated.hpp"

namespace mithril::tests {

// A model for a generator, and what its functions must give.
struct ModelCheck {
  ExportedModel model;
  GeneratedCall forward;
  std::optional<GeneratedCall> backward = {};
};

// A graph before the passes. Gradients come in at all its outputs of floats, and are asked for of
// `wanted`; where there is none, or an op on the way has none, only outputs are compared.
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
  // Of model_check.
  void add(const std::string& what, const Graph& graph, const std::vector<Tensor>& inputs,
           const std::vector<std::string>& wanted);

  // Builds and compares with each chosen compiler, or prints that there is none.
  void run(const CompilerChoice& choice = {});

 private:
  GeneratedModels models_;
  std::vector<std::string> refusals_;  // refusals of the generator
};

}  // namespace mithril::tests
