#include "mithril/models/adaptive_pooling.hpp"

#include <optional>
#include <string>
#include <vector>

#include "mithril/models/builder.hpp"

namespace mithril {
namespace {

using OutputSizes = std::vector<std::optional<int64_t>>;  // none: the size of the input

// Columns: [...] -> [..., 1].
Connection as_column(const Connection& x) { return x.reshape({-1, 1}); }

// [to, size]: the mean of each window.
Connection mean_weights(const Connection& size, int64_t to) {
  const Connection places = apply("arange", {size}), windows = apply("arange", {to});
  const Connection begin = as_column(floor_divide(windows * size, to));
  const Connection end = as_column(-floor_divide(-(windows + 1) * size, to));
  const Connection inside = (begin <= places) & (places < end);
  return inside.cast(DType::int64) / (end - begin);
}

// Means along the axis, which is counted from the end. The last two axes need no transpose.
Connection window_means(const Connection& input, int axis, const Connection& size, int64_t to) {
  const Connection weights = mean_weights(size, to);
  if (axis == -2) return matmul(weights, input);
  const Connection columns = apply("swapaxes", {weights, 0, 1});
  if (axis == -1) return matmul(input, columns);
  return apply("swapaxes", {matmul(apply("swapaxes", {input, axis, -1}), columns), axis, -1});
}

// Each window [floor(i L / size), ceil((i + 1) L / size)) is a row; shorter ones repeat their last
// element.
Connection window_maxima(const Connection& input, int axis, const Connection& size, int64_t to) {
  const Connection windows = apply("arange", {to});
  const Connection begin = as_column(floor_divide(windows * size, to));
  const Connection last = as_column(-floor_divide(-(windows + 1) * size, to)) - 1;
  const Connection taps = apply("arange", {floor_divide(size - 1, to) + 2});
  const Connection rows =
      apply("gather", {input, apply("minimum", {begin + taps, last}), Datum(axis)});
  return rows.max(axis);
}

OutputSizes output_sizes(const CheckedArguments& arguments, size_t axes) {
  const Datum& given = arguments["output_size"];
  const Tuple items = given.kind() == kind::tuple ? given.tuple() : Tuple(axes, given);
  if (items.size() != axes) {
    arguments.reject("output_size",
                     axes == 1 ? "an int" : "an int or a tuple of " + std::to_string(axes));
  }
  OutputSizes sizes;
  for (const Datum& item : items) {
    const bool is_size = item.kind() == kind::int_value && item.integer() >= 1;
    if (!is_size && !item.is_none())
      arguments.reject("output_size", "sizes of at least 1, or None");
    sizes.push_back(is_size ? std::optional(item.integer()) : std::nullopt);
  }
  return sizes;
}

using Pooling = Connection (*)(const Connection&, int, const Connection&, int64_t);

Model adaptive_pool(const std::string& name, const CheckedArguments& arguments, Pooling pooled,
                    const ShapeSpec& shape, size_t axes) {
  const OutputSizes sizes = output_sizes(arguments, axes);
  Model model = model_of_class(name);
  Connection output = model["input"];
  model.set_shapes({{"input", shape}});
  const Connection dims = output.shape();
  for (size_t i = 0; i < axes; ++i) {
    const int axis = static_cast<int>(i) - static_cast<int>(axes);
    if (sizes[i]) output = pooled(output, axis, dims[axis], *sizes[i]);
  }
  return finished(model, output);
}

Model pool1d(const std::string& name, const CheckedArguments& arguments, Pooling pooled) {
  return adaptive_pool(name, arguments, pooled, {"N", "C", "L"}, 1);
}
Model pool2d(const std::string& name, const CheckedArguments& arguments, Pooling pooled) {
  return adaptive_pool(name, arguments, pooled, {"N", "C", "H", "W"}, 2);
}
Model pool3d(const std::string& name, const CheckedArguments& arguments, Pooling pooled) {
  return adaptive_pool(name, arguments, pooled, {"N", "C", "D", "H", "W"}, 3);
}

ModelDef pool(const std::string& name, const std::string& doc, std::vector<DocumentedPort> ports,
              Model (*build)(const CheckedArguments&)) {
  return {.name = name,
          .doc = doc,
          .ports = std::move(ports),
          .arguments = {{"output_size", "int|tuple", {}, "an int or one for each axis, or None"}},
          .build = build};
}

Model made(const char* name, const AdaptivePoolOptions& options) {
  return make_model(name, {{"output_size", options.output_size}});
}

}  // namespace

Model AdaptiveAvgPool1D(const AdaptivePoolOptions& options) {
  return made("AdaptiveAvgPool1D", options);
}
Model AdaptiveAvgPool2D(const AdaptivePoolOptions& options) {
  return made("AdaptiveAvgPool2D", options);
}
Model AdaptiveAvgPool3D(const AdaptivePoolOptions& options) {
  return made("AdaptiveAvgPool3D", options);
}
Model AdaptiveMaxPool1D(const AdaptivePoolOptions& options) {
  return made("AdaptiveMaxPool1D", options);
}
Model AdaptiveMaxPool2D(const AdaptivePoolOptions& options) {
  return made("AdaptiveMaxPool2D", options);
}
Model AdaptiveMaxPool3D(const AdaptivePoolOptions& options) {
  return made("AdaptiveMaxPool3D", options);
}

ModelDef define_adaptive_avg_pool1d();
ModelDef define_adaptive_avg_pool1d() {
  return pool("AdaptiveAvgPool1D",
              "The mean of each of `output_size` windows over the last axis, as "
              "torch.nn.AdaptiveAvgPool1d.",
              {{"input", "[N, C, L]"}, {"output", "[N, C, Lo]"}},
              [](const CheckedArguments& arguments) {
                return pool1d("AdaptiveAvgPool1D", arguments, window_means);
              });
}

ModelDef define_adaptive_avg_pool2d();
ModelDef define_adaptive_avg_pool2d() {
  return pool("AdaptiveAvgPool2D",
              "The mean of each of `output_size` windows over the last two axes, as "
              "torch.nn.AdaptiveAvgPool2d.",
              {{"input", "[N, C, H, W]"}, {"output", "[N, C, Ho, Wo]"}},
              [](const CheckedArguments& arguments) {
                return pool2d("AdaptiveAvgPool2D", arguments, window_means);
              });
}

ModelDef define_adaptive_avg_pool3d();
ModelDef define_adaptive_avg_pool3d() {
  return pool("AdaptiveAvgPool3D",
              "The mean of each of `output_size` windows over the last three axes, as "
              "torch.nn.AdaptiveAvgPool3d.",
              {{"input", "[N, C, D, H, W]"}, {"output", "[N, C, Do, Ho, Wo]"}},
              [](const CheckedArguments& arguments) {
                return pool3d("AdaptiveAvgPool3D", arguments, window_means);
              });
}

ModelDef define_adaptive_max_pool1d();
ModelDef define_adaptive_max_pool1d() {
  return pool("AdaptiveMaxPool1D",
              "The largest element of each of `output_size` windows over the last axis, as "
              "torch.nn.AdaptiveMaxPool1d.",
              {{"input", "[N, C, L]"}, {"output", "[N, C, Lo]"}},
              [](const CheckedArguments& arguments) {
                return pool1d("AdaptiveMaxPool1D", arguments, window_maxima);
              });
}

ModelDef define_adaptive_max_pool2d();
ModelDef define_adaptive_max_pool2d() {
  return pool("AdaptiveMaxPool2D",
              "The largest element of each of `output_size` windows over the last two axes, as "
              "torch.nn.AdaptiveMaxPool2d.",
              {{"input", "[N, C, H, W]"}, {"output", "[N, C, Ho, Wo]"}},
              [](const CheckedArguments& arguments) {
                return pool2d("AdaptiveMaxPool2D", arguments, window_maxima);
              });
}

ModelDef define_adaptive_max_pool3d();
ModelDef define_adaptive_max_pool3d() {
  return pool("AdaptiveMaxPool3D",
              "The largest element of each of `output_size` windows over the last three axes, as "
              "torch.nn.AdaptiveMaxPool3d.",
              {{"input", "[N, C, D, H, W]"}, {"output", "[N, C, Do, Ho, Wo]"}},
              [](const CheckedArguments& arguments) {
                return pool3d("AdaptiveMaxPool3D", arguments, window_maxima);
              });
}

}  // namespace mithril
