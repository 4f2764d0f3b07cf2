#include "mithril/passes/placements/batch_rows.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/infer/dim.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse_fixed(const Value& value) {
  raise({.kind = ErrorKind::state,
         .code = "E0951",
         .path = value.name,
         .message = "the first axis of " + in_quotes(value.name) +
                    " does not have an open size, so processes cannot share its rows",
         .facts = {{value.name, value.ranked ? to_string(value.dims) : "of any rank"}},
         .help = "compile the model with None for the first axis of its data"});
}

}  // namespace

std::string unused_prefix(const Graph& graph, std::string prefix) {
  const auto is_taken = [&](const Value& value) {
    const std::string& name = value.name;
    return name.size() > prefix.size() && name[prefix.size()] == '.' && name.starts_with(prefix);
  };
  while (std::any_of(graph.values().begin(), graph.values().end(), is_taken)) prefix += "_";
  return prefix;
}

std::vector<Symbol*> leaves_of(const Dim& dim) {
  std::vector<Symbol*> leaves;
  Renaming memo;
  rename(dim, memo, [&](Symbol* symbol) {
    leaves.push_back(symbol);
    return Dim(symbol);
  });
  return leaves;
}

BatchRows::BatchRows(const Graph& graph, const std::vector<bool>& sharded) {
  std::vector<const Value*> open;  // whose first axis depends on several symbols
  for (size_t i = 0; i < graph.inputs().size() && i < sharded.size(); ++i) {
    if (!sharded[i]) continue;
    const Value& value = graph.value(graph.inputs()[i]);
    if (!value.ranked || value.dims.empty()) refuse_fixed(value);
    const std::vector<Symbol*> leaves = leaves_of(value.dims.front());
    if (leaves.empty()) refuse_fixed(value);
    if (leaves.size() > 1) open.push_back(&value);
    if (leaves.size() == 1 && find(leaves.front()) < 0) sizes_.emplace_back(leaves.front());
  }
  for (const Value* value : open) {
    if (!has(value->dims.front())) refuse_fixed(*value);
  }
}

int BatchRows::find(const Symbol* symbol) const {
  const auto is_symbol = [&](const Dim& dim) { return resolve(dim).symbol() == symbol; };
  const auto at = std::find_if(sizes_.begin(), sizes_.end(), is_symbol);
  if (at != sizes_.end()) return static_cast<int>(at - sizes_.begin());
  const auto equal = std::find_if(equal_.begin(), equal_.end(),
                                  [&](const auto& pair) { return is_symbol(pair.first); });
  return equal == equal_.end() ? -1 : static_cast<int>(equal->second);
}

bool BatchRows::is_unclear(const Symbol* symbol) const {
  return std::any_of(unclear_.begin(), unclear_.end(),
                     [&](const Dim& dim) { return resolve(dim).symbol() == symbol; });
}

bool BatchRows::has(const Dim& dim) const {
  const Dim now = resolve(dim);
  if (now.is_constant()) return false;
  if (now.symbol() && find(now.symbol()) >= 0) return true;
  const std::vector<Symbol*> leaves = leaves_of(now);
  return std::any_of(leaves.begin(), leaves.end(),
                     [&](const Symbol* symbol) { return find(symbol) >= 0 || is_unclear(symbol); });
}

bool BatchRows::has(const Datum& datum) const {
  if (!is_symbolic(datum)) return false;
  bool found = false;
  map_dims(datum, [&](const Dim& dim) {
    found = found || has(dim);
    return dim;
  });
  return found;
}

Dim BatchRows::with(const Dim& dim, int64_t rows) const {
  Renaming memo;
  return resolve(rename(
      dim, memo, [&](Symbol* symbol) { return find(symbol) >= 0 ? Dim(rows) : Dim(symbol); }));
}

std::optional<size_t> BatchRows::batch_of(const Dim& dim) const {
  std::optional<size_t> batch;
  for (const Symbol* symbol : leaves_of(dim)) {
    const int at = find(symbol);
    if (is_unclear(symbol)) return std::nullopt;
    if (at < 0) continue;
    if (batch && *batch != static_cast<size_t>(at)) return std::nullopt;
    batch = static_cast<size_t>(at);
  }
  return batch;
}

}  // namespace mithril
