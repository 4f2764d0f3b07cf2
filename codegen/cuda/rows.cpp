#include "codegen/cuda/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "codegen/common/literals.hpp"
#include "codegen/common/node_text.hpp"
#include "codegen/cuda/layout.hpp"
#include "codegen/cuda/text.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/row_formula.hpp"

namespace mithril::codegen {
namespace {

using RowReduction = RowStatement::Reduction;

// Whether the node has no axis, or one that is the last.
bool reduces_last(const Node& node, const PlannedNode& planned, size_t rank) {
  const auto& ports = node.op->inputs;
  const bool has_axis = std::any_of(ports.begin(), ports.end(),
                                    [](const PortDef& port) { return port.name == "axis"; });
  if (!has_axis) return true;
  const Datum& axis = planned.values[node.argument_index("axis")];
  const auto is_last = [&](const Datum& number) {
    return number.kind() == kind::int_value &&
           (number.integer() == -1 || number.integer() == static_cast<std::int64_t>(rank) - 1);
  };
  if (axis.kind() == kind::tuple) return axis.tuple().size() == 1 && is_last(axis.tuple()[0]);
  return axis.is_none() ? rank == 1 : is_last(axis);
}

// What a kernel computes, with a name: an element of each row, or a number for a whole row.
struct RowVariable {
  std::string name, type, text;  // text: its formula, or the formula of the elements it reduces
  bool per_row = false;
  RowReduction reduction = RowReduction::none;
  int input = -1;                  // the input whose element it is
  std::vector<size_t> reads = {};  // other variables
  size_t pass = 0;  // a kernel passes over its rows once for each reduction that waits for another
};

const char* name_of(RowReduction reduction) {
  return reduction == RowReduction::sum ? "Sum" : "Largest";
}

class RowKernelText {
 public:
  RowKernelText(const Graph& graph, const Plan& plan, std::span<const std::size_t> nodes,
                std::span<const ValueId> kept)
      : graph_(graph), plan_(plan), nodes_(nodes), kept_(kept) {}

  std::optional<CudaKernel> write(const std::string& name) {
    for (const size_t node : nodes_) {
      auto dims = row_dims(graph_, plan_, node);
      if (dims && dims_.empty()) dims_ = *std::move(dims);
    }
    if (dims_.empty() || dims_.size() > static_cast<size_t>(CudaLayout::most_axes))
      return std::nullopt;
    for (const size_t node : nodes_) {
      const bool added =
          graph_.nodes()[node].op->spelling("rows") ? add_reduction(node) : add_elementwise(node);
      if (!added) return std::nullopt;
    }
    if (kernel_.inputs.size() > static_cast<size_t>(CudaLayout::most_inputs)) return std::nullopt;
    kernel_.outputs.assign(kept_.begin(), kept_.end());
    kernel_.dims = dims_;
    kernel_.reduces_rows = true;
    kernel_.text = kernel_text(graph_, kernel_, name + "_rows", body(), name);
    return std::move(kernel_);
  }

 private:
  DType dtype(ValueId id) const { return graph_.value(id).dtype; }
  Dims dims_of_numbers() const {
    Dims dims = dims_;
    dims.back() = 1;
    return dims;
  }

  size_t add(RowVariable variable) {
    variable.name = fmt::format("v{}", variables_.size());
    for (const size_t at : variable.reads) {
      const RowVariable& read = variables_[at];
      variable.pass = std::max(variable.pass, read.pass + (read.reduction != RowReduction::none));
    }
    variables_.push_back(std::move(variable));
    return variables_.size() - 1;
  }

  size_t read_input(ValueId id, bool per_row) {
    const auto [at, added] = loads_.try_emplace({id, per_row}, 0);
    if (!added) return at->second;
    const auto place = std::find(kernel_.inputs.begin(), kernel_.inputs.end(), id);
    const auto input = static_cast<int>(place - kernel_.inputs.begin());
    if (place == kernel_.inputs.end()) kernel_.inputs.push_back(id);
    const std::string element =
        per_row ? fmt::format("x{0}[at[{0}]]", input) : fmt::format("a{}.at[k]", input);
    at->second = add({.type = type_name(in_registers(dtype(id))),
                      .text = is_half(dtype(id)) ? "number(" + element + ")" : element,
                      .per_row = per_row,
                      .input = input});
    return at->second;
  }

  size_t read(ValueId id, bool per_row) {
    const auto made = values_.find(id);
    return made == values_.end() ? read_input(id, per_row) : made->second;
  }

  // The value of a node, rounded to its dtype.
  void keep(ValueId id, size_t variable) {
    if (is_half(dtype(id))) {
      const RowVariable& exact = variables_[variable];
      variable = add({.type = exact.type,
                      .text = fmt::format("rounded<{}>({})", element_type(dtype(id)), exact.name),
                      .per_row = exact.per_row,
                      .reads = {variable}});
    }
    values_[id] = variable;
  }

