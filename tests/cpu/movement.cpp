// Ops that permute axes: copies, or GEMMs that read permuted operands.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/dump.hpp"
#include "backends/cpu/executable.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {

TEST_CASE("permute handles any order of axes") {
  const Tensor x = random({2, 1, 37, 70}, 1);
  struct Case {
    const char *axes, *dims, *reversed;
  };
  for (const Case& at : {Case{"(0, 1, 3, 2)", "2, 1, 70, 37", "37, 70, 1, 2"},
                         Case{"(3, 2, 1, 0)", "70, 37, 1, 2", "2, 1, 37, 70"},
                         Case{"(2, 0, 1, 3)", "37, 2, 1, 70", "70, 1, 2, 37"},
                         Case{"(0, 2, 1, 3)", "2, 37, 1, 70", "70, 1, 37, 2"},
                         Case{"(1, 3, 0, 2)", "1, 70, 2, 37", "37, 2, 70, 1"},
                         Case{"(-4, -3, -2, -1)", "2, 1, 37, 70", "70, 37, 1, 2"}}) {
    CAPTURE(at.axes);
    const std::string text = fmt::format(
        "graph {{\n"
        "  input x: float32[2, 1, 37, 70]\n"
        "  y: float32[{0}] = transpose(input: x, axes: {1})\n"
        "  b: bool[{0}] = greater(left: y, right: 0.5)\n"
        "  z: bool[{2}] = transpose(input: b)\n"
        "  output y = y\n"
        "  output z = z\n"
        "}}\n",
        at.dims, at.axes, at.reversed);
    CHECK(differing_output(text, {x}, 2) == "");
  }
}

TEST_CASE("several threads permute large tensors") {
  const std::string text =
      "graph {\n"
      "  input x: float32[700, 500]\n"
      "  y: float32[500, 700] = swapaxes(input: x)\n"
      "  output y = y\n"
      "}\n";
  CHECK(differing_output(text, {random({700, 500}, 2)}, 2) == "");
}

TEST_CASE("GEMMs read transposed inputs in place") {
  const std::string text =
      "graph {\n"
      "  input x: float32[3, 4, 5]\n"
      "  input w: float32[6, 5]\n"
      "  input v: float32[4, 6]\n"
      "  e: float32[3, 4, 5] = exp(input: x)\n"
      "  wt: float32[5, 6] = swapaxes(input: w)\n"
      "  et: float32[3, 5, 4] = swapaxes(input: e, axis1: -1, axis2: -2)\n"
      "  a: float32[3, 4, 6] = matmul(left: e, right: wt)\n"
      "  b: float32[3, 5, 6] = matmul(left: et, right: a)\n"
      "  c: float32[3, 5, 6] = matmul(left: et, right: v)\n"
      "  d: float32[3, 4, 4] = matmul(left: e, right: et)\n"
      "  vt: float32[6, 4] = transpose(input: v)\n"
      "  vtt: float32[4, 6] = transpose(input: vt)\n"
      "  f: float32[3, 5, 6] = matmul(left: et, right: vtt)\n"
      "  output b = b\n"
      "  output c = c\n"
      "  output d = d\n"
      "  output f = f\n"
      "}\n";
  CHECK(differing_output(text, {random({3, 4, 5}, 3), random({6, 5}, 4), random({4, 6}, 5)}) == "");
}

TEST_CASE("GEMMs read a transpose of a transpose where it was before both") {
  const std::string text =
      "graph {\n"
      "  input x: float32[7, 5]\n"
      "  input v: float32[5, 6]\n"
      "  e: float32[7, 5] = exp(input: x)\n"
      "  et: float32[5, 7] = swapaxes(input: e)\n"
      "  ett: float32[7, 5] = swapaxes(input: et)\n"
      "  vt: float32[6, 5] = swapaxes(input: v)\n"
      "  vtt: float32[5, 6] = swapaxes(input: vt)\n"
      "  a: float32[7, 6] = matmul(left: ett, right: vtt)\n"
      "  b: float32[5, 6] = matmul(left: et, right: a)\n"
      "  output b = b\n"
      "}\n";
  CHECK(differing_output(text, {random({7, 5}, 3), random({5, 6}, 4)}) == "");
  std::string steps;
  const cpu_backend::DumpSink sink = [&](std::string_view pass, const std::string& dumped) {
    if (pass == "lowering") steps = dumped;
  };
  const auto executable = cpu_backend::make_executable(parse_graph(text), {.dump = sink});
  executable->run(std::vector<Tensor>{random({7, 5}, 3), random({5, 6}, 4)});
  CHECK(steps.find("matmul: e, v ->") != std::string::npos);
  CHECK(steps.find("swapaxes") == std::string::npos);
}

