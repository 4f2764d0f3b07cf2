#include "backends/cpu/rewrite/fold_padding.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "mithril/passes/rebuilder.hpp"

namespace mithril::cpu_backend {
namespace {

using Ends = std::pair<int64_t, int64_t>;  // elements before and after
using Widths = std::array<Ends, 2>;        // of the height and the width

std::optional<int64_t> width_of(const Datum& datum) {
  if (datum.kind() != kind::int_value) return std::nullopt;
  const Dim dim = resolve(datum.dim());
  if (!dim.is_constant() || dim.constant() < 0) return std::nullopt;
  return dim.constant();
}

std::optional<Ends> ends_of(const Datum& before, const Datum& after) {
  const auto first = width_of(before), last = width_of(after);
  return first && last ? std::optional(Ends{*first, *last}) : std::nullopt;
}

const Datum& item(const Datum& datum, size_t i) {
  return datum.kind() == kind::tuple ? datum.tuple()[i] : datum;
}

class FoldPadding {
 public:
  explicit FoldPadding(const Graph& graph) : from_(graph), rebuilder_(graph) {
    for (const Node& node : graph.nodes()) {
      if (node.op != &pad_) continue;
      if (const auto widths = zeros_around(node)) {
        pads_.emplace(node.outputs.front(), Pad{tensor_of(node.arguments.front()), *widths});
      }
    }
    for (const Output& output : graph.outputs()) pads_.erase(output.value);
    for (const Node& node : graph.nodes()) {
      const bool folds = node.op == &convolution_ && padding_of(node);
      for (size_t i = folds ? 1 : 0; i < node.arguments.size(); ++i) {
        if (const ValueId* id = tensor_of(node.arguments[i])) pads_.erase(*id);
      }
    }
  }

  bool changes() const { return !pads_.empty(); }

  Graph run() {
    for (const Node& node : from_.nodes()) {
      const ValueId* source = node.op == &convolution_ ? tensor_of(node.arguments[0]) : nullptr;
      const auto pad = source ? pads_.find(*source) : pads_.end();
      if (pad == pads_.end()) {
        rebuilder_.keep(node);
      } else {
        fold(node, pad->second);
      }
    }
    return rebuilder_.finish();
  }

 private:
  struct Pad {
    const ValueId* source;
    Widths widths;
  };

  const Datum* datum(const Node& node, const char* port) const {
    return std::get_if<Datum>(&node.arguments[node.argument_index(port)]);
  }

  // The widths of a pad that adds zeros to the last two of four axes.
  std::optional<Widths> zeros_around(const Node& node) const {
    const Datum *value = datum(node, "value"), *pairs = datum(node, "pad_width");
    if (!value || !is_zero(*value) || !pairs || pairs->tuple().size() != 4) return std::nullopt;
    std::array<Ends, 4> ends;
    for (size_t axis = 0; axis < ends.size(); ++axis) {
      const Tuple& pair = pairs->tuple()[axis].tuple();
      const auto widths = ends_of(pair[0], pair[1]);
      if (!widths || (axis < 2 && *widths != Ends{0, 0})) return std::nullopt;
      ends[axis] = *widths;
    }
    return Widths{ends[2], ends[3]};
  }

  static bool is_zero(const Datum& value) {
    if (value.kind() == kind::int_value) return resolve(value.dim()).is_constant(0);
    return value.kind() == kind::float_value && value.real() == 0;
  }

  std::optional<Widths> padding_of(const Node& convolution) const {
    const Datum* padding = datum(convolution, "padding");
    if (!padding) return std::nullopt;
    const Datum &height = item(*padding, 0), &width = item(*padding, 1);
    const auto rows = ends_of(item(height, 0), item(height, 1));
    const auto columns = ends_of(item(width, 0), item(width, 1));
    return rows && columns ? std::optional(Widths{*rows, *columns}) : std::nullopt;
  }

  void fold(const Node& convolution, const Pad& pad) {
    Tuple padding;
    const Widths own = *padding_of(convolution);
    for (size_t axis = 0; axis < own.size(); ++axis) {
      padding.push_back(Tuple{own[axis].first + pad.widths[axis].first,
                              own[axis].second + pad.widths[axis].second});
    }
    Node folded = rebuilder_.map_arguments(convolution);
    folded.arguments[0] = rebuilder_.map(*pad.source);
    folded.arguments[folded.argument_index("padding")] = Datum(std::move(padding));
    rebuilder_.add(std::move(folded), convolution.outputs);
  }

  const OpDef &pad_ = find_op("pad"), &convolution_ = find_op("conv2d");
  const Graph& from_;
  Rebuilder rebuilder_;
  std::unordered_map<ValueId, Pad> pads_;  // the key is the padded value
};

}  // namespace

Graph fold_padding(Graph graph) {
  FoldPadding pass(graph);
  if (!pass.changes()) return graph;
  return pass.run();
}

}  // namespace mithril::cpu_backend
