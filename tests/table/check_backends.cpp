#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "backends/cpu/cpu.hpp"
#include "backends/torch/torch.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/table/checks.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

using Backends = std::vector<std::shared_ptr<Backend>>;

const Backends& available_backends() {
  static const Backends backends = [] {
    Backends found{cpu()};
    if (std::filesystem::exists(plugin_path("mithril_torch"))) found.push_back(torch());
    return found;
  }();
  return backends;
}

// A record may declare that a backend does without the op.
bool is_unsupported(const OpDef& op, const Backend& backend) {
  const Spelling* spelling = op.spelling(backend.name());
  return spelling && spelling->text.starts_with("unsupported:");
}

std::string backend_difference(Backend& backend, const Graph& graph,
                               const std::vector<Tensor>& inputs, double tolerance) {
  const Graph optimised = run_passes(graph);
  const std::vector<std::string> missing = backend.missing(optimised);
  if (!missing.empty()) return fmt::format("it lacks {}", fmt::join(missing, ", "));
  const std::vector<Tensor> outputs = backend.load(optimised, {})->run(inputs);
  const std::vector<Tensor> expected = interpret(graph, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string apart = difference(outputs[i].host(), expected[i], tolerance);
    if (!apart.empty()) return graph.outputs()[i].name + ": " + apart;
  }
  return {};
}

// What arithmetic in the narrowest floats of the graph allows: sums in half precision may round at
// each step.
double rounding_of(const Graph& graph) {
  double worst = 0;
  for (const Value& value : graph.values()) {
    if (value.dtype == DType::float32) worst = std::max(worst, 2e-5);
    if (value.dtype == DType::float16) worst = std::max(worst, 6e-3);
    if (value.dtype == DType::bfloat16) worst = std::max(worst, 5e-2);
  }
  return worst;
}

}  // namespace

void check_backends(const OpDef& op, const Graph& graph, const std::vector<Tensor>& inputs,
                    const std::string& what, double tolerance, Report& report) {
  const double allowed = std::max(tolerance, rounding_of(graph));
  for (const auto& backend : available_backends()) {
    if (is_unsupported(op, *backend)) continue;
    report.count(Check::backend, fmt::format("{} on {}", what, backend->name()),
                 [&] { return backend_difference(*backend, graph, inputs, allowed); });
  }
}

std::string backends_difference(const Graph& graph, const std::vector<Tensor>& inputs,
                                double tolerance) {
  const double allowed = std::max(tolerance, rounding_of(graph));
  for (const auto& backend : available_backends()) {
    const std::string apart = backend_difference(*backend, graph, inputs, allowed);
    if (!apart.empty()) return fmt::format("on {}: {}", backend->name(), apart);
  }
  return {};
}

}  // namespace mithril::tests
