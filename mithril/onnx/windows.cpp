#include "mithril/onnx/windows.hpp"

#include <algorithm>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {

bool WindowGrid::is_symmetric() const {
  return std::all_of(pads.begin(), pads.end(),
                     [](const auto& pad) { return pad.first == pad.second; });
}

WindowGrid windows_of(const NodeContext& node, std::vector<std::int64_t> kernel) {
  const std::size_t axes = kernel.size();
  WindowGrid made{.kernel = std::move(kernel)};
  within("its kernel", made.kernel, axes, 1);
  const auto stated = sizes_of(node[0]);
  if (stated) need_count("the shape of its input", stated->size(), axes + 2);
  made.strides = node.integers("strides", axes, 1, 1);
  made.dilations = node.integers("dilations", axes, 1, 1);
  made.pads.assign(axes, {0, 0});
  const std::string automatic = node.text("auto_pad", "NOTSET");
  if (automatic == "NOTSET" || automatic.empty()) {
    const auto pads = node.integers("pads", 2 * axes, -most_number, 0);
    for (std::size_t i = 0; i < axes; ++i) made.pads[i] = {pads[i], pads[axes + i]};
    return made;
  }
  if (automatic == "VALID") return made;
  if (automatic != "SAME_UPPER" && automatic != "SAME_LOWER") refuse("auto_pad is " + automatic);
  for (std::size_t i = 0; i < axes; ++i) {
    std::int64_t total = made.extent(i) - 1;
    if (made.strides[i] != 1) {
      const std::int64_t size = node.known_dim(0, i + 2);
      const std::int64_t count = (size + made.strides[i] - 1) / made.strides[i];
      total = std::max<std::int64_t>(0, (count - 1) * made.strides[i] + made.extent(i) - size);
    }
    const std::int64_t small = total / 2, large = total - small;
    made.pads[i] = automatic == "SAME_UPPER" ? std::pair(small, large) : std::pair(large, small);
  }
  return made;
}

Binding pairs_of(const std::vector<std::pair<std::int64_t, std::int64_t>>& pads) {
  Tuple tuple;
  for (const auto& [before, after] : pads) tuple.push_back(Datum::ints({before, after}));
  return Datum(tuple);
}

Connection padded(const Connection& x,
                  const std::vector<std::pair<std::int64_t, std::int64_t>>& pads,
                  const Binding& value) {
  const bool is_needed = std::any_of(
      pads.begin(), pads.end(), [](const auto& pad) { return pad.first != 0 || pad.second != 0; });
  if (!is_needed) return x;
  const auto sizes = sizes_of(x);
  if (!sizes) refuse("the rank of its input is not known", "shapes= of an input states its sizes");
  const std::size_t rank = sizes->size();
  if (rank < pads.size()) refuse("its input has fewer axes than its pads");
  std::vector<std::pair<std::int64_t, std::int64_t>> all(rank - pads.size());
  all.insert(all.end(), pads.begin(), pads.end());
  return apply("pad", {x, pairs_of(all), value});
}

Connection convolved(const NodeContext& node, const Connection& x, const Connection& weight,
                     const Binding& bias, const std::vector<std::int64_t>& weight_dims) {
  if (weight_dims.size() < 3)
    refuse("its weight has " + std::to_string(weight_dims.size()) + " axes, expected at least 3");
  const WindowGrid windows = windows_of(node, {weight_dims.begin() + 2, weight_dims.end()});
  const std::int64_t groups = within("its attribute 'group'", node.integer("group", 1), 1);
  const std::size_t axes = windows.kernel.size();
  if (axes == 1) {
    const auto& [before, after] = windows.pads.front();
    return apply("conv1d", {x, weight, bias, windows.strides[0], tuple_of({before, after}),
                            windows.dilations[0], groups});
  }
  if (axes == 2) {
    return apply("conv2d", {x, weight, bias, tuple_of(windows.strides), pairs_of(windows.pads),
                            tuple_of(windows.dilations), groups});
  }
  if (axes != 3)
    refuse("it has " + std::to_string(axes) + " spatial axes, and at most 3 are supported");
  const bool has_bias = !std::holds_alternative<Datum>(bias.held());
  Bindings inputs{{"input", padded(x, windows.pads, 0.0)}, {"weight", weight}};
  if (has_bias) inputs.emplace_back("bias", bias);
  return layer("Conv3d",
               {{"filters", weight_dims[0]},
                {"kernel_size", Datum::ints(windows.kernel)},
                {"stride", Datum::ints(windows.strides)},
                {"dilation", Datum::ints(windows.dilations)},
                {"groups", groups},
                {"use_bias", has_bias}},
               inputs);
}

}  // namespace mithril::onnx
