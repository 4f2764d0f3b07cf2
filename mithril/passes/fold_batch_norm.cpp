#include "mithril/passes/fold_batch_norm.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/use_counts.hpp"
#include "mithril/tensor/convert.hpp"
#include "mithril/tensor/deferred.hpp"

namespace mithril {
namespace {

using Numbers = std::vector<double>;

Numbers numbers_of(const Tensor& tensor) {
  Numbers numbers;
  for (int64_t i = 0; i < tensor.size(); ++i) numbers.push_back(tensor.at_as_double(i));
  return numbers;
}

// The rows of the first axis times a number each, rounded once.
Tensor product_of_rows(const Tensor& given, const Numbers& scale) {
  const Tensor rows = given.host();
  Tensor made = Tensor::empty(rows.dtype(), rows.dims());
  const auto count = static_cast<int64_t>(scale.size()), each = count ? rows.size() / count : 0;
  visit_computed_dtype(rows.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = rows.data<T>();
    T* to = made.mutable_data<T>();
    for (int64_t row = 0; row < count; ++row) {
      const double factor = scale[static_cast<size_t>(row)];
      for (int64_t i = row * each; i < (row + 1) * each; ++i) {
        to[i] = convert<T>(convert<double>(from[i]) * factor);
      }
    }
  });
  return made;
}

// Made when it is read: a packing backend needs it once, and the source keeps its inputs.
Tensor scaled(const Tensor& rows, const Numbers& scale) {
  return deferred(rows.dtype(), rows.dims(),
                  [rows, scale] { return product_of_rows(rows, scale); });
}

// input * scale + shift, a number of each for each channel.
struct Affine {
  Numbers scale, shift;
};

class FoldBatchNorm {
 public:
  explicit FoldBatchNorm(const Graph& graph)
      : from_(graph), rebuilder_(graph), use_counts_(use_counts(graph)) {
    for (const Constant& constant : graph.constants()) {
      constants_.emplace(constant.value, &constant.tensor);
    }
    for (const Node& node : graph.nodes()) {
      if (is_product(node)) products_.emplace(node.outputs[0], &node);
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      const auto affine = node.op == &batch_norm_ ? foldable(node) : std::nullopt;
      if (affine) {
        fold(node, *products_.at(*tensor_of(node.arguments[0])), *affine);
      } else {
        rebuilder_.keep(node);
      }
    }
    return rebuilder_.finish();
  }

 private:
  // The first axis of the weight makes the channels, the second axis of the output.
  bool is_product(const Node& node) const {
    const Value& made = from_.value(node.outputs[0]);
    const bool by_row = node.op->name == "linear" && made.ranked && made.dims.size() == 2;
    return by_row || node.op->name == "conv1d" || node.op->name == "conv2d";
  }

  // The affine map of the norm, if its parameters and those of the product before it are constants.
  std::optional<Affine> foldable(const Node& norm) const {
    const auto at = products_.find(*tensor_of(norm.arguments[0]));
    if (at == products_.end() || use_counts_[index(at->first)] > 1) return std::nullopt;
    const Node& product = *at->second;
    if (!constant(product, "weight") || !is_known(product, "bias")) return std::nullopt;
    if (from_.value(product.outputs[0]).dtype != from_.value(norm.outputs[0]).dtype) {
      return std::nullopt;
    }
    for (const char* port : {"mean", "variance"}) {
      if (!constant(norm, port)) return std::nullopt;
    }
    if (!is_known(norm, "weight") || !is_known(norm, "bias")) return std::nullopt;
    Affine affine = affine_of(norm);
    const bool finite = std::all_of(affine.scale.begin(), affine.scale.end(),
                                    [](double scale) { return std::isfinite(scale); });
    return finite ? std::optional(std::move(affine)) : std::nullopt;
  }

  Affine affine_of(const Node& norm) const {
    const Numbers mean = numbers_of(*constant(norm, "mean")),
                  variance = numbers_of(*constant(norm, "variance"));
    const size_t channels = mean.size();
    const Numbers weight = numbers_or(norm, "weight", channels, 1),
                  bias = numbers_or(norm, "bias", channels, 0);
    const double eps = std::get<Datum>(norm.arguments[norm.argument_index("eps")]).real();
    Affine affine;
    for (size_t c = 0; c < channels; ++c) {
      affine.scale.push_back(weight[c] / std::sqrt(variance[c] + eps));
      affine.shift.push_back(bias[c] - mean[c] * affine.scale[c]);
    }
    return affine;
  }

  void fold(const Node& norm, const Node& product, const Affine& affine) {
    const Tensor& weight = *constant(product, "weight");
    const size_t channels = affine.scale.size();
    Numbers biases = numbers_or(product, "bias", channels, 0);
    for (size_t c = 0; c < channels; ++c) {
      biases[c] = biases[c] * affine.scale[c] + affine.shift[c];
    }
    Node folded = rebuilder_.map_arguments(product);
    set(folded, "weight", norm, scaled(weight, affine.scale));
    set(folded, "bias", norm,
        Tensor::of<double>({static_cast<int64_t>(channels)}, biases).to(weight.dtype()));
    rebuilder_.add(std::move(folded), norm.outputs);
  }

  void set(Node& node, const char* port, const Node& norm, Tensor tensor) {
    const std::string name = from_.value(norm.outputs[0]).name + "." + port + "_" +
                             std::to_string(rebuilder_.graph().nodes().size());
    node.arguments[node.argument_index(port)] =
        rebuilder_.graph().add_constant(name, std::move(tensor));
  }

  // Null: not a constant.
  const Tensor* constant(const Node& node, const char* port) const {
    const ValueId* id = tensor_of(node.arguments[node.argument_index(port)]);
    const auto at = id ? constants_.find(*id) : constants_.end();
    return at == constants_.end() ? nullptr : at->second;
  }

  // A constant, or left out.
  bool is_known(const Node& node, const char* port) const {
    return !tensor_of(node.arguments[node.argument_index(port)]) || constant(node, port);
  }

  Numbers numbers_or(const Node& node, const char* port, size_t count, double number) const {
    const Tensor* tensor = constant(node, port);
    return tensor ? numbers_of(*tensor) : Numbers(count, number);
  }

  const OpDef& batch_norm_ = find_op("batch_norm_inference");
  const Graph& from_;
  Rebuilder rebuilder_;
  const std::vector<int> use_counts_;
  std::unordered_map<ValueId, const Tensor*> constants_;
  std::unordered_map<ValueId, const Node*> products_;  // by the value that they make
};

}  // namespace

Graph fold_batch_norm(const Graph& graph) { return FoldBatchNorm(graph).run(); }

}  // namespace mithril
