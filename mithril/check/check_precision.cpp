#include <fmt/format.h>

#include "mithril/check/checks.hpp"
#include "mithril/check/compare.hpp"
#include "mithril/check/generate.hpp"
#include "mithril/check/row_graph.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/mix_precision.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril::check {
namespace {

struct Precision {
  DType dtype;
  double tolerance;  // a few roundings of the output, and float32 arithmetic in between
};
constexpr Precision precisions[] = {
    {DType::float32, 2e-5}, {DType::float16, 2e-3}, {DType::bfloat16, 1.6e-2}};

// Whether the row fixes the dtype of the output.
bool names_dtype(const OpCase& row) {
  for (const auto& [port, content] : row.inputs) {
    for (const Item& item : content.items) {
      const Datum* datum = std::get_if<Datum>(&item);
      if (datum && datum->kind() == kind::dtype) return true;
    }
  }
  return false;
}

std::string compare_with_float64(const OpCase& row, const RowGraph& built, const RowGraph& precise,
                                 const std::vector<Tensor>& inputs, Precision precision) {
  std::vector<Tensor> precise_inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    precise_inputs.push_back(inputs[i].to(precise.tensors[i].dtype));
  const std::vector<Tensor> outputs = interpret(built.graph, inputs);
  const std::vector<Tensor> expected = interpret(precise.graph, precise_inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const bool follows = !names_dtype(row) && expected[i].dtype() == DType::float64;
    const Tensor rounded = follows ? expected[i].to(precision.dtype) : expected[i];
    const std::string apart = difference(outputs[i], rounded, precision.tolerance);
    if (!apart.empty()) return built.graph.outputs()[i].name + ": " + apart;
  }
  return {};
}

// Casts every other float input to bfloat16, and applies mixed precision.
Graph mixed(const Graph& graph) {
  Rebuilder rebuilder(graph);
  bool lower = true;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (!is_floating(value.dtype)) continue;
    if (lower) {
      rebuilder.replace(id, rebuilder.graph()
                                .add(find_op("cast"), {rebuilder.map(id), Datum(DType::bfloat16)},
                                     value.name + ".lower")
                                .front());
    }
    lower = !lower;
  }
  for (const Node& node : graph.nodes()) rebuilder.keep(node);
  return mix_precision(rebuilder.finish(), {});
}

// The mixed-precision graph is valid and gives the same results on every backend.
void check_mixed(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed,
                 const GraphCheck& graphs) {
  const RowGraph built = build(op, row, Knowledge::numbers, DType::float32);
  const Graph graph = mixed(built.graph);
  report.count(Check::precision, "in mixed precision", [&] {
    verify(graph);
    return std::string();
  });
  if (graphs) graphs(op, graph, generate(built.tensors, seed), "mixed precision", 0, report);
}

}  // namespace

void check_precision(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed,
                     const GraphCheck& graphs) {
  const RowGraph precise = build(op, row);
  bool floats = false, mixed = false;
  for (const TensorSpec& spec : precise.tensors) {
    floats = floats || spec.dtype == DType::float64;
    mixed = mixed || (is_floating(spec.dtype) && spec.dtype != DType::float64);
  }
  if (!floats || mixed || !row.only_float64.empty()) return;
  for (const Precision& precision : precisions) {
    const RowGraph built = build(op, row, Knowledge::numbers, precision.dtype);
    const std::vector<Tensor> inputs = generate(built.tensors, seed);
    const std::string dtype(name(precision.dtype));
    report.count(Check::precision, fmt::format("{} against float64, seed {}", dtype, seed),
                 [&] { return compare_with_float64(row, built, precise, inputs, precision); });
    if (graphs) graphs(op, built.graph, inputs, dtype, precision.tolerance, report);
  }
  check_mixed(op, row, report, seed, graphs);
}

}  // namespace mithril::check
