#include "backends/torch/attention_gradient.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "mithril/op/op_def.hpp"
#include "mithril/op/patterns.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/op/spelling.hpp"
#include "mithril/ops/support/spelling.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/use_counts.hpp"

namespace mithril::torch_backend {
namespace {

struct Spelled {
  std::string query, key, value, grad, causal, scale;
  int64_t rows, columns, width;
  size_t missing;  // axes below the four that the kernels take
};

std::string times(size_t count, const char* op, std::string of) {
  for (; count > 0; --count) of = spell_call(op, {of, "0"});
  return of;
}

std::string spelled_real(double number) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

Spelled arguments_of(const SpellingContext& c) {
  const Dims &query = c.dims("query"), &key = c.dims("key");
  const size_t missing = 4 - query.size();
  const auto port = [&](const char* name) { return times(missing, "aten::unsqueeze", name); };
  // The kernels read rows without gaps, and that of the CPU does not check it.
  const auto dense = [&](const char* name) { return spell_call("aten::contiguous", {port(name)}); };
  return {dense("query"),
          dense("key"),
          dense("value"),
          port("grad"),
          c.value("is_causal").flag() ? "True" : "False",
          spelled_real(c.value("scale").real()),
          query.end()[-2],
          key.end()[-2],
          query.back(),
          missing};
}

// The first three results of the backward operator, without the additional axes.
std::string results_of(const Spelled& s, const std::string& backward) {
  std::vector<std::string> items;
  for (const char* item : {"[0]", "[1]", "[2]"}) {
    items.push_back(times(s.missing, "aten::squeeze", backward + item));
  }
  return "[" + items[0] + ", " + items[1] + ", " + items[2] + "]";
}

std::string spell_written_out(const Spelled& s) {
  const std::string turned_key = spell_call("aten::transpose", {s.key, "-2", "-1"});
  std::string scores =
      spell_call("aten::matmul", {spell_call("aten::mul", {s.query, s.scale}), turned_key});
  if (s.causal == "True") {
    const std::string ones = spell_call("aten::ones", {to_string(Dims{s.rows, s.columns})});
    scores = spell_call("aten::add",
                        {scores, spell_call("aten::log", {spell_call("aten::tril", {ones})})});
  }
  const std::string weights = spell_call("aten::softmax", {scores, "-1"});
  const std::string by_weights =
      spell_call("aten::matmul", {s.grad, spell_call("aten::transpose", {s.value, "-2", "-1"})});
  const std::string by_scores = spell_call(
      "aten::mul",
      {spell_call("aten::_softmax_backward_data", {by_weights, weights, "-1", "output.dtype"}),
       s.scale});
  const auto product = [](const std::string& left, const std::string& right) {
    return spell_call("aten::matmul", {left, right});
  };
  const std::string query = product(by_scores, s.key);
  const std::string key = product(spell_call("aten::transpose", {by_scores, "-2", "-1"}), s.query);
  const std::string value = product(spell_call("aten::transpose", {weights, "-2", "-1"}), s.grad);
  std::vector<std::string> items;
  for (const std::string& item : {query, key, value}) {
    items.push_back(times(s.missing, "aten::squeeze", item));
  }
  return "[" + items[0] + ", " + items[1] + ", " + items[2] + "]";
}

bool is_empty(const SpellingContext& c) {
  return element_count(c.dims("query")) == 0 || element_count(c.dims("key")) == 0;
}

// The fewest pairs of a query and a key for which the kernel of the CPU pays off: it computes the
// result again. With one thread and 64 columns, 128 x 128 take 1.13 of the written-out time, and
// 512 x 512 take 0.48.
constexpr int64_t min_pairs = 256 * 256;

std::string spell_on_cpu(const SpellingContext& c) {
  const Spelled s = arguments_of(c);
  if (is_empty(c) || s.rows * s.columns < min_pairs) return spell_written_out(s);
  const std::string op = "aten::_scaled_dot_product_flash_attention_for_cpu";
  const std::string forward =
      spell_call(op, {s.query, s.key, s.value, "0.0", s.causal, "scale=" + s.scale});
  return results_of(
      s, spell_call(op + "_backward", {s.grad, s.query, s.key, s.value, forward + "[0]",
                                       forward + "[1]", "0.0", s.causal, "scale=" + s.scale}));
}

// The causal mask of the flash kernel ends at the last column, ours begins at the first.
std::string spell_flash(const SpellingContext& c) {
  const Spelled s = arguments_of(c);
  const bool suits = s.width % 8 == 0 && s.width <= 256 &&
                     (s.causal == "False" || s.rows == s.columns) && !is_empty(c);
  if (!suits) return spell_written_out(s);
  const std::string op = "aten::_scaled_dot_product_flash_attention";
  const std::string f =
      spell_call(op, {s.query, s.key, s.value, "0.0", s.causal, "False", "scale=" + s.scale});
  return results_of(s, spell_call(op + "_backward",
                                  {s.grad, s.query, s.key, s.value, f + "[0]", f + "[1]", f + "[2]",
                                   f + "[3]", spell_number(s.rows), spell_number(s.columns), "0.0",
                                   s.causal, f + "[6]", f + "[7]", "scale=" + s.scale}));
}

std::string spell_memory_efficient(const SpellingContext& c) {
  const Spelled s = arguments_of(c);
  if (s.width % 8 != 0 || is_empty(c)) return spell_written_out(s);
  const std::string op = "aten::_scaled_dot_product_efficient_attention";
  const std::string f = spell_call(
      op, {s.query, s.key, s.value, "None", "True", "0.0", s.causal, "scale=" + s.scale});
  return results_of(
      s, spell_call(op + "_backward",
                    {s.grad, s.query, s.key, s.value, "None", f + "[0]", f + "[1]", f + "[2]",
                     f + "[3]", "0.0", "[True, True, True, False]", s.causal, "scale=" + s.scale}));
}

OpDef make_op(const char* name, std::string (*spell)(const SpellingContext&)) {
  OpDef op{
      .name = name,
      .doc = "The gradients of query, key and value of scaled_dot_product without a mask.",
      .internal = true,
      .inputs = {{"query", "*b L E", "float"},
                 {"key", "*b S E", "float"},
                 {"value", "*b S E", "float"},
                 {"grad", "*b L E", "float"},
                 value("is_causal", "bool"),
                 value("scale", "float")},
      .outputs = {{"query_grad", "*b L E", "float"},
                  {"key_grad", "*b S E", "float"},
                  {"value_grad", "*b S E", "float"}},
      .eval = [](EvalContext&) { MITHRIL_CHECK(false, "an op for torch alone ran here"); },
      .not_differentiable = "only graphs inside of the backend contain it",
      .spell = {{"torch", "the backward operator of torch's attention", spell}},
  };
  compile_patterns(op);
  return op;
}

// A written-out gradient.
struct Found {
  ValueId query, key, value, grad;
  ValueId by_query, by_key, by_value;
  bool is_causal;
  double scale;
};

class UseAttentionGradient {
 public:
  UseAttentionGradient(const Graph& graph, AttentionKernels kernels, const Observer* observer)
      : from_(graph),
        kernels_(kernels),
        observer_(observer),
        rebuilder_(graph),
        counts_(use_counts(graph)) {
    for (const Node& node : graph.nodes()) {
      for (const ValueId id : node.outputs) makers_[id] = &node;
      for (const Argument& argument : node.arguments) {
        if (const ValueId* id = tensor_of(argument)) users_[*id].push_back(&node);
      }
    }
    for (const Node& node : graph.nodes()) {
      if (node.op->name != "softmax_grad") continue;
      if (const auto found = match(node)) {
        found_.push_back(*found);
        for (const ValueId id : {found->by_query, found->by_key, found->by_value}) {
          at_[id] = found_.size() - 1;
        }
      }
    }
  }

