#include <fmt/format.h>

#include <algorithm>

#include "mithril/check/checks.hpp"
#include "mithril/check/compare.hpp"
#include "mithril/check/derivative.hpp"
#include "mithril/check/row_graph.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril::check {
namespace {

using Names = std::vector<std::string>;

Names with_suffix(Names names, const char* suffix) {
  for (std::string& name : names) name += suffix;
  return names;
}

ValueId output_of(const Graph& graph, const std::string& name) {
  const auto at = std::find_if(graph.outputs().begin(), graph.outputs().end(),
                               [&](const Output& output) { return output.name == name; });
  return at->value;
}

// An empty input has no directions: only the dtype and dims of its gradient are checked, which is
// not counted as a gradient.
void check_sample(const Derivative& derivative, const RowGraph& built, Report& report,
                  std::uint64_t seed) {
  const Derivative::Sample sample = derivative.sample(generate(built.tensors, seed), seed);
  if (!sample.finite) return;
  for (std::size_t i = 0; i < derivative.wanted().size(); ++i) {
    const Check check = sample.gradients[i].size() == 0 ? Check::evaluation : Check::gradient;
    report.count(check, fmt::format("gradient of {}, seed {}", derivative.wanted()[i], seed),
                 [&] { return derivative.difference(sample, i, seed); });
  }
}

// The computed gradients must not depend on the knowledge of sizes at the time of differentiation.
void check_symbolic(const OpDef& op, const OpCase& row, const Derivative& derivative,
                    const RowGraph& numbers, Report& report, std::uint64_t seed) {
  const Derivative::Sample expected = derivative.sample(generate(numbers.tensors, seed), seed);
  for (const Knowledge knowledge : {Knowledge::symbols, Knowledge::nothing}) {
    const std::string what = fmt::format("gradients with {}, seed {}", name(knowledge), seed);
    report.count(Check::symbolic_gradient, what, [&] {
      const RowGraph built = build(op, row, knowledge);
      const Derivative symbolic(built.graph, derivative.outputs(), derivative.wanted());
      const Derivative::Sample got = symbolic.sample(expected.inputs, seed);
      for (std::size_t i = 0; i < got.gradients.size(); ++i) {
        const std::string apart = difference(got.gradients[i], expected.gradients[i], 1e-12);
        if (!apart.empty()) return derivative.wanted()[i] + ": " + apart;
      }
      return std::string();
    });
  }
}

// The graph with the gradients as its only outputs, under names that a second differentiation does
// not use.
Graph slopes(const Derivative& derivative) {
  const Graph& backward = derivative.backward();
  Rebuilder rebuilder(backward);
  for (const Node& node : backward.nodes()) rebuilder.keep(node);
  Graph result = rebuilder.graph();
  for (const std::string& name : derivative.wanted()) {
    result.add_output(name + ".slope", rebuilder.map(output_of(backward, name + ".grad")));
  }
  return eliminate_dead_nodes(result);
}

// Differentiates the backward graph with respect to its inputs and the incoming gradients.
void check_second(const Derivative& first, const RowGraph& built, Report& report,
                  std::uint64_t seed) {
  Names wanted = first.wanted();
  const Names incoming = with_suffix(first.outputs(), ".grad");
  wanted.insert(wanted.end(), incoming.begin(), incoming.end());
  std::optional<Derivative> second;
  try {
    second.emplace(slopes(first), with_suffix(first.wanted(), ".slope"), wanted);
  } catch (const GradientError&) {
    return;  // an op of the gradient is not differentiable, which its record declares
  }
  const Derivative::Sample at = first.sample(generate(built.tensors, seed), seed);
  const Derivative::Sample sample = second->sample(at.all_inputs(), seed);
  if (!at.finite || !sample.finite) return;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (sample.gradients[i].size() == 0) continue;
    report.count(Check::second_gradient,
                 fmt::format("second gradient by {}, seed {}", wanted[i], seed),
                 [&] { return second->difference(sample, i, seed); });
  }
}

std::string refuses_gradient(const RowGraph& built, const Names& outputs, const Names& wanted) {
  try {
    const Derivative derivative(built.graph, outputs, wanted);
  } catch (const GradientError& error) {
    return error.code() == "E0501" ? "" : error.what();
  }
  return "a gradient was computed, although the record declares none";
}

}  // namespace

void check_gradients(const OpDef& op, const OpCase& row, Report& report, std::uint64_t first_seed,
                     int seeds, const GraphCheck& graphs) {
  const RowGraph built = build(op, row);
  const Names outputs = float_outputs(built.graph), wanted = float_inputs(built, row.hold);
  if (outputs.empty() || wanted.empty()) return;
  if (!op.grad && !op.expand) {
    report.count(Check::refusal, "a gradient is refused",
                 [&] { return refuses_gradient(built, outputs, wanted); });
    return;
  }
  report.attempt(Check::gradient, "gradients", [&] {
    const Derivative derivative(built.graph, outputs, wanted);
    for (int i = 0; i < seeds; ++i) {
      check_sample(derivative, built, report, first_seed + static_cast<std::uint64_t>(i));
    }
    const Derivative::Sample sample =
        derivative.sample(generate(built.tensors, first_seed), first_seed);
    if (graphs) graphs(op, derivative.backward(), sample.all_inputs(), "gradients", 1e-10, report);
    check_symbolic(op, row, derivative, built, report, first_seed);
    check_second(derivative, built, report, first_seed);
  });
}

}  // namespace mithril::check
