// Padding by a word: "same" keeps the sizes at a stride of 1, and "valid" adds no elements.
#include <doctest/doctest.h>

#include "mithril/models/convolution.hpp"
#include "mithril/models/library.hpp"
#include "mithril/models/pooling.hpp"
#include "tests/errors/text_of_error.hpp"

namespace ml = mithril;
using ml::tests::text_of_error;

namespace {

std::string output_of(const ml::Model& model, const ml::ShapeSpec& input) {
  ml::Model net;
  net |= model({{"input", "x"}, {"output", "y"}});
  net.set_shapes({{"x", input}});
  return to_string(net.shape("y"));
}

}  // namespace

TEST_CASE("padding \"same\" leaves the sizes as they are at a stride of 1") {
  CHECK(output_of(ml::Conv2d({.filters = 3,
                              .kernel_size = ml::Datum::ints({3, 4}),
                              .padding = ml::Padding::same}),
                  {1, 2, "H", "W"}) == "[1, 3, H, W]");
  CHECK(
      output_of(
          ml::Conv1d({.filters = 3, .kernel_size = 4, .padding = ml::Padding::same, .dilation = 3}),
          {1, 2, "L"}) == "[1, 3, L]");
  CHECK(output_of(ml::MaxPool2D({.kernel_size = 3, .stride = 1, .padding = ml::Padding::same}),
                  {1, 2, "H", "W"}) == "[1, 2, H, W]");
  CHECK(output_of(ml::AvgPool1D({.kernel_size = 5, .stride = 2, .padding = ml::Padding::same}),
                  {1, 2, 9}) == "[1, 2, 5]");
}

TEST_CASE("padding \"same\" follows the weight where it tells the size of the window") {
  const ml::Model conv = ml::Conv2d({.padding = ml::Padding::same});
  ml::Model net;
  net |= conv({{"input", "x"}, {"weight", "w"}, {"output", "y"}});
  net.set_shapes({{"x", {1, 2, 7, 8}}, {"w", {3, 2, 5, 2}}});
  CHECK(to_string(net.shape("y")) == "[1, 3, 7, 8]");
}

TEST_CASE("padding \"valid\" adds nothing, and other words are refused") {
  CHECK(output_of(ml::Conv1d({.filters = 3, .kernel_size = 4, .padding = ml::Padding::valid}),
                  {1, 2, 9}) == "[1, 3, 6]");
  CHECK(text_of_error([] {
          ml::make_model("Conv1d", {{"padding", "sane"}});
        }) ==
        "mithril.ValueError[E0402]: Conv1d: argument 'padding' is out of range\n"
        "  expected : an int, a tuple, \"same\" or \"valid\"\n"
        "  got      : \"sane\"");
}
