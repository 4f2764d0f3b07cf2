// Outputs that are made in the place of inputs.
#include <doctest/doctest.h>

#include "backends/cpu/cpu.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/errors/text_of_error.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

struct DonatedBuffer {
  std::string text;
  std::vector<Donation> donations;
};

// Runs on copies of the inputs, which then hold the outputs made in place.
std::vector<Tensor> run(const DonatedBuffer& graph, std::vector<Tensor>& inputs, int threads = 2) {
  for (Tensor& input : inputs) input = input.copy();
  return cpu({.threads = threads})
      ->load(parse_graph(graph.text), {.donations = graph.donations})
      ->run(inputs);
}

std::vector<bool> in_place(const DonatedBuffer& graph, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> own = inputs;
  const std::vector<Tensor> made = run(graph, own);
  const std::vector<Tensor> expected =
      cpu({.reference = true})->load(parse_graph(graph.text), {})->run(inputs);
  std::vector<bool> flags;
  for (size_t i = 0; i < made.size(); ++i) {
    CHECK(difference(made[i], expected[i], 5e-5) == "");
    flags.push_back(false);
    for (const Tensor& input : own) {
      flags.back() = flags.back() || input.raw_data() == made[i].raw_data();
    }
  }
  return flags;
}

// Statements that update a weight and its optimizer state by its gradient, a GEMM.
const std::string update =
    "  m2: float32[30, 50] = add(left: m, right: g)\n"
    "  s: float32[30, 50] = multiply(left: m2, right: 0.1)\n"
    "  w2: float32[30, 50] = subtract(left: w, right: s)\n";

}  // namespace

TEST_CASE("an epilogue writes donated inputs after their other readers") {
  const std::string text =
      "graph {\n"
      "  input w: float32[30, 50]\n"
      "  input m: float32[30, 50]\n"
      "  input x: float32[20, 30]\n"
      "  input d: float32[20, 50]\n"
      "  t: float32[30, 20] = swapaxes(input: x)\n"
      "  g: float32[30, 50] = matmul(left: t, right: d)\n" +
      update +
      "  v: float32[50, 30] = swapaxes(input: w)\n"
      "  e: float32[20, 30] = matmul(left: d, right: v)\n"
      "  output e = e\n"
      "  output w2 = w2\n"
      "  output m2 = m2\n"
      "}\n";
  const std::vector<Tensor> inputs{random({30, 50}, 1), random({30, 50}, 2), random({20, 30}, 3),
                                   random({20, 50}, 4)};
  CHECK(in_place({text, {{1, 0}, {2, 1}}}, inputs) == std::vector<bool>{false, true, true});
  CHECK(in_place({text, {{1, 0}}}, inputs) == std::vector<bool>{false, true, false});
  CHECK(in_place({text, {}}, inputs) == std::vector<bool>{false, false, false});
}

TEST_CASE("scatter writes its elements into a donated input") {
  const std::string text =
      "graph {\n"
      "  input cache: float32[2, 6, 4]\n"
      "  input index: int64[2, 3, 4]\n"
      "  input rows: float32[2, 3, 4]\n"
      "  made: float32[2, 6, 4] = scatter(input: cache, index: index, source: rows, axis: 1, "
      "reduce: \"set\")\n"
      "  sum: float32[2, 4] = sum(input: made, axis: 1, keepdim: False)\n"
      "  output sum = sum\n"
      "  output made = made\n"
      "}\n";
  std::vector<int64_t> places;
  for (int64_t i = 0; i < 24; ++i) places.push_back(i / 4 % 3 - 2);  // -2, -1, 0
  const std::vector<Tensor> inputs{random({2, 6, 4}, 1), Tensor::of({2, 3, 4}, places),
                                   random({2, 3, 4}, 2)};
  CHECK(in_place({text, {{1, 0}}}, inputs) == std::vector<bool>{false, true});
  CHECK(in_place({text, {}}, inputs) == std::vector<bool>{false, false});
}