  Graph run() {
    if (found_.empty()) return from_;
    std::vector<bool> written(found_.size());
    for (const Node& node : from_.nodes()) {
      const auto at = at_.find(node.outputs[0]);
      if (at == at_.end()) {
        rebuilder_.keep(node);
      } else if (!written[at->second]) {
        written[at->second] = true;
        write(found_[at->second]);
      }
    }
    return rebuilder_.finish();
  }

 private:
  void write(const Found& f) {
    Node node{.op = &attention_gradient(*kernels_(from_.value(f.query).dtype))};
    for (const ValueId id : {f.query, f.key, f.value, f.grad}) {
      node.arguments.emplace_back(rebuilder_.map(id));
    }
    node.arguments.emplace_back(Datum(f.is_causal));
    node.arguments.emplace_back(Datum(f.scale));
    rebuilder_.add(std::move(node), {f.by_query, f.by_key, f.by_value});
  }

  const Node* maker(const Argument& argument, const char* op) const {
    const ValueId* id = tensor_of(argument);
    const auto at = id ? makers_.find(*id) : makers_.end();
    const bool fits = at != makers_.end() && at->second->op->name == op && !is_seen(*at->second);
    return fits ? at->second : nullptr;
  }

  // The only node that reads the value, if it is this op.
  const Node* only_user(ValueId id, const char* op) const {
    const auto at = users_.find(id);
    const bool fits = at != users_.end() && counts_[index(id)] == 1 &&
                      at->second.front()->op->name == op && !is_seen(*at->second.front());
    return fits ? at->second.front() : nullptr;
  }

