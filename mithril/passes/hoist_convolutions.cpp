#include "mithril/passes/hoist_convolutions.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"
#include "mithril/passes/use_counts.hpp"
#include "mithril/tensor/functions.hpp"

namespace mithril {
namespace {

constexpr size_t rank = 4;  // [N, C, H, W]

// Whether the value is this int, or a tuple of nothing else.
bool is_everywhere(const Datum& datum, int64_t number) {
  if (datum.kind() == kind::int_value) return resolve(datum.dim()).is_constant(number);
  if (datum.kind() != kind::tuple) return false;
  const Tuple& items = datum.tuple();
  return std::all_of(items.begin(), items.end(),
                     [&](const Datum& item) { return is_everywhere(item, number); });
}

class HoistConvolutions {
 public:
  explicit HoistConvolutions(const Graph& graph)
      : from_(graph), rebuilder_(graph), use_counts_(use_counts(graph)) {
    for (const Constant& constant : graph.constants()) {
      constants_.emplace(constant.value, &constant.tensor);
    }
    for (const Node& node : graph.nodes()) {
      if (node.op == &product_ || node.op == &concat_) makers_.emplace(node.outputs[0], &node);
    }
  }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      const std::vector<Part> parts = is_pointwise(node) ? parts_of(node) : std::vector<Part>();
      if (saves_a_quarter(node, parts)) {
        write(node, parts);
      } else {
        rebuilder_.keep(node);
      }
    }
    return rebuilder_.finish();
  }

 private:
  // A product over the height (a [M, H] x) or the width (x a [W, M]).
  struct Resize {
    ValueId matrix;
    bool on_left;
  };
  // Channels of the input of a convolution: they are `source` [N, channels, h, w] after resizes.
  struct Part {
    ValueId source;
    int64_t first = 0, channels = 0;
    std::vector<Resize> resizes;  // the last one first
  };

  const Datum* datum(const Node& node, const char* port) const {
    return std::get_if<Datum>(&node.arguments[node.argument_index(port)]);
  }
  const Tensor* constant(const Node& node, const char* port) const {
    const ValueId* id = tensor_of(node.arguments[node.argument_index(port)]);
    const auto at = id ? constants_.find(*id) : constants_.end();
    return at == constants_.end() ? nullptr : at->second;
  }
  bool is_everywhere(const Node& node, const char* port, int64_t number) const {
    const Datum* value = datum(node, port);
    return value && mithril::is_everywhere(*value, number);
  }

  // The known dims of a value; empty: not known.
  std::vector<int64_t> sizes(ValueId id) const {
    const Value& value = from_.value(id);
    std::vector<int64_t> found;
    if (!value.ranked) return found;
    for (const Dim& size : value.dims) {
      const Dim dim = resolve(size);
      if (!dim.is_constant()) return {};
      found.push_back(dim.constant());
    }
    return found;
  }

  bool is_pointwise(const Node& node) const {
    if (node.op != &convolution_) return false;
    const DType dtype = from_.value(node.outputs[0]).dtype;
    if (dtype != DType::float32 && dtype != DType::float64) return false;
    const Tensor* weight = constant(node, "weight");
    const bool has_bias = tensor_of(node.arguments[node.argument_index("bias")]) != nullptr;
    return weight && weight->dtype() == dtype && weight->dims()[2] * weight->dims()[3] == 1 &&
           (!has_bias || constant(node, "bias")) && is_everywhere(node, "stride", 1) &&
           is_everywhere(node, "padding", 0) && is_everywhere(node, "groups", 1) &&
           sizes(node.outputs[0]).size() == rank;
  }

  // The node that makes a value which one node reads; null: none that this pass knows.
  const Node* only_maker(ValueId id) const {
    const auto at = makers_.find(id);
    return at == makers_.end() || use_counts_[index(id)] > 1 ? nullptr : at->second;
  }

  // Follows products with matrices back while they make the value larger.
  Part part_of(ValueId id, int64_t first) const {
    Part part{id, first, sizes(id)[1], {}};
    while (const Node* node = only_maker(part.source)) {
      if (node->op != &product_) break;
      const ValueId left = *tensor_of(node->arguments[0]), right = *tensor_of(node->arguments[1]);
      const auto dims = sizes(left), other = sizes(right);
      const bool on_left = dims.size() == 2 && other.size() == rank;
      if (!on_left && (dims.size() != rank || other.size() != 2)) break;
      const ValueId source = on_left ? right : left, matrix = on_left ? left : right;
      const DType dtype = from_.value(part.source).dtype;
      if (from_.value(source).dtype != dtype || from_.value(matrix).dtype != dtype) break;
      part.resizes.push_back({matrix, on_left});
      part.source = source;
    }
    return part;
  }