TEST_CASE("a deferred transpose is computed for consumers that are not GEMMs") {
  const std::string text =
      "graph {\n"
      "  input x: float32[4, 5]\n"
      "  e: float32[4, 5] = exp(input: x)\n"
      "  t: float32[5, 4] = swapaxes(input: e)\n"
      "  p: float32[4, 4] = matmul(left: e, right: t)\n"
      "  f: float32[4, 5] = negate(input: e)\n"
      "  r: float32[20] = reshape(input: t, shape: (20,))\n"
      "  q: float32[4, 4] = matmul(left: f, right: t)\n"
      "  s: float32[5, 4] = tanh(input: t)\n"
      "  output p = p\n"
      "  output q = q\n"
      "  output r = r\n"
      "  output s = s\n"
      "}\n";
  CHECK(differing_output(text, {random({4, 5}, 6)}) == "");
}

TEST_CASE(
    "slices match the reference for the first axis, the last, all axes, backwards and empty") {
  const std::string text =
      "graph {\n"
      "  input x: float32[70, 4, 35]\n"
      "  a: float32[9, 4, 35] = slice(input: x, starts: (3,), stops: (12,))\n"
      "  b: float32[70, 4, 10] = slice(input: x, starts: (5,), stops: (15,), axes: (-1,))\n"
      "  c: float32[24, 2, 12] = slice(input: x, starts: (-1, None, 1), stops: (None, -1, None), "
      "steps: (-3, 2, 3))\n"
      "  d: float32[70, 0, 35] = slice(input: x, starts: (3,), stops: (1,), axes: (1,))\n"
      "  output a = a\n"
      "  output b = b\n"
      "  output c = c\n"
      "  output d = d\n"
      "}\n";
  CHECK(differing_output(text, {random({70, 4, 35}, 7)}) == "");
  CHECK(differing_output(text, {random({70, 4, 35}, 7)}, 2) == "");
}

TEST_CASE("slices of all elements in their order are not copied") {
  const std::string text =
      "graph {\n"
      "  input x: float32[4, 5]\n"
      "  e: float32[4, 5] = atan(input: x)\n"
      "  a: float32[4, 5] = slice(input: e, starts: (0,), stops: (9,), axes: (1,))\n"
      "  b: float32[4, 5] = slice(input: a, starts: (None, -5), stops: (4, None), steps: (1, 1))\n"
      "  c: float32[4, 5] = slice(input: e, starts: (None,), stops: (None,), steps: (-1,))\n"
      "  d: float32[4] = sum(input: b, axis: 1)\n"
      "  f: float32[4] = sum(input: c, axis: 1)\n"
      "  g: float32[4, 5] = slice(input: x, starts: (0,), stops: (4,))\n"
      "  output d = d\n"
      "  output f = f\n"
      "  output g = g\n"
      "}\n";
  const std::vector<Tensor> inputs{random({4, 5}, 8)};
  CHECK(differing_output(text, inputs) == "");
  std::string steps;
  const cpu_backend::DumpSink sink = [&](std::string_view pass, const std::string& dumped) {
    if (pass == "lowering") steps = dumped;
  };
  cpu_backend::make_executable(parse_graph(text), {.dump = sink})->run(inputs);
  CHECK(steps.find("sum: b ->") != std::string::npos);
  CHECK(steps.find("slice: e -> a") == std::string::npos);
  CHECK(steps.find("-> b") == std::string::npos);
  CHECK(steps.find("slice: e -> c") != std::string::npos);
}

TEST_CASE("large tensors are joined along any axis") {
  const std::string text =
      "graph {\n"
      "  input x: float32[3, 40, 50, 9]\n"
      "  input y: float32[3, 70, 50, 9]\n"
      "  input z: float32[3, 0, 50, 9]\n"
      "  input v: float32[90, 40, 50, 9]\n"
      "  a: float32[3, 150, 50, 9] = concat(input: [x, z, y, x], axis: 1)\n"
      "  b: float32[93, 40, 50, 9] = concat(input: [x, v], axis: 0)\n"
      "  c: float32[3, 40, 50, 18] = concat(input: [x, x], axis: -1)\n"
      "  d: float32[108000] = concat(input: [x, x], axis: None)\n"
      "  t: bool[3, 40, 50, 9] = greater(left: x, right: 0.5)\n"
      "  e: bool[3, 40, 100, 9] = concat(input: [t, t], axis: 2)\n"
      "  output a = a\n"
      "  output b = b\n"
      "  output c = c\n"
      "  output d = d\n"
      "  output e = e\n"
      "}\n";
  const std::vector<Tensor> inputs{random({3, 40, 50, 9}, 1), random({3, 70, 50, 9}, 2),
                                   random({3, 0, 50, 9}, 3), random({90, 40, 50, 9}, 4)};
  for (const int threads : {1, 2}) CHECK(differing_output(text, inputs, threads, 0) == "");
}

