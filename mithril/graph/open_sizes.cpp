#include "mithril/graph/open_sizes.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "mithril/infer/size_program.hpp"

namespace mithril {
namespace {

void add_symbols(const Dim& dim, std::set<Symbol*>& symbols) {
  Renaming memo;
  rename(dim, memo, [&](Symbol* symbol) {
    symbols.insert(symbol);
    return Dim(symbol);
  });
}

// The symbols with which nodes compute, and which do not follow from the dims of the inputs.
std::set<Symbol*> open_symbols(const Graph& body) {
  std::set<Symbol*> symbols;
  for (const Node& node : body.nodes()) {
    for (const Argument& argument : node.arguments) {
      const auto* datum = std::get_if<Datum>(&argument);
      if (datum && is_symbolic(*datum)) {
        map_dims(*datum, [&](const Dim& dim) {
          add_symbols(dim, symbols);
          return dim;
        });
      }
    }
  }
  if (symbols.empty()) return symbols;
  SizeProgram sizes;
  for (const ValueId input : body.inputs()) {
    for (const Dim& dim : body.value(input).dims) sizes.observe(dim);
  }
  std::erase_if(symbols, [&](Symbol* symbol) { return sizes.follows(Dim(symbol)); });
  return symbols;
}

bool has_one_of(const std::set<Symbol*>& open, const Value& value) {
  std::set<Symbol*> symbols;
  for (const Dim& dim : value.dims) add_symbols(dim, symbols);
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](Symbol* symbol) { return open.contains(symbol); });
}

}  // namespace

bool has_open_size(const Graph& body, const Value& value) {
  return has_one_of(open_symbols(body), value);
}

void add_size_arguments(ScanLoop& to, const ScanLoop& from, const std::string& prefix) {
  for (size_t i = 0; i < from.arguments.size(); ++i) {
    Value value = from.body.value(from.body.inputs()[i]);
    if (!has_open_size(to.body, value)) continue;
    value.name = prefix + "sizes_" + std::to_string(i);
    const bool sequence = i >= from.carries && i < from.carries + from.sequences;
    if (sequence) value.dims.insert(value.dims.begin(), Dim(to.body.facts()->symbol()));
    to.body.add_input(std::move(value));
    to.arguments.push_back(from.arguments[i]);
  }
}

std::vector<ValueId> add_size_inputs(const Graph& graph, const std::vector<Graph*>& nested) {
  const auto open_of_all = [&] {
    std::set<Symbol*> open;
    for (const Graph* body : nested) open.merge(open_symbols(*body));
    return open;
  };
  std::vector<ValueId> added;
  std::set<Symbol*> open = open_of_all();
  for (size_t i = 0; i < graph.values().size() && !open.empty(); ++i) {
    Value value = graph.values()[i];
    if (!value.ranked || !has_one_of(open, value)) continue;
    value.name += ".sizes";
    for (Graph* body : nested) body->add_input(value);
    added.push_back(static_cast<ValueId>(i));
    open = open_of_all();
  }
  return added;
}

}  // namespace mithril
