#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "backends/cpu/cpu.hpp"
#include "backends/torch/torch.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/pipeline.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/skip.hpp"
#include "tests/table/checks.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

using Backends = std::vector<std::shared_ptr<Backend>>;

const Backends& available_backends() {
  static const Backends backends = [] {
    Backends found{cpu()};
    if (has_torch()) found.push_back(torch());
    return found;
  }();
  return backends;
}

// A record may declare that a backend does not support the op.
bool is_unsupported(const OpDef& op, const Backend& backend) {
  const Spelling* spelling = op.spelling(backend.name());
  return spelling && spelling->text.starts_with("unsupported:");
}

// A graph after all passes beside the reference without them; both are made once, when they are
// first needed.
class Comparison {
 public:
  Comparison(const Graph& graph, const std::vector<Tensor>& inputs, double tolerance)
      : graph_(graph), inputs_(inputs), tolerance_(tolerance) {}

  std::string difference_on(Backend& backend) {
    const std::vector<std::string> missing = backend.missing(optimised());
    if (!missing.empty()) return fmt::format("it lacks {}", fmt::join(missing, ", "));
    return difference_of(*backend.load(optimised(), {}));
  }

  std::string difference_with(const CpuSetting& setting) {
    const InstructionsLimit limit(setting.instructions);
    return difference_of(*load_with(setting, optimised()));
  }

 private:
  const Graph& optimised() {
    if (!optimised_) optimised_ = run_passes(graph_);
    return *optimised_;
  }

  std::string difference_of(const Executable& executable) {
    const std::vector<Tensor> outputs = executable.run(inputs_);
    if (expected_.empty()) expected_ = interpret(graph_, inputs_);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string apart = difference(outputs[i].host(), expected_[i], tolerance_);
      if (!apart.empty()) return graph_.outputs()[i].name + ": " + apart;
    }
    return {};
  }

  const Graph& graph_;
  const std::vector<Tensor>& inputs_;
  const double tolerance_;
  std::optional<Graph> optimised_;
  std::vector<Tensor> expected_;
};

// The inputs choose the setting: a row that fails then also fails alone. Each row runs on many
// inputs, so it runs with many settings. Loops are not compiled here, because that takes the
// longest: tests/cpu/native_table.cpp compiles the loops of all rows together.
CpuSetting setting_for(const std::vector<Tensor>& inputs) {
  size_t sum = 0;
  for (const Tensor& input : inputs) {
    const auto* bytes = static_cast<const char*>(input.raw_data());
    sum = 31 * sum + std::hash<std::string_view>()({bytes, input.bytes()});
  }
  CpuSetting setting = cpu_settings()[sum % cpu_settings().size()];
  setting.native = false;
  return setting;
}

// The tolerance for arithmetic in the narrowest floats of the graph: half-precision sums may round
// at each step. oneDNN rounds sums of products so on CPUs without AVX-512, where the gradient of a
// convolution in bfloat16 is off by 0.055.
double rounding_of(const Graph& graph) {
  const bool has_products =
      std::any_of(graph.nodes().begin(), graph.nodes().end(),
                  [](const Node& node) { return node.op->cast == CastPolicy::lower; });
  double worst = 0;
  for (const Value& value : graph.values()) {
    if (value.dtype == DType::float32) worst = std::max(worst, 2e-5);
    if (value.dtype == DType::float16) worst = std::max(worst, has_products ? 1.2e-2 : 6e-3);
    if (value.dtype == DType::bfloat16) worst = std::max(worst, has_products ? 0.1 : 5e-2);
  }
  return worst;
}

}  // namespace

void check_backends(const OpDef& op, const Graph& graph, const std::vector<Tensor>& inputs,
                    const std::string& what, double tolerance, Report& report) {
  Comparison comparison(graph, inputs, std::max(tolerance, rounding_of(graph)));
  for (const auto& backend : available_backends()) {
    if (is_unsupported(op, *backend)) continue;
    report.count(Check::backend, fmt::format("{} on {}", what, backend->name()),
                 [&] { return comparison.difference_on(*backend); });
  }
  const CpuSetting setting = setting_for(inputs);
  report.count(Check::backend, fmt::format("{} on cpu, {}", what, description(setting)),
               [&] { return comparison.difference_with(setting); });
}

std::string backends_difference(const Graph& graph, const std::vector<Tensor>& inputs,
                                double tolerance) {
  Comparison comparison(graph, inputs, std::max(tolerance, rounding_of(graph)));
  for (const auto& backend : available_backends()) {
    const std::string apart = comparison.difference_on(*backend);
    if (!apart.empty()) return fmt::format("on {}: {}", backend->name(), apart);
  }
  const CpuSetting setting = setting_for(inputs);
  const std::string apart = comparison.difference_with(setting);
  return apart.empty() ? apart : fmt::format("on cpu, {}: {}", description(setting), apart);
}

}  // namespace mithril::tests
