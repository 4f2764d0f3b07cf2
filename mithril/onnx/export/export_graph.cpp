#include "mithril/onnx/export/export_graph.hpp"

#include <set>
#include <utility>

#include "mithril/infer/polynomial.hpp"
#include "mithril/onnx/export/nested_graph.hpp"
#include "mithril/onnx/export/nodes_writer.hpp"

namespace mithril::onnx {
namespace {

class GraphWriter {
 public:
  GraphWriter(const Graph& graph, const GraphExport& how, std::vector<Fact>& problems)
      : graph_(graph), how_(how), problems_(problems), builder_(names_, how.opset) {}

  WrittenGraph write() {
    refuse_unranked();
    const std::vector<Operand> inputs = add_inputs();
    for (const std::string& name : how_.output_names) final_names_.push_back(names_.add(name));
    NodesWriter writer(graph_, builder_, problems_, [&](ValueId id) { return name_for(id); });
    const std::vector<Operand>& operands = writer.write(inputs);
    if (!problems_.empty()) return {};
    add_outputs(operands);
    drop_unread(builder_.graph());
    add_values(operands);
    return std::move(builder_.graph());
  }

 private:
  WrittenValue written(const std::string& name, const Value& of) {
    return {
        .name = name, .dtype = of.dtype, .is_ranked = of.ranked, .dims = symbols_.stated(of.dims)};
  }

  // The checker of the onnx package refuses inputs and outputs without a shape.
  void refuse_unranked() {
    std::set<ValueId> ports(graph_.inputs().begin(), graph_.inputs().end());
    for (const Output& output : graph_.outputs()) ports.insert(output.value);
    for (const ValueId id : ports) {
      const Value& value = graph_.value(id);
      if (!value.ranked)
        problems_.push_back({value.name, "the number of axes is not known; state shapes={...}"});
    }
  }

  std::vector<Operand> add_inputs() {
    std::vector<Operand> inputs;
    for (std::size_t i = 0; i < graph_.inputs().size(); ++i) {
      const Value& value = graph_.value(graph_.inputs()[i]);
      inputs.push_back({.name = names_.add(how_.input_names[i]), .dtype = value.dtype});
      if (how_.initializers[i]) {
        builder_.graph().initializers.push_back({inputs.back().name, *how_.initializers[i]});
      } else {
        builder_.graph().inputs.push_back(written(inputs.back().name, value));
      }
    }
    return inputs;
  }

  // The name of an output, if the value is one that has no name yet.
  std::string name_for(ValueId id) {
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      if (graph_.outputs()[i].value == id && used_.insert(final_names_[i]).second)
        return final_names_[i];
    }
    return names_.add(graph_.value(id).name);
  }

  void add_outputs(const std::vector<Operand>& operands) {
    for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
      const ValueId id = graph_.outputs()[i].value;
      const std::string& name = operands[index(id)].name;
      if (name != final_names_[i]) {
        builder_.graph().nodes.push_back({.op = "Identity",
                                          .name = names_.add(final_names_[i] + "/Identity"),
                                          .inputs = {name},
                                          .outputs = {final_names_[i]},
                                          .path = graph_.value(id).name,
                                          .source = "buffer"});
      }
      builder_.graph().outputs.push_back(written(final_names_[i], graph_.value(id)));
    }
  }

  void add_values(const std::vector<Operand>& operands) {
    std::set<std::string> made;
    for (const WrittenNode& node : builder_.graph().nodes)
      made.insert(node.outputs.begin(), node.outputs.end());
    for (const std::string& name : final_names_) made.erase(name);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (made.erase(operands[i].name))
        builder_.graph().values.push_back(written(operands[i].name, graph_.values()[i]));
    }
  }

  const Graph& graph_;
  const GraphExport& how_;
  std::vector<Fact>& problems_;
  FileNames names_;
  GraphBuilder builder_;
  SymbolNames symbols_;
  std::vector<std::string> final_names_;
  std::set<std::string> used_;
};

}  // namespace

std::vector<StatedDim> SymbolNames::stated(const std::vector<Dim>& dims) {
  std::vector<StatedDim> made;
  for (const Dim& dim : dims) {
    const Dim known = resolve(dim);
    if (known.is_constant()) {
      made.emplace_back(known.constant());
    } else {
      made.emplace_back(text(known));
    }
  }
  return made;
}

std::string SymbolNames::text(const Dim& dim) {
  const Sum sum = resolved_sum(dim);
  std::string text;
  for (const Term& term : sum.terms) {
    const std::string factor = term.factor == 1 ? "" : std::to_string(term.factor) + "*";
    text += (text.empty() ? "" : " + ") + factor + name_of(term.symbol);
  }
  return sum.constant == 0 ? text : text + " + " + std::to_string(sum.constant);
}

std::string SymbolNames::name_of(Symbol* symbol) {
  std::string& name = names_[symbol];
  if (!name.empty()) return name;
  const bool is_named = symbol->name() || symbol->product() || symbol->quotient();
  name = taken_.add(is_named ? to_string(Dim(symbol)) : "size");
  return name;
}

WrittenGraph export_graph(const Graph& graph, const GraphExport& how, std::vector<Fact>& problems) {
  return GraphWriter(graph, how, problems).write();
}

}  // namespace mithril::onnx