  std::vector<Part> parts_of(const Node& convolution) const {
    const ValueId input = *tensor_of(convolution.arguments[0]);
    const Node* joined = only_maker(input);
    if (!joined || joined->op != &concat_) {
      if (sizes(input).size() != rank) return {};
      return {part_of(input, 0)};
    }
    const Datum* axis = datum(*joined, "axis");
    if (!axis || !(mithril::is_everywhere(*axis, 1) || mithril::is_everywhere(*axis, -3)))
      return {};
    std::vector<Part> parts;
    int64_t first = 0;
    for (size_t i = 0; i < joined->list_size(); ++i) {
      const ValueId id = *tensor_of(joined->arguments[i]);
      const bool fits = from_.value(id).dtype == from_.value(input).dtype;
      if (!fits || sizes(id).size() != rank) return {};
      parts.push_back(part_of(id, first));
      first += parts.back().channels;
    }
    return parts;
  }

  // Multiplications of the convolution and of the resizes before it, now and afterwards. An
  // addition of parts counts as one.
  bool saves_a_quarter(const Node& convolution, const std::vector<Part>& parts) const {
    const bool any = std::any_of(parts.begin(), parts.end(),
                                 [](const Part& part) { return !part.resizes.empty(); });
    if (!any) return false;
    const std::vector<int64_t> made = sizes(convolution.outputs[0]);
    const auto outputs = static_cast<double>(made[1]);
    const double pixels = static_cast<double>(made[0] * made[2] * made[3]);
    double now = 0, then = (static_cast<double>(parts.size()) - 1) * outputs * pixels;
    for (const Part& part : parts) {
      const auto channels = static_cast<double>(part.channels);
      const std::vector<int64_t> dims = sizes(part.source);
      double height = static_cast<double>(dims[2]), width = static_cast<double>(dims[3]);
      const auto images = static_cast<double>(made[0]);
      now += outputs * channels * pixels;
      then += outputs * channels * images * height * width;
      for (size_t i = part.resizes.size(); i-- > 0;) {
        const Resize& resize = part.resizes[i];
        const std::vector<int64_t> matrix = sizes(resize.matrix);
        const double products =
            images * height * width * static_cast<double>(resize.on_left ? matrix[0] : matrix[1]);
        now += channels * products;
        then += outputs * products;
        (resize.on_left ? height : width) =
            static_cast<double>(resize.on_left ? matrix[0] : matrix[1]);
      }
    }
    return 4 * then <= 3 * now;
  }

  void write(const Node& convolution, const std::vector<Part>& parts) {
    const std::string name = from_.value(convolution.outputs[0]).name;
    const Tensor weight = constant(convolution, "weight")->host();
    const Tensor* bias = constant(convolution, "bias");
    Graph& to = rebuilder_.graph();
    std::optional<ValueId> sum;
    // Resized parts first: the others may add their sum as they are written.
    for (const bool resized : {true, false}) {
      for (const Part& part : parts) {
        if (part.resizes.empty() == resized) continue;
        Node made = rebuilder_.map_arguments(convolution);
        made.arguments[0] = rebuilder_.map(part.source);
        made.arguments[made.argument_index("weight")] = to.add_constant(
            unique(name + ".weight"), slice(weight, 1, part.first, part.first + part.channels));
        Argument& of_bias = made.arguments[made.argument_index("bias")];
        // A bias is not resized.
        if (resized || !bias) {
          of_bias = Datum();
        } else {
          bias = nullptr;
        }
        ValueId value = add(convolution_, std::move(made.arguments), name);
        for (size_t i = part.resizes.size(); i-- > 0;) {
          const ValueId matrix = rebuilder_.map(part.resizes[i].matrix);
          std::vector<Argument> pair = {value, matrix};
          if (part.resizes[i].on_left) std::swap(pair[0], pair[1]);
          value = add(product_, std::move(pair), name);
        }
        sum = sum ? add(find_op("add"), {*sum, value}, name) : value;
      }
    }
    if (bias) {
      const Tensor column = bias->host().reshape({bias->size(), 1, 1});
      sum = add(find_op("add"), {*sum, to.add_constant(unique(name + ".bias"), column)}, name);
    }
    rebuilder_.become(convolution.outputs[0], *sum);
  }

  ValueId add(const OpDef& op, std::vector<Argument> arguments, const std::string& name) {
    const std::string part = unique(name + "." + op.name);
    return rebuilder_.graph().add(op, std::move(arguments), part).front();
  }
  std::string unique(const std::string& name) const {
    return name + "_" + std::to_string(rebuilder_.graph().values().size());
  }

  const OpDef &convolution_ = find_op("conv2d"), &product_ = find_op("matmul"),
              &concat_ = find_op("concat");
  const Graph& from_;
  Rebuilder rebuilder_;
  const std::vector<int> use_counts_;
  std::unordered_map<ValueId, const Tensor*> constants_;
  std::unordered_map<ValueId, const Node*> makers_;  // products and concatenations, by their value
};

}  // namespace

Graph hoist_convolutions(const Graph& graph) { return HoistConvolutions(graph).run(); }

}  // namespace mithril
