#include <fmt/format.h>

#include <memory>

#include "backends/cpu/cpu.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/table/checks.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

using Backends = std::vector<std::shared_ptr<Backend>>;

const Backends& available_backends() {
  static const Backends backends{cpu()};
  return backends;
}

// A record may declare that a backend does without the op.
bool is_unsupported(const OpDef& op, const Backend& backend) {
  return op.spelling(backend.name()).starts_with("unsupported:");
}

std::string backend_difference(Backend& backend, const Graph& graph,
                               const std::vector<Tensor>& inputs, double tolerance) {
  const Graph optimised = run_passes(graph);
  const std::vector<std::string> missing = backend.missing(optimised);
  if (!missing.empty()) return fmt::format("it lacks {}", fmt::join(missing, ", "));
  const std::vector<Tensor> outputs = backend.load(optimised, {})->run(inputs);
  const std::vector<Tensor> expected = interpret(graph, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string apart = difference(outputs[i], expected[i], tolerance);
    if (!apart.empty()) return graph.outputs()[i].name + ": " + apart;
  }
  return {};
}

}  // namespace

void check_backends(const OpDef& op, const Graph& graph, const std::vector<Tensor>& inputs,
                    const std::string& what, double tolerance, Report& report) {
  for (const auto& backend : available_backends()) {
    if (is_unsupported(op, *backend)) continue;
    report.count(Check::backend, fmt::format("{} on {}", what, backend->name()),
                 [&] { return backend_difference(*backend, graph, inputs, tolerance); });
  }
}

}  // namespace mithril::tests
