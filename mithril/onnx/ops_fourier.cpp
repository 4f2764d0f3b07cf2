// Fourier transforms, of which complex numbers are pairs along the last axis.
#include <cmath>

#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {
namespace {

std::int64_t number_of(const Size& size, const char* what) {
  const auto* number = std::get_if<std::int64_t>(&size);
  if (!number) refuse(std::string("it needs ") + what, "shapes= of the inputs states it");
  return *number;
}

// 1 for real numbers, 2 for pairs.
std::int64_t parts_of(const NodeContext& node, std::size_t rank) {
  const std::int64_t parts = number_of(node.sizes()[rank - 1], "the size of its last axis");
  return within("the size of its last axis", parts, 1, 2);
}

// Real numbers get an imaginary part of 0.
Connection as_pairs(const Connection& x, std::size_t rank, std::int64_t parts) {
  if (parts == 2) return x;
  Tuple widths(rank, Datum::ints({0, 0}));
  widths.back() = Datum::ints({0, 1});
  return apply("pad", {x, Datum(widths), 0});
}

// The axis before the last one with `count` numbers, of `size`: cut, or filled up with zeros.
Connection resized(const Connection& x, std::size_t rank, const Size& size,
                   const std::optional<std::int64_t>& count) {
  if (!count) return x;
  const std::int64_t more = *count - number_of(size, "the size of its axis");
  if (more == 0) return x;
  Tuple widths(rank, Datum::ints({0, 0}));
  widths[rank - 2] = Datum::ints({0, more});
  return apply("pad", {x, Datum(widths), 0});
}

Connection first_half(const Connection& x, const Size& size) {
  if (const auto* number = std::get_if<std::int64_t>(&size))
    return sliced(x, -2, 0, *number / 2 + 1);
  const Connection half = apply("floor_divide", {binding_of(size), 2});
  return sliced(x, -2, 0, apply("add", {half, 1}));
}

struct Transform {
  std::size_t rank;
  std::int64_t parts;
  Size size;                                // of the axis
  std::optional<std::int64_t> length = {};  // the number of elements to transform, if it differs
  bool is_inverse, is_half;
};

// Along the axis before the last one.
Connection transformed(const Connection& x, const Transform& t) {
  const Connection pairs = as_pairs(x, t.rank, t.parts);
  if (t.is_inverse && t.is_half) {
    const Datum count = t.length ? Datum(*t.length) : Datum();
    return expanded(layer("Irfft", {{"n", count}}, {{"input", pairs}}), {-1});
  }
  const Size count = t.length ? Size(*t.length) : t.size;
  const Connection made = apply("fft", {resized(pairs, t.rank, t.size, t.length), t.is_inverse});
  if (t.is_inverse) return apply("divide", {made, binding_of(count)});
  return t.is_half ? first_half(made, count) : made;
}

Outputs dft(const NodeContext& node) {
  const std::size_t rank = node.need_rank(0, 2);
  std::int64_t axis = node.opset() < 20 ? node.integer("axis", 1) : -2;
  if (node.opset() >= 20 && node.has(2)) axis = node.clamped(2, -most_number, most_number);
  axis = node.axis(axis, rank);
  const auto last = static_cast<std::int64_t>(rank) - 1;
  if (axis == last) refuse("its axis is the last one, which has the parts of the numbers");
  Transform t{.rank = rank,
              .parts = parts_of(node, rank),
              .size = node.sizes()[static_cast<std::size_t>(axis)],
              .is_inverse = node.flag("inverse"),
              .is_half = node.flag("onesided")};
  if (node.has(1)) t.length = within("its dft_length", node.clamped(1, -1, most_number), 1);
  const auto turned = [&](const Connection& x) {
    return axis == last - 1 ? x : apply("swapaxes", {x, axis, last - 1});
  };
  return {turned(transformed(turned(node[0]), t))};
}

// Frames of the signal, which may overlap: [B, frames, length, parts].
Outputs stft(const NodeContext& node) {
  const bool is_flat = node.need_rank(0, 2, 3) == 2;
  const std::int64_t total =
      within("the length of its signal", number_of(node.sizes()[1], "the length of its signal"), 0);
  const std::int64_t parts = is_flat ? 1 : parts_of(node, 3);
  const std::int64_t step = within("its frame_step", node.clamped(1, -1, most_number), 1);
  const std::int64_t window = node.has(2) ? node.known_dims(2).at(0) : total;
  const std::int64_t length =
      within("its frame_length", node.has(3) ? node.clamped(3, -1, most_number) : window, 1, total);
  if (node.has(2)) {
    node.need_rank(2, 1, 1);
    within("the length of its window", window, length, length);
  }
  const std::int64_t frames = 1 + (total - length) / step;
  const Connection places = expanded(positions_to(frames) * step, {1}) + positions_to(length);
  const Connection signal = is_flat ? expanded(node[0], {2}) : node[0];
  Connection x = apply("gather", {signal, node.workspace().as_constant(places), 1});
  if (node.has(2)) x = x * expanded(node[2], {1});
  return {transformed(x, {.rank = 4,
                          .parts = parts,
                          .size = length,
                          .is_inverse = false,
                          .is_half = node.flag("onesided", true)})};
}

// Triangles between neighbouring frequencies that are equally far apart in mels.
Outputs mel_weight_matrix(const NodeContext& node) {
  const std::int64_t bands = within("its num_mel_bins", node.clamped(0, -1, most_number), 1);
  const std::int64_t length = within("its dft_length", node.clamped(1, -1, most_number), 1);
  const std::int64_t rows = length / 2 + 1;
  within("its num_mel_bins", bands, 1, most_computed / rows);
  const double rate = node.number(2);
  const auto mels = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mels(node.number(3)), high = mels(node.number(4));
  const double step = (high - low) / static_cast<double>(bands + 2);
  std::vector<std::int64_t> edges;
  for (std::int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (low + static_cast<double>(i) * step) / 2595) - 1);
    const double row = std::floor(static_cast<double>(length + 1) * hertz / rate);
    if (!(row >= 0 && row < static_cast<double>(rows)))
      refuse("its frequencies are beyond half the sample rate");
    edges.push_back(static_cast<std::int64_t>(row));
  }
  Tensor made = Tensor::zeros({rows, bands}, DType::float64);
  const auto weights = made.mutable_values<double>();
  for (std::int64_t i = 0; i < bands; ++i) {
    const auto edge = edges.begin() + i;
    const auto put = [&](std::int64_t row, std::int64_t part, std::int64_t whole) {
      weights[static_cast<std::size_t>(row * bands + i)] =
          static_cast<double>(part) / static_cast<double>(whole);
    };
    for (std::int64_t row = edge[0]; row < edge[1]; ++row)
      put(row, row - edge[0], edge[1] - edge[0]);
    put(edge[1], 1, 1);
    for (std::int64_t row = edge[1] + 1; row < edge[2]; ++row)
      put(row, edge[2] - row, edge[2] - edge[1]);
  }
  const ElementType type = element_type(node, "output_datatype", ElementType::float32);
  if (!is_float(type)) refuse("its output_datatype is " + name_of(type));
  return {Value(made.to(*held_dtype(type)), type)};
}

}  // namespace

std::vector<OpRow> fourier_rows() {
  return {
      of_floats({"DFT", 17, dft, "PrimitiveFft; Irfft",
                 "an axis or a length that depends on data, a length for an axis whose size is not "
                 "known"}),
      {"MelWeightMatrix", 17, mel_weight_matrix, "a constant", "inputs that depend on data"},
      of_floats({"STFT", 17, stft, "Gather, PrimitiveFft",
                 "a step or a length that depends on data, a signal whose length is not known"}),
  };
}

}  // namespace mithril::onnx
