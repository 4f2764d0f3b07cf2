#include "mithril/passes/placements/probe.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/graph/nested_graph.hpp"
#include "mithril/infer/dim.hpp"
#include "mithril/op/sample_context.hpp"

namespace mithril {
namespace {

// Primes, so that a size is a multiple of the batch only if it belongs to the batch.
constexpr std::array<int64_t, 4> probed_batches = {10007, 10009, 10037, 10039};
// Sizes of the other open axes, tried one after the other. Many models need a divisible size, or
// one that is neither too large nor too small.
constexpr std::array<int64_t, 9> other_sizes = {32, 64, 96, 16, 128, 8, 4, 2, 1};

// Whether a fixed size of the graph, or of a graph in it, is a multiple of the batch.
bool has_multiple(const Graph& graph, int64_t batch) {
  for (const Value& value : graph.values()) {
    for (const Dim& dim : value.dims) {
      const Dim size = resolve(dim);
      if (size.is_constant() && size.constant() > 0 && size.constant() % batch == 0) return true;
    }
  }
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
    const std::vector<std::string_view>& ports = nested_graph_ports(*node.op);
    return std::any_of(ports.begin(), ports.end(), [&](std::string_view port) {
      return has_multiple(nested_graph(node, port)->graph(), batch);
    });
  });
}

// The first batch of which no fixed size is a multiple.
int64_t choose_batch(const Graph& graph) {
  const auto is_free = [&](int64_t batch) { return !has_multiple(graph, batch); };
  const auto* const found = std::find_if(probed_batches.begin(), probed_batches.end(), is_free);
  return found == probed_batches.end() ? probed_batches.front() : *found;
}

// The size of the symbol in a dim of this size, which is a sum with this symbol alone.
int64_t size_in(const Dim& dim, Symbol* symbol, int64_t size) {
  const auto at = [&](int64_t number) {
    Sizes sizes{{symbol, number}};
    return *evaluate(dim, sizes);
  };
  return (size - at(0)) / (at(1) - at(0));
}

// Those of the symbols in the inputs.
Sizes sizes_of_probe(const Graph& graph, const BatchRows& rows, int64_t batch, int64_t other) {
  Sizes sizes;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (!value.ranked) {
      raise({.kind = ErrorKind::state,
             .code = "E0952",
             .path = value.name,
             .message = "the rank of " + in_quotes(value.name) + " is not known",
             .help = "state its shape with shapes="});
    }
    for (const Dim& dim : value.dims) {
      for (Symbol* leaf : leaves_of(dim)) sizes.emplace(leaf, rows.has(Dim(leaf)) ? batch : other);
    }
  }
  return sizes;
}

std::vector<Tensor> inputs_of_probe(const Graph& graph, Sizes sizes) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    Dims dims;
    for (const Dim& dim : value.dims) dims.push_back(*evaluate(dim, sizes));
    inputs.push_back(placeholder(value.dtype, std::move(dims)));
  }
  return inputs;
}

}  // namespace

Probe probe(const Graph& graph, const BatchRows& rows) {
  const int64_t batch = choose_batch(graph);
  std::optional<SizeSources> sources;  // none: the sizes of symbols suffice
  std::optional<Error> first;
  for (size_t i = 0; i < other_sizes.size();) {
    const Sizes sizes = sizes_of_probe(graph, rows, batch, other_sizes[i]);
    try {
      if (sources) {
        const Plan plan = make_plan(graph, *sources, inputs_of_probe(graph, sizes));
        return {batch, GraphNumbers(graph, plan)};
      }
      if (auto numbers = GraphNumbers::of_symbols(graph, sizes))
        return {batch, *std::move(numbers)};
    } catch (const Error& error) {
      if (!first) first = error;
      ++i;
      continue;
    }
    sources.emplace(graph);
  }
  ErrorDetails details = first->details();
  details.kind = ErrorKind::state;
  details.code = "E0952";
  details.message = "the sizes of a batch that processes share do not fit: " + details.message;
  raise(std::move(details));
}

std::vector<Symbol*> symbols_of_rows(const Graph& graph, const Probe& probe) {
  struct OpenDim {
    Dim dim;
    int64_t size;
  };
  std::vector<OpenDim> open;  // each symbol once
  std::unordered_set<const Symbol*> seen;
  for (size_t i = 0; i < graph.values().size(); ++i) {
    const std::vector<Dim>& stated = graph.values()[i].dims;
    const auto id = static_cast<ValueId>(i);
    for (size_t axis = 0; axis < stated.size() && probe.numbers.knows(id); ++axis) {
      const Dim dim = resolve(stated[axis]);
      if (dim.is_constant() || (dim.symbol() && !seen.insert(dim.symbol()).second)) continue;
      open.push_back({dim, probe.numbers.dims(id)[axis]});
    }
  }
  std::unordered_set<Symbol*> others, found;
  for (const auto& [dim, size] : open) {
    std::vector<Symbol*> symbols;
    each_symbol(dim, [&](Symbol* symbol) { symbols.push_back(symbol); });
    const bool is_alone = symbols.size() == 1 && symbols == leaves_of(dim);
    if (is_alone && !spans_batch(size_in(dim, symbols.front(), size), probe.batch))
      others.insert(symbols.front());
  }
  std::vector<Symbol*> of_rows;
  for (const OpenDim& each : open) {
    for (Symbol* leaf : leaves_of(each.dim)) {
      if (!others.contains(leaf) && found.insert(leaf).second) of_rows.push_back(leaf);
    }
  }
  return of_rows;
}

}  // namespace mithril
