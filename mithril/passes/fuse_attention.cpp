#include "mithril/passes/fuse_attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mithril/graph/expression.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/use_counts.hpp"

namespace mithril {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Mask {
  enum class Kind : uint8_t { none, added, keeps, drops };
  Kind kind = Kind::none;
  ValueId value{};
};

struct Attention {
  ValueId query{}, key{}, value{};
  bool transposed = false;  // whether `key` is the right operand of the product: [..., E, S]
  double scale = 1;
  Mask mask = {};
};

class FuseAttention {
 public:
  explicit FuseAttention(const Graph& graph)
      : from_(graph),
        rebuilder_(graph),
        makers_(graph.values().size()),
        use_counts_(use_counts(graph)) {
    for (const Constant& constant : graph.constants()) {
      constants_.emplace(constant.value, &constant.tensor);
    }
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : node.outputs) makers_[index(id)] = &node;
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      const auto attention = node.op == &matmul_ ? attention_of(node) : std::nullopt;
      if (attention) {
        write(*attention, node.outputs);
      } else {
        rebuilder_.keep(node);
      }
    }
    return rebuilder_.finish();
  }

 private:
  // Matches from the last product back to the first.
  std::optional<Attention> attention_of(const Node& product) const {
    const Node* softmax = made_for_one(product.arguments[0], softmax_);
    const ValueId* weights = tensor_of(product.arguments[0]);
    if (!softmax || !is_last_axis(softmax->arguments[1], *weights)) return std::nullopt;
    Attention attention{.value = *tensor_of(product.arguments[1])};
    const Argument& scores = softmax->arguments[0];
    const bool found = read_scores(scores, attention) || read_added(scores, attention) ||
                       read_filled(scores, attention);
    return found && fits(attention, *weights) ? std::optional(attention) : std::nullopt;
  }

  bool read_scores(const Argument& scores, Attention& attention) const {
    double scale = 1;
    const Node* product = made_for_one(unscaled(scores, scale), matmul_);
    if (!product) return false;
    attention.query = *tensor_of(unscaled(product->arguments[0], scale));
    attention.key = *tensor_of(unscaled(product->arguments[1], scale));
    attention.transposed = true;
    const Node* swap = makers_[index(attention.key)];
    if (swap && swaps_matrix(*swap)) {
      attention.key = *tensor_of(unscaled(swap->arguments[0], scale));
      attention.transposed = false;
    }
    attention.scale = scale;
    return std::isfinite(scale);
  }

  bool read_added(const Argument& masked, Attention& attention) const {
    const Node* sum = made_for_one(masked, add_);
    for (size_t i = 0; sum && i < 2; ++i) {
      const ValueId* mask = tensor_of(sum->arguments[1 - i]);
      if (!mask || !read_scores(sum->arguments[i], attention)) continue;
      const Value &added = from_.value(*mask), &out = from_.value(sum->outputs[0]);
      if (added.dtype != out.dtype || size_of(out.dtype) < 4) continue;
      attention.mask = {Mask::Kind::added, *mask};
      if (can_be_mask(*mask, *tensor_of(sum->arguments[i]), out)) return true;
    }
    return false;
  }

  bool read_filled(const Argument& masked, Attention& attention) const {
    const Node* choice = made_for_one(masked, where_);
    for (size_t i = 1; choice && i <= 2; ++i) {
      if (number(choice->arguments[3 - i]) != -infinity) continue;
      const ValueId condition = *tensor_of(choice->arguments[0]);
      attention.mask = {i == 1 ? Mask::Kind::keeps : Mask::Kind::drops, condition};
      return read_scores(choice->arguments[i], attention) &&
             can_be_mask(condition, *tensor_of(choice->arguments[i]),
                         from_.value(choice->outputs[0]));
    }
    return false;
  }

  // The node of this op that makes the argument, if it is the only reader.
  const Node* made_for_one(const Argument& argument, const OpDef& op) const {
    const Node* node = made_for_one(argument);
    return node && node->op == &op ? node : nullptr;
  }
  // Skips ops that change nothing, such as dropout in inference.
  const Node* made_for_one(const Argument& argument) const {
    const ValueId* id = tensor_of(argument);
    const Node* node = id && use_counts_[index(*id)] == 1 ? makers_[index(*id)] : nullptr;
    return node && node->op == &buffer_ ? made_for_one(node->arguments[0]) : node;
  }

  // The argument without multiplications by numbers, which are collected in `scale`.
  Argument unscaled(Argument argument, double& scale) const {
    for (;;) {
      const Node* node = made_for_one(argument);
      if (!node || (node->op != &multiply_ && node->op != &divide_)) return argument;
      const bool on_left = node->op == &multiply_ && number(node->arguments[0]);
      const Argument &of = node->arguments[on_left], &by = node->arguments[!on_left];
      const ValueId* id = tensor_of(of);
      if (!id || !number(by) || !alike(from_.value(*id), from_.value(node->outputs[0])))
        return argument;
      scale *= node->op == &multiply_ ? *number(by) : 1 / *number(by);
      argument = of;
    }
  }

  // A value, or the one element of a constant.
  std::optional<double> number(const Argument& argument) const {
    if (const ValueId* id = tensor_of(argument)) {
      const auto at = constants_.find(*id);
      if (at == constants_.end() || at->second->size() != 1) return std::nullopt;
      return at->second->at_as_double(0);
    }
    const Datum& datum = std::get<Datum>(argument);
    const bool known = datum.kind() == kind::float_value || datum.kind() == kind::int_value;
    return known && !is_symbolic(datum) ? std::optional(datum.real()) : std::nullopt;
  }

  bool is_last_axis(const Argument& axis, ValueId of) const {
    const Value& value = from_.value(of);
    return value.ranked && axis_of(axis, value.dims.size()) + 1 == value.dims.size();
  }

  // Whether the node exchanges exactly the last two axes.
  bool swaps_matrix(const Node& node) const {
    const Value& made = from_.value(node.outputs[0]);
    const size_t rank = made.dims.size();
    if (!made.ranked || rank < 2) return false;
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), size_t{0});
    if (node.op == &swapaxes_) {
      std::swap(order[axis_of(node.arguments[1], rank)], order[axis_of(node.arguments[2], rank)]);
    } else if (node.op == &transpose_) {
      const Datum& axes = std::get<Datum>(node.arguments[1]);
      if (axes.is_none()) std::reverse(order.begin(), order.end());
      for (size_t i = 0; i < rank && !axes.is_none(); ++i)
        order[i] = axis_of(axes.tuple()[i], rank);
    }
    std::swap(order[rank - 2], order[rank - 1]);
    return std::is_sorted(order.begin(), order.end());
  }

  static size_t axis_of(const Argument& axis, size_t rank) {
    const int64_t number = std::get<Datum>(axis).integer();
    return static_cast<size_t>(number < 0 ? number + static_cast<int64_t>(rank) : number);
  }

  static bool alike(const Value& a, const Value& b) {
    return a.ranked && b.ranked && a.dtype == b.dtype && a.dims.size() == b.dims.size() &&
           same_dims(a, b, a.dims.size());
  }
  // Compares the first axes.
  static bool same_dims(const Value& a, const Value& b, size_t count) {
    return std::equal(a.dims.begin(), a.dims.begin() + static_cast<ptrdiff_t>(count),
                      b.dims.begin(), [](const Dim& x, const Dim& y) { return same(x, y); });
  }

  bool fits(const Attention& attention, ValueId weights) const {
    const Value &query = from_.value(attention.query), &value = from_.value(attention.value);
    for (const ValueId id : {attention.query, attention.key, attention.value, weights}) {
      const Value& each = from_.value(id);
      const size_t rank = each.dims.size();
      if (!each.ranked || rank < 2 || rank > 4 || rank != query.dims.size()) return false;
      if (each.dtype != query.dtype || !same_dims(each, query, rank - 2)) return false;
    }
    return same(query.dims.back(), value.dims.back());
  }

  // The mask adds no axes or sizes to the scores, and converting it costs little compared with
  // them.
  bool can_be_mask(ValueId id, ValueId scores, const Value& masked) const {
    const Value& mask = from_.value(id);
    if (!mask.ranked || mask.dims.empty() || !alike(from_.value(scores), masked)) return false;
    return constants_.contains(id) || is_shared(mask, masked);
  }

  static bool is_shared(const Value& mask, const Value& masked) {
    const size_t missing = masked.dims.size() - mask.dims.size();
    for (size_t i = 0; i + 2 < masked.dims.size(); ++i) {
      const bool is_one = i < missing || resolve(mask.dims[i - missing]).is_constant(1);
      if (is_one && !resolve(masked.dims[i]).is_constant(1)) return true;
    }
    return false;
  }

  void write(const Attention& attention, const std::vector<ValueId>& outputs) {
    const std::string scope = from_.value(outputs[0]).name + ".attention";
    const auto now = [&](ValueId id) {
      return Expression{&rebuilder_.graph(), rebuilder_.map(id), &scope};
    };
    const Expression given = now(attention.key);
    const Expression key = attention.transposed ? call("swapaxes", {given, -1, -2}) : given;
    Node node{&find_op("scaled_dot_product"),
              {now(attention.query).id, key.id, now(attention.value).id},
              {}};
    const bool masked = attention.mask.kind != Mask::Kind::none;
    node.arguments.push_back(masked ? Argument(bias(attention.mask.kind, now(attention.mask.value),
                                                    from_.value(outputs[0]).dtype)
                                                   .id)
                                    : Argument(None{}));
    for (const Datum& datum : {Datum(false), Datum(attention.scale), Datum(0.0)}) {
      node.arguments.emplace_back(datum);
    }
    rebuilder_.add(std::move(node), outputs);
  }

  // The term that is added to the scores: NaN in fully masked rows, whose softmax is NaN.
  static Expression bias(Mask::Kind kind, const Expression& mask, DType dtype) {
    Expression added = mask;
    if (kind == Mask::Kind::drops) added = call("logical_not", {added});
    if (kind != Mask::Kind::added) added = call("log", {call("cast", {added, Datum(dtype)})});
    return added + call("softmax", {added, -1}) * 0.0;
  }

  const OpDef &matmul_ = find_op("matmul"), &softmax_ = find_op("softmax"), &add_ = find_op("add"),
              &where_ = find_op("where"), &multiply_ = find_op("multiply"),
              &divide_ = find_op("divide"), &swapaxes_ = find_op("swapaxes"),
              &transpose_ = find_op("transpose"), &buffer_ = find_op("buffer");
  const Graph& from_;
  Rebuilder rebuilder_;
  std::vector<const Node*> makers_;  // per value; null: an input or a constant
  const std::vector<int> use_counts_;
  std::unordered_map<ValueId, const Tensor*> constants_;
};

}  // namespace

Graph fuse_attention(const Graph& graph) { return FuseAttention(graph).run(); }

}  // namespace mithril
