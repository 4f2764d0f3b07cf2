// vmap of each op of the table: equal to the op on each index of the new axis.
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/passes.hpp"
#include "tests/table/compare.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/row_graph.hpp"
#include "tests/table/sample_rows.hpp"

namespace mithril::tests {
namespace {

constexpr std::int64_t batch = 3;

// Which inputs have the new axis, and where.
struct Choice {
  std::vector<bool> has;
  std::int64_t axis = 0;
};

std::vector<Choice> choices_of(const RowGraph& row) {
  const std::size_t count = row.tensors.size();
  std::vector<Choice> choices{{std::vector<bool>(count, true), 0}};
  for (std::size_t i = 0; count > 1 && i < count; ++i) {
    Choice& choice = choices.emplace_back(Choice{std::vector<bool>(count), 0});
    choice.has[i] = true;
    if (!row.tensors[i].dims.empty()) choice.axis = -1;
  }
  return choices;
}

// The graph of the row with the new axis.
Graph batched_graph(const RowGraph& row, const Choice& choice) {
  const Node& node = row.graph.nodes().front();
  Graph graph;
  graph.set_default_dtype(row.graph.default_dtype());
  std::vector<Argument> arguments = node.arguments, stacked, rows;
  for (std::size_t i = 0; i < row.graph.inputs().size(); ++i) {
    const ValueId from = row.graph.inputs()[i];
    Value value = row.graph.value(from);
    if (choice.has[i]) {
      const auto at = choice.axis < 0 ? value.dims.end() : value.dims.begin();
      value.dims.insert(at, Dim(batch));
    }
    const std::string name = value.name;
    ValueId now = graph.add_input(std::move(value));
    if (choice.has[i]) {
      now = graph.add(find_op("row_of"), {now, Datum(choice.axis), Datum(batch)}, name + ".row")
                .front();
      rows.emplace_back(now);
    }
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const ValueId* id = tensor_of(node.arguments[k]);
      if (id && *id == from) arguments[k] = now;
    }
  }
  Tuple axes;
  for (const ValueId id : graph.add(*node.op, arguments, "y")) stacked.emplace_back(id);
  const std::size_t outputs = stacked.size();
  axes.resize(outputs + rows.size(), Datum(0));
  const auto count = static_cast<std::int64_t>(rows.size());
  stacked.insert(stacked.end(), rows.begin(), rows.end());
  stacked.insert(stacked.end(), {Datum(axes), Datum(count), Datum(batch)});
  const std::vector<ValueId> results = graph.add(find_op("stack_rows"), stacked, "stacked");
  for (std::size_t i = 0; i < outputs; ++i)
    graph.add_output("output_" + std::to_string(i), results[i]);
  return graph;
}

// Tensors of equal dims along a new axis, the first or the last.
Tensor stacked_along(const std::vector<Tensor>& tensors, std::int64_t axis) {
  const Tensor& first = tensors.front();
  Dims dims = first.dims();
  const bool last = axis < 0;
  dims.insert(last ? dims.end() : dims.begin(), batch);
  Tensor all(first.dtype(), dims);
  const std::size_t width =
      first.size() == 0 ? 0 : first.bytes() / static_cast<std::size_t>(first.size());
  auto* to = static_cast<std::byte*>(all.mutable_raw_data());
  for (std::int64_t i = 0; i < first.size(); ++i) {
    for (std::int64_t b = 0; b < batch; ++b) {
      const std::int64_t at = last ? i * batch + b : b * first.size() + i;
      const auto* from =
          static_cast<const std::byte*>(tensors[static_cast<std::size_t>(b)].raw_data());
      std::copy_n(from + static_cast<std::size_t>(i) * width, width,
                  to + static_cast<std::size_t>(at) * width);
    }
  }
  return all;
}

// Sums may be added in another order.
double tolerance_of(DType dtype) {
  if (dtype == DType::float64) return 1e-10;
  return dtype == DType::float32 ? 1e-5 : 0.02;
}

void check_choice(const RowGraph& row, const Choice& choice) {
  const Graph graph = expand_ops(batched_graph(row, choice));
  verify(graph);
  std::vector<std::vector<Tensor>> each(batch);
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < row.tensors.size(); ++i) {
    std::vector<Tensor> drawn;
    for (std::int64_t b = 0; b < batch; ++b) {
      Random random(static_cast<std::uint64_t>(100 * i + (choice.has[i] ? b : 0)) + 1);
      drawn.push_back(generate(row.tensors[i], random));
      each[static_cast<std::size_t>(b)].push_back(drawn.back());
    }
    inputs.push_back(choice.has[i] ? stacked_along(drawn, choice.axis) : drawn.front());
  }
  std::vector<std::vector<Tensor>> expected;
  for (const std::vector<Tensor>& at : each) expected.push_back(interpret(row.graph, at));
  const std::vector<Tensor> got = interpret(graph, inputs);
  REQUIRE(got.size() == expected.front().size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    std::vector<Tensor> outputs;
    for (const std::vector<Tensor>& at : expected) outputs.push_back(at[k]);
    CHECK(difference(got[k], stacked_along(outputs, 0), tolerance_of(got[k].dtype())) == "");
  }
}