TEST_CASE("several donated inputs are overwritten after their last readers") {
  const std::string text =
      "graph {\n"
      "  input w: float32[30, 50]\n"
      "  input m: float32[30, 50]\n"
      "  input b: float32[30]\n"
      "  input x: float32[20, 30]\n"
      "  input d: float32[20, 50]\n"
      "  t: float32[30, 20] = swapaxes(input: x)\n"
      "  g: float32[30, 50] = matmul(left: t, right: d)\n"
      "  v: float32[50, 30] = swapaxes(input: w)\n"
      "  e: float32[20, 30] = matmul(left: d, right: v)\n"
      "  c: float32[30] = sum(input: e, axis: 0, keepdim: False)\n"
      "  b2: float32[30] = subtract(left: b, right: c)\n" +
      update +
      "  output b2 = b2\n"
      "  output w2 = w2\n"
      "  output m2 = m2\n"
      "}\n";
  CHECK(in_place({text, {{0, 2}, {1, 0}, {2, 1}}},
                 {random({30, 50}, 1), random({30, 50}, 2), random({30}, 3), random({20, 30}, 4),
                  random({20, 50}, 5)}) == std::vector<bool>{true, true, true});
}

TEST_CASE("an input that is read later, or that is an output, is not overwritten") {
  const std::string text =
      "graph {\n"
      "  input w: float32[4]\n"
      "  input u: float32[4]\n"
      "  w2: float32[4] = exp(input: w)\n"
      "  c: float32[] = sum(input: w2, axis: None, keepdim: False)\n"
      "  y: float32[4] = multiply(left: w, right: c)\n"
      "  u2: float32[4] = exp(input: u)\n"
      "  output w2 = w2\n"
      "  output y = y\n"
      "  output u2 = u2\n"
      "  output u = u\n"
      "}\n";
  CHECK(in_place({text, {{0, 0}, {2, 1}}}, {random({4}, 1), random({4}, 2)}) ==
        std::vector<bool>{false, false, false, true});
}

TEST_CASE("scatter runs tile by tile, with the update of donated inputs as epilogue") {
  for (const int64_t width : {3, 256, 5000}) {
    CAPTURE(width);
    const std::string w = std::to_string(width);
    const std::string text = "graph {\n  input w: float32[90, " + w +
                             "]\n"
                             "  input x: float32[6, " +
                             w +
                             "]\n"
                             "  input i: int64[6]\n"
                             "  g: float32[90, " +
                             w +
                             "] = scatter_add(input: x, index: i, like: w, axis: 0)\n"
                             "  s: float32[90, " +
                             w +
                             "] = multiply(left: g, right: 0.1)\n"
                             "  w2: float32[90, " +
                             w +
                             "] = subtract(left: w, right: s)\n"
                             "  output w2 = w2\n}\n";
    const Tensor index = Tensor::of<int64_t>({6}, {89, 0, -1, 45, 0, 0});
    const std::vector<Tensor> inputs{random({90, width}, 1), random({6, width}, 2), index};
    CHECK(in_place({text, {{0, 0}}}, inputs) == std::vector<bool>{true});
    CHECK(in_place({text, {}}, inputs) == std::vector<bool>{false});
    std::vector<Tensor> one = inputs, three = inputs;
    run({text, {{0, 0}}}, one, 1);
    run({text, {{0, 0}}}, three, 3);
    CHECK(identical(one[0], three[0]));
    std::vector<Tensor> wrong = inputs;
    wrong[2] = Tensor::of<int64_t>({6}, {89, 0, -1, 90, 0, 0});
    CHECK(text_of_error([&] {
            run({text, {{0, 0}}}, wrong);
          }).find("index 90 is out of range for size 90") != std::string::npos);
    CHECK(identical(wrong[0], inputs[0]));
  }
}

TEST_CASE("an error after the first write to a donated input says so") {
  const std::string text =
      "graph {\n"
      "  input w: float32[4]\n"
      "  input i: int64[1]\n"
      "  w2: float32[4] = exp(input: w)\n"
      "  y: float32[1] = gather(input: w2, index: i, axis: 0)\n"
      "  output w2 = w2\n"
      "  output y = y\n"
      "}\n";
  std::vector<Tensor> inputs{random({4}, 1), Tensor::of<int64_t>({1}, {4})};
  CHECK(text_of_error([&] {
          run({text, {{0, 0}}}, inputs);
        }) ==
        "mithril.ValueError[E0402]: y: gather: index 4 is out of range for size 4\n"
        "  expected : -4 to 3\n"
        "  got      : 4\n"
        "  donated  : some inputs have been written to");
}

}  // namespace mithril::tests