  bool add_elementwise(size_t node) {
    const PlannedNode& planned = plan_.nodes[node];
    if (planned.outputs.size() != 1) return false;
    const bool per_row = planned.output_dims.front() != dims_;
    if (per_row && planned.output_dims.front() != dims_of_numbers()) return false;
    RowVariable made{.per_row = per_row};
    bool reads_elements = false;
    const auto formula = node_formula(graph_, node, planned, cuda_language(), [&](ValueId id) {
      made.reads.push_back(read(id, per_row));
      reads_elements = reads_elements || !variables_[made.reads.back()].per_row;
      return variables_[made.reads.back()].name;
    });
    if (!formula || (per_row && reads_elements)) return false;
    const ValueId output = planned.outputs.front();
    made.type = type_name(in_registers(dtype(output)));
    made.text = formula->text;
    keep(output, add(std::move(made)));
    return true;
  }

  bool add_reduction(size_t node) {
    if (row_dims(graph_, plan_, node) != dims_) return false;
    const PlannedNode& planned = plan_.nodes[node];
    const OpDef& op = *graph_.nodes()[node].op;
    std::map<std::string, size_t> named;
    for (const RowStatement& statement : parse_row_formula(op.spelling("rows")->text)) {
      const auto variable = add_statement(node, statement, named);
      if (!variable) return false;
      named[statement.name] = *variable;
    }
    for (size_t i = 0; i < planned.outputs.size(); ++i)
      keep(planned.outputs[i], named.at(op.outputs[i].name));
    return true;
  }

  std::optional<size_t> add_statement(size_t node, const RowStatement& statement,
                                      const std::map<std::string, size_t>& named) {
    const Node& at = graph_.nodes()[node];
    const PlannedNode& planned = plan_.nodes[node];
    const DType computed = in_registers(dtype(planned.outputs.front()));
    RowVariable made{.type = type_name(computed), .reduction = statement.reduction};
    const auto variable = [&](size_t read, DType dtype) {
      made.reads.push_back(read);
      return FormulaPort{.element = variables_[read].name, .dtype = dtype};
    };
    const auto port = [&](const std::string& name) {
      if (name == "width") return FormulaPort{.element = "width", .dtype = DType::int64};
      const auto local = named.find(name);
      if (local != named.end()) return variable(local->second, computed);
      const size_t argument = at.argument_index(name);
      const int32_t tensor = planned.tensors[argument];
      if (tensor < 0) return FormulaPort{.value = planned.values[argument]};
      const auto id = static_cast<ValueId>(tensor);
      return variable(read(id, false), dtype(id));
    };
    const auto text = cuda_language().formula(
        statement.formula, {.computed = computed, .output = computed, .port = port});
    if (!text) return std::nullopt;
    made.text = text->text;
    made.per_row = statement.reduction != RowReduction::none ||
                   std::all_of(made.reads.begin(), made.reads.end(),
                               [&](size_t read) { return variables_[read].per_row; });
    return add(std::move(made));
  }

  std::string body() const {
    size_t passes = 0;
    for (const RowVariable& variable : variables_) {
      if (variable.reduction != RowReduction::none) passes = std::max(passes, variable.pass + 1);
    }
    std::string text =
        "  const int64_t width = layout.sizes[layout.axes - 1], items = width / lanes;\n"
        "  const int64_t rows = layout.count / width;\n"
        "  for (int64_t row = first_row(); row < rows; row += row_step()) {\n";
    if (!kernel_.inputs.empty()) {
      text += fmt::format("    int64_t at[{}];\n    find_row_offsets(at, layout, row);\n",
                          kernel_.inputs.size());
    }
    for (size_t pass = 0; pass < passes; ++pass) text += numbers(pass) + reductions(pass);
    return text + numbers(passes) + results() + "  }\n";
  }

  // The numbers of a row that a pass can read first.
  std::string numbers(size_t pass) const {
    std::string text;
    for (const RowVariable& variable : variables_) {
      if (variable.per_row && variable.pass == pass && variable.reduction == RowReduction::none)
        text += fmt::format("    const {} {} = {};\n", variable.type, variable.name, variable.text);
    }
    return text;
  }