TEST_CASE("large tensors roll along any axes, forwards and backwards") {
  const Tensor x = random({3, 14, 30, 50}, 8);
  for (const int threads : {1, 2}) {
    for (const char* rolled : {"(3, 3), axis: (1, 2)", "(-3, 31), axis: (-3, -2)", "7, axis: 0",
                               "(-51, 2), axis: (3, 0)", "0, axis: 2", "12345, axis: None"}) {
      CAPTURE(rolled);
      const std::string text = fmt::format(
          "graph {{\n"
          "  input x: float32[3, 14, 30, 50]\n"
          "  y: float32[3, 14, 30, 50] = roll(input: x, shift: {0})\n"
          "  b: bool[3, 14, 30, 50] = greater(left: x, right: 0.5)\n"
          "  z: bool[3, 14, 30, 50] = roll(input: b, shift: {0})\n"
          "  output y = y\n"
          "  output z = z\n"
          "}}\n",
          rolled);
      CHECK(differing_output(text, {x}, threads, 0) == "");
    }
  }
}

TEST_CASE("elementwise steps read slices where they are") {
  struct Case {
    const char *starts, *stops, *steps, *axes, *dims;
  };
  for (const Case& at : {Case{"(16,)", "(64,)", "None", "(2,)", "6, 5, 48"},
                         Case{"(-33,)", "(None,)", "None", "(-1,)", "6, 5, 33"},
                         Case{"(4, 0)", "(1, 17)", "(-1, 1)", "(0, 2)", "3, 5, 17"},
                         Case{"(1,)", "(6,)", "(2,)", "None", "3, 5, 80"},
                         Case{"(2, 3)", "(3, 4)", "None", "None", "1, 1, 80"},
                         Case{"(7,)", "(13,)", "None", "(2,)", "6, 5, 6"},
                         Case{"(0,)", "(40,)", "(2,)", "(2,)", "6, 5, 20"},
                         Case{"(None,)", "(None,)", "(-1,)", "(0,)", "6, 5, 80"},
                         Case{"(3,)", "(3,)", "None", "(1,)", "6, 0, 80"}}) {
    CAPTURE(at.starts);
    for (const char* dtype : {"float32", "float64"}) {
      const std::string text = fmt::format(
          "graph {{\n"
          "  input x: {1}[6, 5, 80]\n"
          "  input v: {1}[1, 80, 80]\n"
          "  e: {1}[6, 5, 80] = exp(input: x)\n"
          "  s: {1}[{0}] = slice(input: e, {2})\n"
          "  r: {1}[{0}] = slice(input: x, {2})\n"
          "  k: {1}[{0}] = slice(input: x, {2})\n"
          "  p: {1}[{0}] = multiply(left: s, right: r)\n"
          "  t: {1}[{0}] = tanh(input: p)\n"
          "  n: {1}[6, 5, 80] = negate(input: e)\n"
          "  q: {1}[6, 5, 80] = matmul(left: n, right: v)\n"
          "  a: {1}[{0}] = slice(input: q, {2})\n"
          "  b: {1}[{0}] = add(left: a, right: t)\n"
          "  c: {1}[{0}] = sigmoid(input: a)\n"
          "  output b = b\n"
          "  output c = c\n"
          "  output k = k\n"
          "}}\n",
          at.dims, dtype,
          fmt::format("starts: {}, stops: {}, steps: {}, axes: {}", at.starts, at.stops, at.steps,
                      at.axes));
      const DType type = dtype == std::string("float32") ? DType::float32 : DType::float64;
      const std::vector<Tensor> inputs{random({6, 5, 80}, 1).to(type),
                                       random({1, 80, 80}, 2).to(type)};
      for (const int threads : {1, 2}) CHECK(differing_output(text, inputs, threads) == "");
    }
  }
}

TEST_CASE("sums of gradients of slices are those of all their elements") {
  // The items of each slice; those of the last two sums overlap or leave some out.
  struct Case {
    std::array<std::pair<int, int>, 3> items;
  };
  for (const Case& at : {Case{{{{0, 3}, {3, 4}, {4, 9}}}}, Case{{{{4, 9}, {0, 3}, {3, 4}}}},
                         Case{{{{0, 4}, {3, 4}, {4, 9}}}}, Case{{{{0, 3}, {3, 4}, {4, 8}}}},
                         Case{{{{0, 9}, {0, 9}, {0, 9}}}}}) {
    std::string text = "graph {\n  input x: float32[2, 9, 5]\n";
    std::vector<Tensor> inputs{random({2, 9, 5}, 3)};
    for (size_t i = 0; i < at.items.size(); ++i) {
      const auto [first, last] = at.items[i];
      text += fmt::format("  input g{}: float32[2, {}, 5]\n", i, last - first);
      inputs.push_back(random({2, last - first, 5}, 4 + i));
    }
    for (size_t i = 0; i < at.items.size(); ++i) {
      const auto [first, last] = at.items[i];
      text += fmt::format(
          "  s{0}: float32[2, 9, 5] = slice_grad(input: g{0}, like: x, starts: ({1},), stops: "
          "({2},), "
          "steps: None, axes: (-2,))\n",
          i, first, last);
    }
    text +=
        "  a: float32[2, 9, 5] = add(left: s0, right: s1)\n"
        "  b: float32[2, 9, 5] = add(left: s2, right: a)\n"
        "  output b = b\n"
        "}\n";
    CAPTURE(text);
    CHECK(differing_output(text, inputs, 2, 0) == "");
  }
}

}  // namespace mithril::tests
