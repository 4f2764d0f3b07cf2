#include "mithril/graph/scan_node.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "mithril/graph/nested_graph.hpp"
#include "mithril/graph/nested_graphs.hpp"
#include "mithril/infer/solved_sizes.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"

namespace mithril {
namespace {

// Translates dims of the body into dims of the graph around it.
class OuterDims {
 public:
  OuterDims(const Graph& graph, const ScanLoop& scan)
      : shared_(graph.facts() == scan.body.facts()) {
    for (size_t i = 0; i < scan.arguments.size() && !shared_; ++i) {
      const bool sequence = i >= scan.carries && i < scan.carries + scan.sequences;
      know(scan.body.value(scan.body.inputs()[i]), graph.value(scan.arguments[i]), sequence);
    }
  }

  std::vector<Dim> operator()(const Value& value) {
    std::vector<Dim> dims;
    for (const Dim& dim : value.dims) dims.push_back(shared_ ? dim : translated(dim, value.name));
    return dims;
  }

 private:
  void know(const Value& inner, const Value& outer, bool sequence) {
    const size_t skipped = sequence ? 1 : 0;
    for (size_t k = 0; k < inner.dims.size(); ++k)
      sizes_.add(inner.dims[k], outer.dims[k + skipped]);
  }

  Dim translated(const Dim& dim, const std::string& name) {
    return sizes_(dim, [&](Symbol*) -> Dim {
      raise({.kind = ErrorKind::shape,
             .code = "E0209",
             .path = name,
             .message = "the size " + to_string(dim) + " of '" + name +
                        "' follows from no carry, sequence or other input of the loop",
             .help = "state the size: shapes of compile, or set_shapes"});
    });
  }

  const bool shared_;
  SolvedSizes sizes_;
};

[[noreturn]] void refuse_node(const Graph& graph, const Node& node, const std::string& why,
                              std::string help) {
  raise({.kind = ErrorKind::connection,
         .code = "E0131",
         .path = graph.value(node.outputs.front()).name,
         .message = "op '" + node.op->name + "' cannot be in a loop" + why,
         .help = std::move(help)});
}

// With the key of all steps each step would draw the same numbers.
void check_key(const Graph& graph, const Node& node, const std::vector<bool>& of_step) {
  for (const PortDef& port : node.op->inputs) {
    if (port.name != "key") continue;
    const ValueId* id = tensor_of(node.arguments[node.argument_index("key")]);
    if (id && !of_step[index(*id)])
      refuse_node(graph, node, ": each step would draw the same numbers",
                  "make the key a sequence or a carry");
  }
}

// The same in the graphs of a node. What depends on no step outside does not inside.
void check_nested_keys(const Node& node, const std::vector<bool>& of_step) {
  for (const std::string_view port : nested_graph_ports(*node.op)) {
    const std::shared_ptr<const NestedGraph> held = nested_graph(node, port);
    const Graph& nested = held->graph();
    std::vector<bool> inside(nested.values().size());
    const size_t first = node.argument_index("arguments");
    for (size_t i = 0; i < node.list_size(); ++i) {
      const ValueId* id = tensor_of(node.arguments[first + i]);
      inside[index(nested.inputs()[i])] = id && of_step[index(*id)];
    }
    for (const Node& inner : nested.nodes()) {
      check_key(nested, inner, inside);
      check_nested_keys(inner, inside);
      const bool reads = std::any_of(inner.arguments.begin(), inner.arguments.end(),
                                     [&](const Argument& argument) {
                                       const ValueId* id = tensor_of(argument);
                                       return id && inside[index(*id)];
                                     });
      for (const ValueId id : inner.outputs) inside[index(id)] = reads;
    }
  }
}

}  // namespace

Datum step_numbers(const Dim& first, int64_t stride, bool added) {
  return Datum(Tuple{Datum(first), Datum(stride), Datum(added)});
}

bool is_scan(const Node& node) { return node.op->name == "scan"; }

size_t carries_of_scan(const Node& node) {
  const Argument& carries = node.arguments[node.argument_index("carries")];
  return static_cast<size_t>(std::get<Datum>(carries).integer());
}

ScanLoop scan_of(const Node& node) {
  const auto value = [&](std::string_view port) -> const Datum& {
    return std::get<Datum>(node.arguments[node.argument_index(port)]);
  };
  ScanLoop scan{.body = nested_graph(value("body"))->copy(),
                .carries = static_cast<size_t>(value("carries").integer()),
                .sequences = static_cast<size_t>(value("sequences").integer()),
                .length = value("length"),
                .reverse = value("reverse").flag()};
  for (size_t i = 0; i < node.list_size(); ++i)
    scan.arguments.push_back(*tensor_of(node.arguments[i]));
  scan.numbers = value("numbers");
  return scan;
}

ScanLoop scan_of(const NodeContext& context) {
  ScanLoop scan{.body = nested_graph(context.value("body"))->copy(),
                .carries = static_cast<size_t>(context.value("carries").integer()),
                .sequences = static_cast<size_t>(context.value("sequences").integer()),
                .length = context.value("length"),
                .reverse = context.value("reverse").flag()};
  for (int i = 0; i < context.list_size(); ++i)
    scan.arguments.push_back(context.in("arguments", i).id);
  scan.numbers = context.value("numbers");
  return scan;
}

std::vector<Value> scan_outputs(const Graph& graph, const ScanLoop& scan) {
  OuterDims outer(graph, scan);
  std::vector<Value> outputs;
  for (size_t k = 0; k < scan.body.outputs().size(); ++k) {
    // A carry has the dims of its first value: each step has to keep them.
    const bool carry = k < scan.carries;
    const Value& inner = scan.body.value(scan.body.outputs()[k].value);
    Value value{.name = {}, .dims = {}, .dtype = inner.dtype};
    if (carry) {
      value.dims = graph.value(scan.arguments[k]).dims;
    } else {
      value.dims = outer(inner);
      value.dims.insert(value.dims.begin(), scan.length.dim());
    }
    outputs.push_back(std::move(value));
  }
  return outputs;
}

std::vector<Argument> scan_arguments(const Graph& graph, const ScanLoop& scan) {
  Tuple results;
  for (const Value& value : scan_outputs(graph, scan))
    results.emplace_back(Tuple{Datum(value.dtype), Datum::dims(value.dims)});
  std::vector<Argument> arguments(scan.arguments.begin(), scan.arguments.end());
  for (Datum datum : {nested_datum(scan.body), Datum(static_cast<int64_t>(scan.carries)),
                      Datum(static_cast<int64_t>(scan.sequences)), scan.length, Datum(scan.reverse),
                      Datum(std::move(results)), scan.numbers})
    arguments.emplace_back(std::move(datum));
  return arguments;
}

std::vector<ValueId> add_scan(Graph& graph, const ScanLoop& scan, const std::string& name) {
  return graph.add(find_op("scan"), scan_arguments(graph, scan), name);
}

void check_node_of_step(const Graph& graph, const Node& node, const std::vector<bool>& of_step) {
  check_key(graph, node, of_step);
  check_nested_keys(node, of_step);
  if (node.op->collective)
    refuse_node(graph, node, "", "let processes exchange values before the loop, or after it");
}

}  // namespace mithril