// A graph of one node, which `add` adds to the inputs.
template <class F>
RowGraph row_of_node(std::vector<TensorSpec> tensors, const F& add) {
  RowGraph row;
  row.graph.set_default_dtype(DType::float64);
  for (const TensorSpec& spec : tensors) {
    row.ports.push_back("input_" + std::to_string(row.ports.size()));
    const std::vector<Dim> dims(spec.dims.begin(), spec.dims.end());
    row.graph.add_input({.name = row.ports.back(), .dims = dims, .dtype = spec.dtype});
  }
  row.tensors = std::move(tensors);
  const std::vector<ValueId> made = add(row.graph);
  for (std::size_t k = 0; k < made.size(); ++k)
    row.graph.add_output("output_" + std::to_string(k), made[k]);
  verify(row.graph);
  return row;
}

// The second output of one branch is an input, and that of the other one is a constant.
RowGraph choice_row() {
  const std::string inputs = "graph {\n  input x: float64[2, 3]\n  input w: float64[3]\n";
  CondNode cond{
      .then = parse_graph(inputs + "  s: float64[2, 3] = sin(input: x)\n"
                                   "  y: float64[2, 3] = multiply(left: s, right: w)\n"
                                   "  output y = y\n  output z = w\n}\n"),
      .otherwise = parse_graph(inputs + "  y: float64[2, 3] = multiply(left: x, right: 3.0)\n"
                                        "  z: float64[3] = ones(shape: (3,), dtype: float64)\n"
                                        "  output y = y\n  output z = z\n}\n")};
  return row_of_node({booleans({}), normal({2, 3}), normal({3})}, [&](Graph& graph) {
    cond.condition = graph.inputs()[0];
    cond.arguments = {graph.inputs()[1], graph.inputs()[2]};
    cond.results = {graph.value(graph.inputs()[1]), graph.value(graph.inputs()[2])};
    return add_cond(graph, cond, "y");
  });
}

// Doubles x while its largest element is below the limit, and counts.
RowGraph conditional_loop_row() {
  const std::string inputs =
      "graph {\n  input x: float64[2]\n  input n: int64[]\n  input limit: float64[]\n";
  WhileNode loop{
      .condition = parse_graph(inputs + "  most: float64[] = max(input: x)\n"
                                        "  goes_on: bool[] = less(left: most, right: limit)\n"
                                        "  output goes_on = goes_on\n}\n"),
      .body = parse_graph(inputs + "  twice: float64[2] = multiply(left: x, right: 2.0)\n"
                                   "  more: int64[] = add(left: n, right: 1)\n"
                                   "  output x = twice\n  output n = more\n}\n")};
  return row_of_node({uniform({2}, 0.1, 2), integers({}, 0, 5), uniform({}, 0.5, 9)},
                     [&](Graph& graph) {
                       loop.arguments = graph.inputs();
                       return add_while(graph, loop, "last");
                     });
}

bool draws_elements(const OpDef& op) { return op.name.starts_with("rand"); }

}  // namespace

TEST_CASE("vmap of a choice and of a conditional loop is the node on each index") {
  for (const RowGraph& row : {choice_row(), conditional_loop_row()}) {
    for (const Choice& choice : choices_of(row)) {
      CAPTURE(choice.axis);
      check_choice(row, choice);
    }
  }
}

TEST_CASE("vmap of an op is the op on each index, or is refused") {
  std::set<std::string> refused;
  int checked = 0;
  for (const OpCases& cases : all_op_cases()) {
    const OpDef& op = find_op(cases.op);
    if (!op.eval || op.collective || draws_elements(op)) continue;
    CAPTURE(op.name);
    for (const OpCase& row : sample_rows(cases.rows(), 6)) {
      if (!row.error.empty() || !has_tensor(row)) continue;
      CAPTURE(row.name);
      const RowGraph built = build(op, row);
      const bool is_one_node =
          built.graph.nodes().size() == 1 && built.graph.nodes().front().op == &op;
      if (!is_one_node || built.tensors.empty()) continue;
      for (const Choice& choice : choices_of(built)) {
        CAPTURE(choice.has.size());
        CAPTURE(choice.axis);
        try {
          check_choice(built, choice);
          ++checked;
        } catch (const ValueError& error) {
          if (error.code() != "E0427") throw;
          refused.insert(op.name);
        }
      }
    }
  }
  CHECK(checked > 500);
  std::string names;
  for (const std::string& name : refused) names += name + " ";
  CHECK(names == "auc_core ctc_loss ctc_loss_grad tsne_bandwidths unique ");
}

}  // namespace mithril::tests
