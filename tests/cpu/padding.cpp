// Padding with zeros becomes padding of the convolutions that read it.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "backends/cpu/rewrite/fold_padding.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {
namespace {

struct PaddedConvolution {
  Dims padded;  // 1, channels, height, width
  std::string widths;
  std::string value = "0";
  std::string stride = "1", padding = "0";
  int64_t groups = 1;
  Dims made;
  std::string more = "";  // further nodes and outputs
};

constexpr int64_t channels = 32;

std::string text_of(const PaddedConvolution& p) {
  return fmt::format(
      "graph {{\n"
      "  input x: float32[1, {0}, 8, 9]\n"
      "  input w: float32[{0}, {1}, 3, 3]\n"
      "  p: float32[{2}] = pad(input: x, pad_width: {3}, value: {4})\n"
      "  y: float32[{5}] = conv2d(input: p, weight: w, bias: None, stride: {6}, padding: {7}, "
      "dilation: 1, groups: {8})\n"
      "{9}"
      "  output y = y\n"
      "}}\n",
      channels, channels / p.groups, fmt::join(p.padded, ", "), p.widths, p.value,
      fmt::join(p.made, ", "), p.stride, p.padding, p.groups, p.more);
}

std::string difference_of(const PaddedConvolution& p) {
  return differing_output(
      text_of(p),
      {random({1, channels, 8, 9}, 1), random({channels, channels / p.groups, 3, 3}, 2)}, 1, 1e-4);
}

// The padding of the convolution after the pass; empty: the pad is still there.
std::string folded(const PaddedConvolution& p) {
  const std::string text = to_string(cpu_backend::fold_padding(parse_graph(text_of(p))));
  if (text.find("pad(") != std::string::npos) return "";
  const size_t begin = text.find("padding: ") + 9;
  return text.substr(begin, text.find(", dilation") - begin);
}

const std::string around = "((0, 0), (0, 0), (0, 1), (2, 1))";

}  // namespace

TEST_CASE("a convolution pads its input with the zeros that were added before it") {
  for (const int64_t groups : {int64_t{1}, channels}) {
    CAPTURE(groups);
    const PaddedConvolution once{
        .padded = {1, 32, 9, 12}, .widths = around, .groups = groups, .made = {1, 32, 7, 10}};
    CHECK(folded(once) == "((0, 1), (2, 1))");
    CHECK(difference_of(once) == "");

    const PaddedConvolution strided{.padded = {1, 32, 9, 12},
                                    .widths = around,
                                    .value = "0.0",
                                    .stride = "(2, 1)",
                                    .groups = groups,
                                    .made = {1, 32, 4, 10}};
    CHECK(folded(strided) == "((0, 1), (2, 1))");
    CHECK(difference_of(strided) == "");

    const PaddedConvolution own{.padded = {1, 32, 9, 12},
                                .widths = around,
                                .padding = "((1, 0), (0, 2))",
                                .groups = groups,
                                .made = {1, 32, 8, 12}};
    CHECK(folded(own) == "((1, 1), (2, 3))");
    CHECK(difference_of(own) == "");

    const PaddedConvolution equal{.padded = {1, 32, 9, 12},
                                  .widths = around,
                                  .padding = "(1, 2)",
                                  .groups = groups,
                                  .made = {1, 32, 9, 14}};
    CHECK(folded(equal) == "((1, 2), (4, 3))");
    CHECK(difference_of(equal) == "");
  }
}

TEST_CASE("padding stays where a convolution cannot add it") {
  const PaddedConvolution ones{
      .padded = {1, 32, 9, 12}, .widths = around, .value = "1", .made = {1, 32, 7, 10}};
  CHECK(folded(ones) == "");
  CHECK(difference_of(ones) == "");

  const PaddedConvolution images{
      .padded = {3, 32, 8, 9}, .widths = "((0, 2), (0, 0), (0, 0), (0, 0))", .made = {3, 32, 6, 7}};
  CHECK(folded(images) == "");
  CHECK(difference_of(images) == "");

  const PaddedConvolution fewer{.padded = {1, 32, 8, 9},
                                .widths = "((0, 0), (0, 0), (1, -1), (0, 0))",
                                .made = {1, 32, 6, 7}};
  CHECK(folded(fewer) == "");
  CHECK(difference_of(fewer) == "");
}

TEST_CASE("padding stays where something else reads it") {
  PaddedConvolution read{.padded = {1, 32, 9, 12}, .widths = around, .made = {1, 32, 7, 10}};
  read.more = "  r: float32[1, 32, 9, 12] = exp(input: p)\n  output r = r\n";
  CHECK(folded(read) == "");
  CHECK(difference_of(read) == "");
  read.more = "  output p = p\n";
  CHECK(folded(read) == "");
  CHECK(difference_of(read) == "");
}

}  // namespace mithril::tests
