#include "backends/torch/rewrite/attention_gradient.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mithril/op/op_def.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/use_counts.hpp"

namespace mithril::torch_backend {
namespace {

// A written-out gradient.
struct Found {
  ValueId query, key, value, grad;
  std::optional<ValueId> mask;
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
    node.arguments.push_back(f.mask ? Argument(rebuilder_.map(*f.mask)) : Argument(Datum()));
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
    const ValueId* mask = tensor_of(weights->arguments[2]);
    if (!value) return std::nullopt;

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
                      mask ? std::optional(*mask) : std::nullopt,
                      by_query->outputs[0],
                      by_key->outputs[0],
                      by_value->outputs[0],
                      std::get<Datum>(weights->arguments[3]).flag(),
                      *factor};
    return fits(found) ? std::optional(found) : std::nullopt;
  }

  // Whether the kernels take these dims and dtypes.
  bool fits(const Found& f) const {
    if (f.mask) {
      const Value& mask = from_.value(*f.mask);
      if (!mask.ranked || mask.dims.empty() || mask.dims.size() > 4) return false;
    }
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

std::optional<AttentionKernel> attention_on_cpu(DType dtype) {
  return dtype == DType::float32 ? std::optional(AttentionKernel::cpu) : std::nullopt;
}

std::optional<AttentionKernel> attention_on_gpu(DType dtype) {
  const bool has_kernel = dtype == DType::float32 || dtype == DType::float16;
  return has_kernel ? std::optional(AttentionKernel::memory_efficient) : std::nullopt;
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