  bool is_seen(const Node& node) const { return observer_ && observer_->wants(node); }

  static std::optional<double> number(const Argument& argument) {
    const Datum* datum = std::get_if<Datum>(&argument);
    if (!datum || !(datum->kind() & (kind::float_value | kind::int_value))) return std::nullopt;
    return datum->real();
  }

  static bool swaps_last(const Node& node) {
    const auto first = number(node.arguments[1]), second = number(node.arguments[2]);
    return first == -1 && second == -2;
  }

  // The matrix whose transpose the argument is.
  const ValueId* turned(const Argument& argument) const {
    const Node* swap = maker(argument, "swapaxes");
    return swap && swaps_last(*swap) ? tensor_of(swap->arguments[0]) : nullptr;
  }

  // The product of the transpose of the value, which nothing else reads so.
  const Node* product_of_turned(const Node& swap) const {
    if (!swaps_last(swap) || is_seen(swap)) return nullptr;
    const Node* product = only_user(swap.outputs[0], "matmul");
    const ValueId* left = product ? tensor_of(product->arguments[0]) : nullptr;
    return left && *left == swap.outputs[0] ? product : nullptr;
  }

  // The two readers of a value: a swapaxes, and one of another op.
  bool two_users(ValueId id, const char* op, const Node*& swap, const Node*& other) const {
    const auto at = users_.find(id);
    if (at == users_.end() || at->second.size() != 2 || counts_[index(id)] != 2) return false;
    for (const Node* node : at->second) {
      if (node->op->name == "swapaxes") swap = node;
      if (node->op->name == op) other = node;
    }
    return swap && other && !is_seen(*other);
  }

