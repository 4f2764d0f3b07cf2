// Makes one of nodes that compute the same, and of constants that hold the same. The first one
// stays.
#include <algorithm>
#include <bit>
#include <string_view>

#include "mithril/infer/symbol.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/passes/hash_index.hpp"
#include "mithril/passes/passes.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril {
namespace {

// Enough to distinguish most constants; equal hashes are compared in full.
constexpr size_t hashed_bytes = 4096;

size_t mix(size_t hash, size_t more) { return (hash ^ more) * 0x9e3779b97f4a7c15u + (hash >> 29); }

size_t hash_of(const Dim& dim) {
  const Dim now = resolve(dim);
  if (now.is_constant()) return static_cast<size_t>(now.constant());
  size_t hash = 1;
  each_symbol(now,
              [&](const Symbol* symbol) { hash = mix(hash, static_cast<size_t>(symbol->id)); });
  return hash;
}

size_t hash_of(const Datum& datum) {
  const size_t kind = datum.kind();
  switch (kind) {
    case kind::bool_value:
      return mix(kind, datum.flag());
    case kind::int_value:
      return mix(kind, hash_of(datum.dim()));
    case kind::float_value:
      return mix(kind, std::bit_cast<uint64_t>(datum.real()));
    case kind::string:
      return mix(kind, text_hash(datum));
    case kind::dtype:
      return mix(kind, static_cast<size_t>(datum.dtype()));
    case kind::tuple: {
      size_t hash = kind;
      for (const Datum& item : datum.tuple()) hash = mix(hash, hash_of(item));
      return hash;
    }
    default:
      return kind;
  }
}

// The same to the bit: 0.0 and -0.0 differ.
bool equal(const Datum& a, const Datum& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case kind::float_value:
      return std::bit_cast<uint64_t>(a.real()) == std::bit_cast<uint64_t>(b.real());
    case kind::tuple:
      return std::equal(a.tuple().begin(), a.tuple().end(), b.tuple().begin(), b.tuple().end(),
                        equal);
    case kind::slice:
      return equal(a.slice().start, b.slice().start) && equal(a.slice().stop, b.slice().stop) &&
             equal(a.slice().step, b.slice().step);
    default:
      return same(a, b);
  }
}

bool equal(const Argument& a, const Argument& b) {
  const ValueId *left = tensor_of(a), *right = tensor_of(b);
  if (left || right) return left && right && *left == *right;
  return equal(std::get<Datum>(a), std::get<Datum>(b));
}

// Unknown sizes have different symbols if they are made twice, and readers need the symbol that
// they know.
bool same_dims(const Value& a, const Value& b) {
  return a.ranked == b.ranked &&
         std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    [](const Dim& x, const Dim& y) { return same(x, y); });
}

class CommonSubexpressions {
 public:
  explicit CommonSubexpressions(const Graph& graph)
      : from_(graph), rebuilder_(graph), seen_(graph.nodes().size()) {}

  Graph run() {
    merge_constants();
    for (const Node& node : from_.nodes()) merge(node);
    return rebuilder_.finish();
  }

 private:
  void merge_constants() {
    const std::vector<Constant>& constants = from_.constants();
    HashIndex seen(constants.size());
    for (size_t i = 0; i < constants.size(); ++i) {
      const Tensor& tensor = constants[i].tensor;
      const std::string_view head(static_cast<const char*>(tensor.raw_data()),
                                  std::min(tensor.bytes(), hashed_bytes));
      const size_t hash = mix(std::hash<std::string_view>()(head), tensor.bytes());
      const auto first = seen.find_or_add(
          hash, i, [&](size_t other) { return identical(constants[other].tensor, tensor); });
      if (first) rebuilder_.replace(constants[i].value, rebuilder_.map(constants[*first].value));
    }
  }

  void merge(const Node& node) {
    Node mapped = rebuilder_.map_arguments(node);
    if (node.op->collective) return rebuilder_.add(std::move(mapped), node.outputs);
    size_t hash = std::hash<const OpDef*>()(node.op);
    for (const Argument& argument : mapped.arguments) {
      const ValueId* id = tensor_of(argument);
      hash = mix(hash, id ? index(*id) : hash_of(std::get<Datum>(argument)));
    }
    const std::vector<Node>& nodes = rebuilder_.graph().nodes();
    const auto first = seen_.find_or_add(mix(hash, 0), nodes.size(), [&](size_t other) {
      return can_replace(nodes[other], mapped, node.outputs);
    });
    if (!first) return rebuilder_.add(std::move(mapped), node.outputs);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      rebuilder_.replace(node.outputs[i], nodes[*first].outputs[i]);
    }
  }

  bool can_replace(const Node& first, const Node& second, const std::vector<ValueId>& outputs) {
    const auto equal_arguments = [](const Argument& a, const Argument& b) { return equal(a, b); };
    return first.op == second.op && first.outputs.size() == outputs.size() &&
           std::equal(first.arguments.begin(), first.arguments.end(), second.arguments.begin(),
                      second.arguments.end(), equal_arguments) &&
           std::equal(outputs.begin(), outputs.end(), first.outputs.begin(),
                      [&](ValueId old, ValueId now) {
                        return same_dims(from_.value(old), rebuilder_.graph().value(now));
                      });
  }

  const Graph& from_;
  Rebuilder rebuilder_;
  HashIndex seen_;  // nodes of the new graph
};

}  // namespace

Graph eliminate_common_subexpressions(const Graph& graph) {
  return CommonSubexpressions(graph).run();
}

}  // namespace mithril
