// Spellings of convolutions and pooling for torch, which pads both ends of an axis equally.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mithril/ops/support/spelling.hpp"
#include "mithril/ops/support/window.hpp"

namespace mithril {

struct SpelledPadding {
  Dims before, after;  // of the last two axes
  bool even() const { return before == after; }
};

inline SpelledPadding spelled_padding(const SpellingContext& c) {
  SpelledPadding padding;
  for (const size_t axis : {0, 1}) {
    const auto [before, after] = padding_of(c.value("padding"), axis, 2);
    padding.before.push_back(resolve(before).constant());
    padding.after.push_back(resolve(after).constant());
  }
  return padding;
}

// One number for each of two axes.
inline std::string spell_pair(const Datum& numbers) {
  return to_string(Dims{per_axis(numbers, 0).integer(), per_axis(numbers, 1).integer()});
}

struct SpelledConvolution {
  std::string input, padding;
};

// If the ends differ, the input is padded first.
inline SpelledConvolution spelled_convolution(const SpellingContext& c) {
  const SpelledPadding padding = spelled_padding(c);
  if (padding.even()) return {"input", to_string(padding.before)};
  const Dims widths{padding.before[1], padding.after[1], padding.before[0], padding.after[0]};
  return {spell_call("aten::constant_pad_nd", {"input", to_string(widths)}), "[0, 0]"};
}

// torch needs at least one channel on both sides.
inline bool has_channels(const SpellingContext& c) {
  const Dims& weight = c.dims("weight");
  return weight[0] > 0 && weight[1] > 0;
}
inline constexpr const char* no_channels = "unsupported: a convolution without channels";

inline std::string spell_convolution(const SpellingContext& c) {
  if (!has_channels(c)) return no_channels;
  const auto [input, padding] = spelled_convolution(c);
  return spell_call("aten::conv2d",
                    {input, "weight", "bias", "stride", padding, "dilation", "groups"});
}

inline std::string spell_convolution_gradient(const SpellingContext& c, bool of_input) {
  if (!has_channels(c)) return no_channels;
  const auto [input, padding] = spelled_convolution(c);
  return spell_call("aten::convolution_backward",
                    {"grad", input, "weight", "None", spell_pair(c.value("stride")), padding,
                     spell_pair(c.value("dilation")), "False", "[0, 0]", "groups",
                     of_input ? "[True, False, False]" : "[False, True, False]"}) +
         (of_input ? "[0]" : "[1]");
}

inline std::string spell_convolution_input_gradient(const SpellingContext& c) {
  std::string text = spell_convolution_gradient(c, true);
  const SpelledPadding padding = spelled_padding(c);
  if (padding.even() || !has_channels(c)) return text;
  const Dims& dims = c.out();
  for (const size_t axis : {0, 1}) {
    text = spell_call("aten::narrow",
                      {text, spell_number(static_cast<int64_t>(axis) + 2),
                       spell_number(padding.before[axis]), spell_number(dims[axis + 2])});
  }
  return text;
}

inline std::string spell_convolution_weight_gradient(const SpellingContext& c) {
  return spell_convolution_gradient(c, false);
}

// torch pools tensors of four axes: all but the last two become one.
inline bool is_pooled_whole(const Dims& dims) { return dims.size() == 4 && dims[1] > 0; }

inline std::string spell_planes(const std::string& port, const Dims& dims) {
  if (is_pooled_whole(dims)) return port;
  const size_t rank = dims.size();
  return spell_reshape(port, {product(dims, 0, rank - 2), 1, dims[rank - 2], dims[rank - 1]});
}

inline std::string spell_whole(const std::string& text, const Dims& dims) {
  return is_pooled_whole(dims) ? text : spell_reshape(text, dims);
}

// torch refuses windows inside the padding.
inline bool is_narrow(const SpellingContext& c, const SpelledPadding& padding) {
  const Datum& kernel = c.value("kernel_size");
  return 2 * padding.before[0] <= per_axis(kernel, 0).integer() &&
         2 * padding.before[1] <= per_axis(kernel, 1).integer();
}

// Kernel, stride and padding; none if torch does not support the window.
inline std::optional<std::vector<std::string>> spelled_window(const SpellingContext& c) {
  const SpelledPadding padding = spelled_padding(c);
  const char* stride = c.value("stride").is_none() ? "kernel_size" : "stride";
  if (!padding.even() || !is_narrow(c, padding)) return std::nullopt;
  return std::vector<std::string>{"kernel_size", stride, to_string(padding.before)};
}

template <typename Spell>
std::string spell_pooling(const SpellingContext& c, const char* planes, bool dilated, Spell spell) {
  const auto window = spelled_window(c);
  if (!window) return "unsupported: padding that differs between the ends, or is wide";
  const Dims& dims = c.dims(planes);
  if (element_count(dims) == 0) return "unsupported: planes without elements";
  for (const size_t axis : {0, 1}) {
    // Torch would take an element beyond the plane as the largest.
    if (per_axis(c.value("dilation"), axis).integer() > dims[dims.size() - 2 + axis])
      return "unsupported: windows of padding alone";
  }
  const auto is_one = [](const Datum& datum) { return datum.integer() == 1; };
  const Datum dilation = c.value("dilation");
  if (!dilated && !(is_one(per_axis(dilation, 0)) && is_one(per_axis(dilation, 1)))) {
    return "unsupported: dilation";
  }
  return spell(*window);
}

}  // namespace mithril