  std::string reductions(size_t pass) const {
    std::string starts, steps, ends;
    std::vector<size_t> roots;
    for (const RowVariable& variable : variables_) {
      if (variable.reduction == RowReduction::none || variable.pass != pass) continue;
      const char* reduction = name_of(variable.reduction);
      starts += fmt::format("    {0} part_{1} = {2}::start<{0}>();\n", variable.type, variable.name,
                            reduction);
      steps += fmt::format("        part_{0} = {1}::of<{2}>(part_{0}, {3});\n", variable.name,
                           reduction, variable.type, variable.text);
      ends += fmt::format("    const {} {} = over_row<{}>(part_{});\n", variable.type,
                          variable.name, reduction, variable.name);
      roots.insert(roots.end(), variable.reads.begin(), variable.reads.end());
    }
    return starts + loop(std::move(roots), "", steps, "") + ends;
  }

  std::string results() const {
    std::string declarations, steps, stores, of_rows;
    std::vector<size_t> roots;
    for (size_t i = 0; i < kept_.size(); ++i) {
      const size_t variable = values_.at(kept_[i]);
      const RowVariable& value = variables_[variable];
      const std::string type = element_type(dtype(kept_[i]));
      const std::string element = is_half(dtype(kept_[i]))
                                      ? fmt::format("Element<{}>::of({})", type, value.name)
                                      : value.name;
      if (value.per_row) {
        of_rows += fmt::format("      y{}[row] = {};\n", i, element);
        continue;
      }
      declarations += fmt::format("      Lanes<{}, lanes> b{};\n", type, i);
      steps += fmt::format("        b{}.at[k] = {};\n", i, element);
      stores += fmt::format("      store_lanes(y{0} + row * width + item * lanes, b{0});\n", i);
      roots.push_back(variable);
    }
    std::string text;
    if (!of_rows.empty()) text = "    if (threadIdx.x == 0) {\n" + of_rows + "    }\n";
    return roots.empty() ? text : text + loop(std::move(roots), declarations, steps, stores);
  }

  // A loop over the elements of a row, with the variables that `steps` reads.
  std::string loop(std::vector<size_t> roots, const std::string& declarations,
                   const std::string& steps, const std::string& stores) const {
    std::vector<bool> needed(variables_.size());
    while (!roots.empty()) {
      const size_t at = roots.back();
      roots.pop_back();
      if (needed[at] || variables_[at].per_row) continue;
      needed[at] = true;
      roots.insert(roots.end(), variables_[at].reads.begin(), variables_[at].reads.end());
    }
    std::string loads, body;
    for (size_t at = 0; at < variables_.size(); ++at) {
      if (!needed[at]) continue;
      const RowVariable& variable = variables_[at];
      if (variable.input >= 0) {
        const auto input = static_cast<size_t>(variable.input);
        loads += fmt::format(
            "      const int64_t s{0} = layout.steps[{0}][layout.axes - 1];\n"
            "      const Lanes<{1}, lanes> a{0} = load_lanes<lanes>(x{0} + at[{0}] + item * lanes "
            "* s{0}, s{0});\n",
            input, element_type(dtype(kernel_.inputs[input])));
      }
      body +=
          fmt::format("        const {} {} = {};\n", variable.type, variable.name, variable.text);
    }
    return fmt::format(
        "    for (int64_t item = threadIdx.x; item < items; item += blockDim.x) {{\n{}{}"
        "#pragma unroll\n      for (int k = 0; k < lanes; ++k) {{\n{}{}      }}\n{}    }}\n",
        loads, declarations, body, steps, stores);
  }

  const Graph& graph_;
  const Plan& plan_;
  const std::span<const std::size_t> nodes_;
  const std::span<const ValueId> kept_;
  Dims dims_;  // of all elements
  std::vector<RowVariable> variables_;
  std::map<std::pair<ValueId, bool>, size_t> loads_;  // by input, and whether it is per row
  std::map<ValueId, size_t> values_;                  // what the nodes made
  CudaKernel kernel_;
};

}  // namespace

std::optional<CudaKernel> cuda_row_kernel(const Graph& graph, const Plan& plan,
                                          std::span<const std::size_t> nodes,
                                          std::span<const ValueId> kept, const std::string& name) {
  return RowKernelText(graph, plan, nodes, kept).write(name);
}

}  // namespace mithril::codegen

namespace mithril {

std::optional<Dims> row_dims(const Graph& graph, const Plan& plan, std::size_t node) {
  const Node& at = graph.nodes()[node];
  const PlannedNode& planned = plan.nodes[node];
  if (!at.op->spelling("rows") || planned.tensors.empty() || planned.tensors.front() < 0)
    return std::nullopt;
  if (!is_floating(graph.value(planned.outputs.front()).dtype)) return std::nullopt;
  Dims dims = *plan.dims_of_values(graph)[static_cast<size_t>(planned.tensors.front())];
  if (dims.empty() || element_count(dims) == 0) return std::nullopt;
  if (!codegen::reduces_last(at, planned, dims.size())) return std::nullopt;
  return dims;
}

}  // namespace mithril
