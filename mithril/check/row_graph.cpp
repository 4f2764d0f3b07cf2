#include "mithril/check/row_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "mithril/infer/symbol.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/passes.hpp"

namespace mithril::check {
namespace {

std::string item_name(const std::string& port, bool list, std::size_t item) {
  return list ? fmt::format("{}_{}", port, item) : port;
}

void name_outputs(Graph& graph, const OpDef& op, const std::vector<ValueId>& values) {
  const std::size_t list_size = values.size() + 1 - op.outputs.size();
  std::size_t at = 0;
  for (const PortDef& port : op.outputs) {
    const std::size_t count = port.list ? list_size : 1;
    for (std::size_t i = 0; i < count; ++i)
      graph.add_output(item_name(port.name, port.list, i), values[at++]);
  }
}

const PortContent* content_of(const OpCase& row, const std::string& port) {
  const PortContent* found = nullptr;
  for (const auto& [name, content] : row.inputs) {
    if (name != port) continue;
    if (found) throw std::invalid_argument("the row gives port '" + port + "' twice");
    found = &content;
  }
  return found;
}

}  // namespace

std::string_view name(Knowledge knowledge) {
  constexpr std::string_view names[] = {"numbers", "shared symbols", "symbols", "unknown ranks"};
  return names[static_cast<std::size_t>(knowledge)];
}

std::vector<PortContent> contents(const OpDef& op, const OpCase& row) {
  for (const auto& [name, content] : row.inputs) {
    const bool known =
        std::any_of(op.inputs.begin(), op.inputs.end(),
                    [&name = name](const PortDef& port) { return port.name == name; });
    if (!known) throw std::invalid_argument("the op has no input '" + name + "'");
  }
  std::vector<PortContent> result;
  for (const PortDef& port : op.inputs) {
    const PortContent* given = content_of(row, port.name);
    if (given && given->list != port.list)
      throw std::invalid_argument("port '" + port.name + "' and list() do not fit");
    if (!given && !port.list && !port.fallback)
      throw std::invalid_argument("the row leaves out port '" + port.name + "'");
    if (given) {
      result.push_back(*given);
    } else if (port.list) {
      result.push_back(list({}));
    } else {
      result.emplace_back(*port.fallback);
    }
  }
  return result;
}

std::vector<Dim> dims_of(const TensorSpec& spec, Knowledge knowledge, Facts& facts,
                         std::vector<Dim>& shared) {
  std::vector<Dim> dims;
  for (const std::int64_t size : spec.dims) {
    if (knowledge == Knowledge::numbers || (knowledge == Knowledge::shared_symbols && size == 1)) {
      dims.emplace_back(size);
    } else if (knowledge == Knowledge::shared_symbols) {
      const auto at = static_cast<std::size_t>(size);
      while (shared.size() <= at)
        shared.emplace_back(facts.symbol("N" + std::to_string(shared.size())));
      dims.push_back(shared[at]);
    } else {
      dims.emplace_back(facts.symbol());
    }
  }
  return dims;
}

RowGraph build(const OpDef& op, const OpCase& row, Knowledge knowledge, DType floats) {
  RowGraph result;
  Graph& graph = result.graph;
  graph.set_default_dtype(floats);
  std::vector<Dim> shared;
  std::vector<Argument> arguments;
  const std::vector<PortContent> given = contents(op, row);
  for (std::size_t port = 0; port < given.size(); ++port) {
    for (std::size_t item = 0; item < given[port].items.size(); ++item) {
      if (const Datum* datum = std::get_if<Datum>(&given[port].items[item])) {
        arguments.emplace_back(*datum);
        continue;
      }
      TensorSpec spec = std::get<TensorSpec>(given[port].items[item]);
      if (spec.dtype == DType::float64) spec.dtype = floats;
      const bool ranked = knowledge != Knowledge::nothing;
      std::vector<Dim> dims =
          ranked ? dims_of(spec, knowledge, *graph.facts(), shared) : std::vector<Dim>();
      arguments.emplace_back(
          graph.add_input({.name = item_name(op.inputs[port].name, given[port].list, item),
                           .dims = std::move(dims),
                           .ranked = ranked,
                           .dtype = spec.dtype}));
      result.ports.push_back(op.inputs[port].name);
      result.tensors.push_back(std::move(spec));
    }
  }
  name_outputs(graph, op, graph.add(op, std::move(arguments), "op"));
  graph = expand_ops(graph);
  verify(graph);
  return result;
}

std::vector<std::string> float_outputs(const Graph& graph) {
  std::vector<std::string> names;
  for (const Output& output : graph.outputs()) {
    if (graph.value(output.value).dtype == DType::float64) names.push_back(output.name);
  }
  return names;
}

std::vector<std::string> float_inputs(const RowGraph& built, const std::vector<std::string>& held) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < built.tensors.size(); ++i) {
    const bool hold = std::find(held.begin(), held.end(), built.ports[i]) != held.end();
    const Value& value = built.graph.value(built.graph.inputs()[i]);
    if (value.dtype == DType::float64 && !hold) names.push_back(value.name);
  }
  return names;
}

namespace {

Sizes sizes_of(const Graph& graph, const std::vector<Tensor>& inputs) {
  Sizes sizes;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<Dim>& dims = graph.value(graph.inputs()[i]).dims;
    for (std::size_t at = 0; at < dims.size(); ++at) {
      if (Symbol* symbol = resolve(dims[at]).symbol()) sizes.emplace(symbol, inputs[i].dims()[at]);
    }
  }
  return sizes;
}

}  // namespace

std::string output_dims_difference(const Graph& graph, const std::vector<Tensor>& inputs,
                                   const std::vector<Tensor>& outputs, bool all) {
  Sizes sizes = sizes_of(graph, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [output, id] = graph.outputs()[i];
    const Value& value = graph.value(id);
    const std::string got = fmt::format("{} has dims {}", output, to_string(outputs[i].dims()));
    if (!value.ranked && all) return got + ", the inferred rank is unknown";
    if (!value.ranked) continue;
    bool fits = value.dims.size() == outputs[i].dims().size();
    for (std::size_t at = 0; fits && at < value.dims.size(); ++at) {
      const auto size = evaluate(value.dims[at], sizes);
      fits = size ? *size == outputs[i].dims()[at] : !all;
    }
    if (!fits) return fmt::format("{}, inferred {}", got, to_string(value.dims));
  }
  return {};
}

}  // namespace mithril::check
