#include <fmt/format.h>

#include "mithril/check/checks.hpp"
#include "mithril/check/compare.hpp"
#include "mithril/check/generate.hpp"
#include "mithril/check/row_graph.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::check {
namespace {

std::string outputs_difference(const Graph& graph, const std::vector<Tensor>& got,
                               const std::vector<Tensor>& expected) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const std::string apart = difference(got[i], expected[i]);
    if (!apart.empty()) return graph.outputs()[i].name + ": " + apart;
  }
  return {};
}

std::string dtypes_difference(const Graph& graph, const std::vector<Tensor>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const DType inferred = graph.value(graph.outputs()[i].value).dtype;
    if (outputs[i].dtype() == inferred) continue;
    return fmt::format("{} is {}, inferred {}", graph.outputs()[i].name, name(outputs[i].dtype()),
                       name(inferred));
  }
  return {};
}

std::string with_knowledge(const OpDef& op, const OpCase& row, Knowledge knowledge,
                           const std::vector<Tensor>& inputs, const std::vector<Tensor>& expected) {
  const RowGraph built = build(op, row, knowledge);
  const std::vector<Tensor> outputs = interpret(built.graph, inputs);
  const bool all = knowledge == Knowledge::shared_symbols && row.sizes_unknown.empty();
  const std::string dims = output_dims_difference(built.graph, inputs, outputs, all);
  return dims.empty() ? outputs_difference(built.graph, outputs, expected) : dims;
}

const Tensor& output_named(const Graph& graph, const std::vector<Tensor>& outputs,
                           const std::string& name) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (graph.outputs()[i].name == name) return outputs[i];
  }
  throw std::invalid_argument("the row expects an output '" + name +
                              "', which the op does not have");
}

void check_expected(const OpCase& row, const Graph& graph, const std::vector<Tensor>& outputs,
                    Report& report) {
  for (const auto& [port, content] : row.expect) {
    for (std::size_t item = 0; item < content.items.size(); ++item) {
      const std::string output = content.list ? fmt::format("{}_{}", port, item) : port;
      report.count(Check::expectation, "expected " + output, [&, &content = content] {
        const TensorSpec* spec = std::get_if<TensorSpec>(&content.items[item]);
        if (!spec) return std::string("expected a value, got a tensor");
        Random unused;
        return difference(output_named(graph, outputs, output), generate(*spec, unused),
                          row.tolerance);
      });
    }
  }
}

void check_keeping(const OpDef& op, const std::vector<Tensor>& inputs,
                   const std::vector<Tensor>& outputs, Report& report) {
  if (!op.keeps_elements || inputs.empty()) return;
  report.count(Check::evaluation, "the elements of the input are kept", [&] {
    const Tensor& input = inputs.front();
    if (outputs.front().size() != input.size()) return std::string("their number differs");
    return identical(outputs.front().reshape(input.dims()), input) ? std::string() : "they differ";
  });
}

}  // namespace

bool check_evaluation(const OpDef& op, const OpCase& row, Report& report, std::uint64_t seed,
                      const GraphCheck& graphs) {
  const std::string at_seed = fmt::format(", seed {}", seed);
  const std::size_t failed = report.failed();
  RowGraph built;
  std::vector<Tensor> inputs, outputs;
  report.count(Check::evaluation, "evaluation" + at_seed, [&] {
    built = build(op, row);
    inputs = generate(built.tensors, seed);
    outputs = interpret(built.graph, inputs);
    const std::string dims = output_dims_difference(built.graph, inputs, outputs, true);
    return dims.empty() ? dtypes_difference(built.graph, outputs) : dims;
  });
  if (report.failed() > failed) return false;
  check_expected(row, built.graph, outputs, report);
  check_keeping(op, inputs, outputs, report);
  if (graphs) graphs(op, built.graph, inputs, "float64", 1e-10, report);
  for (const Knowledge knowledge :
       {Knowledge::shared_symbols, Knowledge::symbols, Knowledge::nothing}) {
    const Check check = knowledge == Knowledge::nothing ? Check::unknown_rank : Check::symbols;
    report.count(check, fmt::format("evaluation with {}{}", name(knowledge), at_seed),
                 [&] { return with_knowledge(op, row, knowledge, inputs, outputs); });
  }
  return true;
}

}  // namespace mithril::check
