// Normalisations.
#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

// One number for each channel, along the axes after it.
Connection of_channels(const Connection& x, std::size_t rank) {
  return expanded(x, range_to(rank - 1, 1));
}

Outputs batch_normalization(const NodeContext& node) {
  const double epsilon = node.real("epsilon", 1e-5);
  const std::size_t rank = node.rank();
  const bool is_training = node.opset() >= 14 && node.flag("training_mode");
  if (node.opset() < 7 && !node.flag("is_test")) refuse("is_test=0 is not supported");
  if (!node.flag("spatial", true)) refuse("spatial=0 is not supported");
  if (!is_training) {
    return {apply("batch_norm_inference",
                  {node[0], node.frozen(3), node.frozen(4), node[1], node[2], epsilon})};
  }
  node.need_rank(0, 2);
  std::vector<std::int64_t> axes = range_to(rank);
  axes.erase(axes.begin() + 1);
  const double momentum = node.real("momentum", 0.9);
  const Connection x = node[0], mean = apply("mean", {x, tuple_of(axes), false});
  const Connection variance = apply("variance", {x, tuple_of(axes), false, 0.0});
  const Connection centred = x - of_channels(mean, rank);
  const Connection scaled = centred / of_channels((variance + epsilon).sqrt(), rank);
  return {scaled * of_channels(node[1], rank) + of_channels(node[2], rank),
          Value(node.frozen(3) * momentum + mean * (1 - momentum), node.type(3)),
          Value(node.frozen(4) * momentum + variance * (1 - momentum), node.type(4))};
}

// Over all axes from `axis` on; the outputs are the result, the mean and 1 / the deviation.
std::vector<Connection> normalized(const Connection& x, const Binding& axes, double epsilon) {
  const Connection mean = apply("mean", {x, axes, true}), centred = x - mean;
  const Connection scale = 1.0 / (apply("mean", {squared(centred), axes, true}) + epsilon).sqrt();
  return {centred * scale, mean, scale};
}

// Halves are computed as floats, and rounded once.
bool is_half(const NodeContext& node) {
  return node.type() == ElementType::float16 || node.type() == ElementType::bfloat16;
}

Connection computed(const NodeContext& node, std::size_t i) {
  return is_half(node) ? node[i].cast(DType::float32) : node[i];
}

Connection rounded(const NodeContext& node, const Connection& x) {
  return is_half(node) ? converted(x, node.type()) : x;
}

Outputs layer_normalization(const NodeContext& node) {
  const std::size_t rank = node.rank();
  const std::int64_t axis = node.axis(node.integer("axis", -1), rank);
  const double epsilon = node.real("epsilon", 1e-5);
  const bool is_last = axis + 1 == static_cast<std::int64_t>(rank);
  if (is_last && !is_half(node) && node.rank(1) == 1 && (!node.has(2) || node.rank(2) == 1)) {
    const Binding bias = node.has(2) ? Binding(node[2]) : Binding(none);
    const auto made =
        Model::op("layer_norm").apply(std::vector<Binding>{node[0], node[1], bias, epsilon});
    return {made[0], made[1], made[2]};
  }
  const Binding axes = tuple_of(range_to(rank, static_cast<std::size_t>(axis)));
  const auto made = normalized(computed(node, 0), axes, epsilon);
  Connection result = made[0] * computed(node, 1);
  if (node.has(2)) result = result + computed(node, 2);
  const ElementType stash = is_half(node) ? ElementType::float32 : node.type();
  return {rounded(node, result), Value(made[1], stash), Value(made[2], stash)};
}

// The result, and the deviation from zero, of which some ops return the reciprocal.
std::pair<Connection, Connection> divided_by_deviation(const Connection& x, const Binding& axes,
                                                       double epsilon) {
  const Connection deviation = (apply("mean", {squared(x), axes, true}) + epsilon).sqrt();
  return {x / deviation, deviation};
}

Outputs rms_normalization(const NodeContext& node) {
  const std::size_t rank = node.rank();
  const std::int64_t axis = node.axis(node.integer("axis", -1), rank);
  const Binding axes = tuple_of(range_to(rank, static_cast<std::size_t>(axis)));
  const auto [scaled, deviation] =
      divided_by_deviation(computed(node, 0), axes, node.real("epsilon", 1e-5));
  const ElementType stash = is_half(node) ? ElementType::float32 : node.type();
  return {rounded(node, scaled * computed(node, 1)), Value(1.0 / deviation, stash)};
}

// The sum of the input, the skipped value, and the bias.
Connection sum_with_skip(const NodeContext& node, std::size_t bias) {
  const Connection sum = computed(node, 0) + computed(node, 1);
  return node.has(bias) ? sum + computed(node, bias) : sum;
}

// Their outputs 1 and 2 are for training, and ONNX Runtime does not make them on the CPU.
Outputs skip_outputs(const NodeContext& node, const Connection& result, const Connection& sum) {
  if (node.wants(1) || node.wants(2)) refuse("the mean and the deviation are not supported");
  return {rounded(node, result), Value(), Value(), rounded(node, sum)};
}

Outputs skip_layer_normalization(const NodeContext& node) {
  const Connection sum = sum_with_skip(node, 4);
  const auto made = normalized(sum, tuple_of({-1}), node.real("epsilon", 1e-12));
  const Connection scaled = made[0] * computed(node, 2);
  return skip_outputs(node, node.has(3) ? scaled + computed(node, 3) : scaled, sum);
}