  std::optional<Found> match(const Node& by_softmax) const {
    const Node* weights = maker(by_softmax.arguments[1], "attention_weights");
    const Node* by_weights = maker(by_softmax.arguments[0], "matmul");
    if (!weights || !by_weights || is_seen(by_softmax)) return std::nullopt;
    if (counts_[index(by_weights->outputs[0])] != 1) return std::nullopt;
    const ValueId *query = tensor_of(weights->arguments[0]),
                  *key = tensor_of(weights->arguments[1]);
    const ValueId *grad = tensor_of(by_weights->arguments[0]),
                  *value = turned(by_weights->arguments[1]);
    if (!value || tensor_of(weights->arguments[2])) return std::nullopt;  // with a mask

    const Node *swap = nullptr, *other = nullptr, *swap_scaled = nullptr, *by_query = nullptr;
    if (!two_users(weights->outputs[0], "softmax_grad", swap, other)) return std::nullopt;
    const Node* by_value = product_of_turned(*swap);
    const Node* scaled = only_user(by_softmax.outputs[0], "multiply");
    const auto factor = scaled ? number(scaled->arguments[1]) : std::nullopt;
    if (!by_value || !factor) return std::nullopt;
    if (!two_users(scaled->outputs[0], "matmul", swap_scaled, by_query)) return std::nullopt;
    const Node* by_key = product_of_turned(*swap_scaled);
    if (!by_key) return std::nullopt;
    const auto reads = [](const Node& node, size_t argument, ValueId id) {
      const ValueId* read = tensor_of(node.arguments[argument]);
      return read && *read == id;
    };
    if (!reads(*by_value, 1, *grad) || !reads(*by_query, 0, scaled->outputs[0]) ||
        !reads(*by_query, 1, *key) || !reads(*by_key, 1, *query))
      return std::nullopt;
    const Found found{*query,
                      *key,
                      *value,
                      *grad,
                      by_query->outputs[0],
                      by_key->outputs[0],
                      by_value->outputs[0],
                      std::get<Datum>(weights->arguments[3]).flag(),
                      *factor};
    return fits(found) ? std::optional(found) : std::nullopt;
  }

  // Whether the kernels take these dims and dtypes.
  bool fits(const Found& f) const {
    const Value &query = from_.value(f.query), &key = from_.value(f.key),
                &value = from_.value(f.value), &grad = from_.value(f.grad);
    const size_t rank = query.dims.size();
    const auto alike = [&](const Value& other, size_t axes) {
      return other.ranked && other.dims.size() == rank && other.dtype == query.dtype &&
             std::equal(query.dims.begin(), query.dims.begin() + static_cast<ptrdiff_t>(axes),
                        other.dims.begin(), [](const Dim& a, const Dim& b) { return same(a, b); });
    };
    return query.ranked && kernels_(query.dtype) && (rank == 3 || rank == 4) &&
           alike(key, rank - 2) && alike(value, rank - 2) && alike(grad, rank) &&
           same(key.dims.back(), query.dims.back()) && same(value.dims.back(), query.dims.back()) &&
           same(key.dims[rank - 2], value.dims[rank - 2]);
  }

  const Graph& from_;
  const AttentionKernels kernels_;
  const Observer* observer_;
  Rebuilder rebuilder_;
  const std::vector<int> counts_;
  std::unordered_map<ValueId, const Node*> makers_;
  std::unordered_map<ValueId, std::vector<const Node*>> users_;
  std::vector<Found> found_;
  std::unordered_map<ValueId, size_t> at_;  // of the results of `found_`
};

}  // namespace

const OpDef& attention_gradient(AttentionKernel kernel) {
  static const OpDef cpu = make_op("attention_gradient_cpu", spell_on_cpu),
                     flash = make_op("attention_gradient_flash", spell_flash),
                     efficient =
                         make_op("attention_gradient_memory_efficient", spell_memory_efficient);
  switch (kernel) {
    case AttentionKernel::cpu:
      return cpu;
    case AttentionKernel::flash:
      return flash;
    case AttentionKernel::memory_efficient:
      break;
  }
  return efficient;
}

std::optional<AttentionKernel> attention_on_cpu(DType dtype) {
  return dtype == DType::float32 ? std::optional(AttentionKernel::cpu) : std::nullopt;
}

std::optional<AttentionKernel> attention_on_gpu(DType dtype) {
  if (dtype == DType::float64) return std::nullopt;
  return AttentionKernel::memory_efficient;
}

std::optional<AttentionKernel> attention_on_new_gpu(DType dtype) {
  const bool half = dtype == DType::float16 || dtype == DType::bfloat16;
  return half ? std::optional(AttentionKernel::flash) : attention_on_gpu(dtype);
}

Graph use_attention_gradient(const Graph& graph, AttentionKernels kernels,
                             const Observer* observer) {
  return UseAttentionGradient(graph, kernels, observer).run();
}

}  // namespace mithril::torch_backend