Outputs skip_rms_normalization(const NodeContext& node) {
  const Connection sum = sum_with_skip(node, 3);
  const auto [scaled, deviation] =
      divided_by_deviation(sum, tuple_of({-1}), node.real("epsilon", 1e-12));
  return skip_outputs(node, scaled * computed(node, 2), sum);
}

Outputs instance_normalization(const NodeContext& node) {
  const std::size_t rank = node.need_rank(0, 2);
  const auto made = normalized(node[0], tuple_of(range_to(rank, 2)), node.real("epsilon", 1e-5));
  return {made[0] * of_channels(node[1], rank) + of_channels(node[2], rank)};
}

// Before opset 21 scale and bias had one number for each group.
Outputs group_normalization(const NodeContext& node) {
  const std::int64_t groups = within("its attribute 'num_groups'", node.integer("num_groups"), 1);
  const std::size_t rank = node.need_rank(0, 2);
  const std::vector<Size> sizes = node.sizes();
  const Connection split = reshaped(computed(node, 0), {sizes[0], groups, -1});
  const auto made = normalized(split, tuple_of({2}), node.real("epsilon", 1e-5));
  const Connection scale = computed(node, 1), bias = computed(node, 2);
  if (node.opset() < 21) {
    const Connection result = made[0] * of_channels(scale, 3) + of_channels(bias, 3);
    return {rounded(node, reshaped(result, sizes))};
  }
  const Connection whole = reshaped(made[0], sizes);
  return {rounded(node, whole * of_channels(scale, rank) + of_channels(bias, rank))};
}

Outputs mean_variance(const NodeContext& node) {
  const Binding axes = tuple_of(node.integers("axes").value_or(std::vector<std::int64_t>{0, 2, 3}));
  const Connection x = node[0], mean = apply("mean", {x, axes, true});
  const Connection centred = x - mean, variance = apply("mean", {squared(centred), axes, true});
  return {centred / (variance.sqrt() + 1e-9)};
}

Outputs lp_normalization(const NodeContext& node) {
  const std::int64_t p = node.integer("p", 2), axis = node.integer("axis", -1);
  const Connection x = node[0];
  const Connection norm =
      p == 1 ? apply("sum", {x.abs(), axis, true}) : apply("sum", {squared(x), axis, true}).sqrt();
  return {selected(norm.eq(0.0), apply("zeros_like", {x}),
                   x / selected(norm.eq(0.0), norm + 1.0, norm))};
}

constexpr std::int64_t most_channels = 4096;  // each makes a part of the model

// The sum of squares over neighbouring channels.
Outputs local_response(const NodeContext& node) {
  const std::int64_t size = within("its attribute 'size'", node.integer("size"), 1, most_channels);
  const double alpha = node.real("alpha", 1e-4), beta = node.real("beta", 0.75);
  const double bias = node.real("bias", 1.0);
  const std::size_t rank = node.need_rank(0, 2);
  Tuple widths(rank, Datum::ints({0, 0}));
  widths[1] = Datum::ints({(size - 1) / 2, size / 2});
  const Connection squares = apply("pad", {squared(node[0]), Datum(widths), 0.0});
  const Size channels = node.sizes()[1];
  const auto* count = std::get_if<std::int64_t>(&channels);
  if (!count) refuse("it needs the number of channels", "shapes= of the inputs states it");
  Connection sum = sliced(squares, 1, 0, *count);
  for (std::int64_t i = 1; i < size; ++i) sum = sum + sliced(squares, 1, i, i + *count);
  return {node[0] / pow(sum * (alpha / static_cast<double>(size)) + bias, beta)};
}

}  // namespace

std::vector<OpRow> normalization_rows() {
  return {
      of_floats({"BatchNormalization", 6, batch_normalization, "BatchNormInference",
                 "spatial=0, is_test=0 in opset 6"}),
      of_floats({"GroupNormalization", 18, group_normalization, "Mean, Square, Sqrt"}),
      of_floats({"InstanceNormalization", 1, instance_normalization, "Mean, Square, Sqrt"}),
      of_floats({"LRN", 1, local_response, "Pad, Square, Power"}),
      of_floats({"LayerNormalization", 17, layer_normalization,
                 "PrimitiveLayerNorm; Mean, Square, Sqrt"}),
      of_floats({"LpNormalization", 1, lp_normalization, "Sum, Divide"}),
      of_floats({"MeanVarianceNormalization", 9, mean_variance, "Mean, Square, Sqrt"}),
      of_floats({"RMSNormalization", 23, rms_normalization, "Mean, Square, Sqrt"}),
      of_floats({"SimplifiedLayerNormalization", 1, rms_normalization, "Mean, Square, Sqrt"}),
      of_microsoft(
          of_floats({"SimplifiedLayerNormalization", 1, rms_normalization, "Mean, Square, Sqrt"})),
      of_microsoft(of_floats({"SkipLayerNormalization", 1, skip_layer_normalization,
                              "Add, Mean, Square, Sqrt", "mean and inv_std_var"})),
      of_microsoft(of_floats({"SkipSimplifiedLayerNormalization", 1, skip_rms_normalization,
                              "Add, Mean, Square, Sqrt", "mean and inv_std_var"})),
  };
}

}  // namespace mithril::onnx
