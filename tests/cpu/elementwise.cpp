// Elementwise programs match node-by-node execution, and share memory where possible.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/elementwise/program_builder.hpp"
#include "backends/cpu/kernels/elementwise_kernels.hpp"
#include "mithril/eval/plan.hpp"
#include "tests/cpu/differing_output.hpp"

namespace mithril::tests {
TEST_CASE("elementwise programs are right for sizes around the block size, with broadcasts") {
  for (const int64_t columns : {1, 7, 16, 511, 512, 513, 1025}) {
    for (const int64_t rows : {1, 3}) {
      CAPTURE(columns);
      CAPTURE(rows);
      const std::string whole = fmt::format("float32[{}, {}]", rows, columns);
      const std::string text = fmt::format(
          "graph {{\n"
          "  input x: {0}\n"
          "  input row: float32[{2}]\n"
          "  input column: float32[{1}, 1]\n"
          "  input number: float32[]\n"
          "  a: {0} = add(left: x, right: row)\n"
          "  b: {0} = multiply(left: a, right: column)\n"
          "  c: {0} = maximum(left: b, right: number)\n"
          "  d: {0} = gelu(input: c)\n"
          "  e: bool[{1}, {2}] = less(left: d, right: x)\n"
          "  f: {0} = where(cond: e, input1: d, input2: -1.5)\n"
          "  output b = b\n"
          "  output e = e\n"
          "  output f = f\n"
          "}}\n",
          whole, rows, columns);
      CHECK(differing_output(text, {random({rows, columns}, 1), random({columns}, 2),
                                    random({rows, 1}, 3), random({}, 4)}) == "");
    }
  }
}

TEST_CASE("greater and lesser choose as C does, for NaN and zeros, too") {
  using cpu_backend::Operation;
  const float nan = std::nanf("");
  const std::vector<float> numbers{0.0F, -0.0F, 1, -1, nan, INFINITY, -INFINITY, 1e-40F};
  std::vector<float> left, right;
  for (const float a : numbers) {
    for (const float b : numbers) {
      left.push_back(a);
      right.push_back(b);
    }
  }
  const size_t count = left.size();
  for (const cpu_backend::Instructions instructions : cpu_backend::present_instructions()) {
    CAPTURE(name(instructions));
    const auto& kernels = cpu_backend::elementwise_kernels<float>(instructions);
    for (const Operation operation : {Operation::greater, Operation::lesser}) {
      std::vector<float> made(count);
      const cpu_backend::Source<float> slots[] = {{left.data(), cpu_backend::each_element},
                                                  {right.data(), cpu_backend::each_element},
                                                  {made.data(), cpu_backend::each_element}};
      const cpu_backend::EncodedInstruction code{
          .kernel = kernels.operations[static_cast<size_t>(operation)],
          .from = {0, 1, -1, -1},
          .to = 2};
      kernels.run(&code, slots, 0, count, {});
      for (size_t i = 0; i < count; ++i) {
        const float a = left[i], b = right[i];
        const bool first = operation == Operation::greater ? a > b : a < b;
        const float expected = first ? a : b;
        CAPTURE(a);
        CAPTURE(b);
        CHECK(std::memcmp(&made[i], &expected, sizeof(float)) == 0);
      }
    }
  }
}

TEST_CASE("operands are arrays, repeated vectors and the previous result") {
  using cpu_backend::Operation;
  constexpr size_t count = 16 * 13;  // steps of eight, four and one vectors
  std::vector<float> first, second, made(count);
  for (size_t i = 0; i < count; ++i) {
    first.push_back(static_cast<float>(i % 7) - 3);
    second.push_back(static_cast<float>(i % 5) - 2);
  }
  const std::vector<float> same(16, 0.5F);
  const cpu_backend::Source<float> slots[] = {{first.data(), cpu_backend::each_element},
                                              {second.data(), cpu_backend::each_element},
                                              {same.data(), 0},
                                              {made.data(), cpu_backend::each_element}};
  const auto element = [&](int slot, size_t i) {  // the previous result is `first`
    return slot == 2 ? 0.5F : slot == 1 ? second[i] : first[i];
  };
  const auto expected = [&](Operation operation, const std::array<int16_t, 4>& from, size_t i) {
    std::array<float, 4> x{};
    for (size_t k = 0; k < 4; ++k) x[k] = element(from[k], i);
    if (operation == Operation::negate) return -x[0];
    if (operation == Operation::subtract) return x[0] - x[1];
    if (operation == Operation::multiply_add) return x[0] * x[1] + x[2];
    if (operation == Operation::choose) return x[0] != 0 ? x[1] : x[2];
    return x[0] < x[1] ? x[2] : x[3];
  };
  for (const cpu_backend::Instructions instructions : cpu_backend::present_instructions()) {
    CAPTURE(name(instructions));
    const auto& kernels = cpu_backend::elementwise_kernels<float>(instructions);
    const auto kernel = [&](Operation operation) {
      return kernels.operations[static_cast<size_t>(operation)];
    };
    for (int number = 0; number < 4 * 4 * 4 * 4; ++number) {
      std::array<int16_t, 4> from{};
      for (int k = 0, rest = number; k < 4; ++k, rest /= 4)
        from[static_cast<size_t>(k)] = static_cast<int16_t>(rest % 4 - 1);
      for (const Operation operation :
           {Operation::negate, Operation::subtract, Operation::multiply_add, Operation::choose,
            Operation::choose_less}) {
        const cpu_backend::EncodedInstruction code[] = {
            {.kernel = kernel(Operation::copy), .from = {0, -1, -1, -1}, .to = -1, .last = false},
            {.kernel = kernel(operation), .from = from, .to = 3}};
        kernels.run(code, slots, 0, count, {});
        CAPTURE(number);
        for (size_t i = 0; i < count; ++i) REQUIRE(made[i] == expected(operation, from, i));
      }
    }
  }
}

TEST_CASE("relu is one operation on two operands") {
  const Graph graph = parse_graph(
      "graph {\n  input x: float32[20]\n  y: float32[20] = relu(input: x)\n  output y = y\n}\n");
  const SizeSources sizes(graph);
  const Plan plan = make_plan(graph, sizes, std::vector<Tensor>{random({20}, 1)});
  const cpu_backend::ShapedGraph shaped(graph, plan);
  const size_t nodes[] = {0};
  const auto program = cpu_backend::make_elementwise_program(shaped, nodes, shaped.node(0).outputs);
  REQUIRE(program->instructions.size() == 1);
  CHECK(program->instructions[0].operation == cpu_backend::Operation::greater);
}

TEST_CASE("elementwise programs repeat an input along a middle axis") {
  for (const int64_t columns : {1, 2, 7, 16, 33, 600}) {
    for (const int64_t rows : {1, 2, 3, 31, 65, 513}) {
      CAPTURE(columns);
      CAPTURE(rows);
      const std::string text = fmt::format(
          "graph {{\n"
          "  input x: float32[3, {0}, {1}]\n"
          "  input gate: float32[3, 1, {1}]\n"
          "  input whole: float32[1, {0}, {1}]\n"
          "  g: int32[3, 1, {1}] = cast(input: gate, dtype: int32)\n"
          "  a: float32[3, {0}, {1}] = multiply(left: x, right: gate)\n"
          "  b: float32[3, {0}, {1}] = add(left: a, right: g)\n"
          "  c: float32[3, {0}, {1}] = subtract(left: b, right: whole)\n"
          "  output c = c\n"
          "}}\n",
          rows, columns);
      CHECK(differing_output(text, {random({3, rows, columns}, 1), random({3, 1, columns}, 2),
                                    random({1, rows, columns}, 3)}) == "");
    }
  }
}

TEST_CASE("fusion keeps the order of dependent nodes") {
  // b is between a and c, and d reads the value that c overwrites.
  const std::string text =
      "graph {\n"
      "  input x: float32[4, 5]\n"
      "  a: float32[4, 5] = exp(input: x)\n"
      "  s: float32[5] = sum(input: a, axis: 0)\n"
      "  c: float32[4, 5] = divide(numerator: a, denominator: s)\n"
      "  d: float32[4, 5] = subtract(left: c, right: a)\n"
      "  e: float32[20] = reshape(input: d, shape: (20,))\n"
      "  f: float32[4, 5] = reshape(input: e, shape: (4, 5))\n"
      "  g: float32[4, 5] = multiply(left: f, right: d)\n"
      "  h: float32[4, 5] = add(left: g, right: f)\n"
      "  i: float32[4, 5] = atan(input: h)\n"
      "  j: float32[4, 5] = add(left: i, right: d)\n"
      "  output j = j\n"
      "}\n";
  CHECK(differing_output(text, {random({4, 5}, 5)}) == "");
}

TEST_CASE("a result without later consumers does not overwrite another result") {
  // Only the size of d is read; it and w could both take the memory of c.
  const std::string text =
      "graph {\n"
      "  input x: float32[100]\n"
      "  input y: float32[100]\n"
      "  c: float32[100] = atan(input: x)\n"
      "  k: bool[100] = less(left: c, right: 0.5)\n"
      "  d: float32[100] = divide(numerator: x, denominator: 0.6)\n"
      "  o: float32[100] = where(cond: k, input1: d, input2: 0.0)\n"
      "  w: float32[100] = where(cond: k, input1: y, input2: 0.0)\n"
      "  v: float32[100] = reshape_like(input: w, like: d)\n"
      "  q: float32[100] = atan(input: v)\n"
      "  output o = o\n"
      "  output q = q\n"
      "}\n";
  CHECK(differing_output(text, {random({100}, 10), random({100}, 11)}) == "");
}

TEST_CASE("equal results become two outputs") {
  const std::string text =
      "graph {\n"
      "  input x: float32[3]\n"
      "  a: float32[3] = exp(input: x)\n"
      "  b: float32[3] = exp(input: x)\n"
      "  c: float32[3] = buffer(input: a)\n"
      "  d: float32[3] = add(left: a, right: b)\n"
      "  e: float32[3] = multiply(left: d, right: c)\n"
      "  output a = a\n"
      "  output b = b\n"
      "  output c = c\n"
      "  output e = e\n"
      "}\n";
  CHECK(differing_output(text, {random({3}, 6)}) == "");
}

TEST_CASE("a long chain becomes several programs that reuse one buffer") {
  std::string text = "graph {\n  input x: float32[100]\n";
  std::string from = "x";
  for (int i = 0; i < 100; ++i) {
    const std::string to = "v" + std::to_string(i);
    text +=
        "  " + to + ": float32[100] = " + (i % 2 ? "tanh" : "negate") + "(input: " + from + ")\n";
    from = to;
  }
  text += "  output y = " + from + "\n}\n";
  CHECK(differing_output(text, {random({100}, 7)}) == "");
  // The output, and one value rounded up to 64 bytes, as the plan has them.
  const auto executable = cpu()->load(parse_graph(text), {});
  CHECK(executable->run_bytes() == 400 + 448 + 128);
}

TEST_CASE("random elementwise graphs match the reference") {
  const std::vector<std::string> pairs = {"add", "subtract", "multiply", "maximum", "minimum"};
  const std::vector<std::string> singles = {"relu", "negate", "abs"};
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 engine(seed);
    const auto below = [&](size_t count) { return static_cast<size_t>(engine()) % count; };
    const auto size = static_cast<int64_t>(1 + below(1100));
    const std::string type = fmt::format("float32[{}]", size);
    std::string text = fmt::format("graph {{\n  input v0: {0}\n  input v1: {0}\n", type);
    constexpr size_t values = 25;
    for (size_t made = 2; made < values; ++made) {
      const size_t left = made - 1 - below(2), right = made - 1 - below(std::min<size_t>(made, 5));
      text += fmt::format("  v{}: {} = ", made, type);
      text += below(3) == 0 ? fmt::format("{}(input: v{})\n", singles[below(singles.size())], left)
                            : fmt::format("{}(left: v{}, right: v{})\n", pairs[below(pairs.size())],
                                          left, right);
    }
    for (const size_t made : {values / 2, values - 2, values - 1}) {
      text += fmt::format("  output v{0} = v{0}\n", made);
    }
    text += "}\n";
    CAPTURE(text);
    const std::vector<Tensor> inputs{random({size}, seed), random({size}, seed + 100)};
    CHECK(differing_output(text, inputs) == "");
    const Graph graph = parse_graph(text);
    const std::vector<Tensor> joined = cpu()->load(graph, {})->run(inputs);
    const std::vector<Tensor> alone = cpu()->load(graph, {.fuse = false})->run(inputs);
    for (size_t i = 0; i < alone.size(); ++i) CHECK(identical(joined[i], alone[i]));
  }
}

TEST_CASE("fusion makes no cycle through a group that reads an early node of a later group") {
  // p and h fuse. The sum reads p, and h reads f: fused with t, f would wait for the sum.
  const std::string text =
      "graph {\n"
      "  input x: float32[3, 3]\n"
      "  input y: float32[3, 1]\n"
      "  p: float32[3, 3] = add(left: x, right: 1.0)\n"
      "  g: float32[3, 1] = sum(input: p, axis: 1, keepdim: True)\n"
      "  f: float32[3, 1] = multiply(left: y, right: 2.0)\n"
      "  h: float32[3, 3] = multiply(left: p, right: f)\n"
      "  t: float32[3, 1] = add(left: f, right: g)\n"
      "  output h = h\n"
      "  output t = t\n"
      "}\n";
  CHECK(differing_output(text, {random({3, 3}, 6), random({3, 1}, 7)}) == "");
}

TEST_CASE("random graphs of elementwise ops, sums and broadcasts match the reference") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 engine(seed);
    const auto below = [&](size_t count) { return static_cast<size_t>(engine()) % count; };
    std::string text = "graph {\n  input v0: float32[3, 5]\n  input v1: float32[3, 1]\n";
    std::vector<size_t> wide{0}, narrow{1};
    const auto any = [&](const std::vector<size_t>& values) {
      return values[below(values.size())];
    };
    constexpr size_t values = 24;
    for (size_t made = 2; made < values; ++made) {
      const bool is_wide = below(2) == 0;
      const char* type = is_wide ? "float32[3, 5]" : "float32[3, 1]";
      if (!is_wide && below(2) == 0) {
        text += fmt::format("  v{}: {} = mean(input: v{}, axis: 1, keepdim: True)\n", made, type,
                            any(wide));
      } else {
        text += fmt::format("  v{}: {} = maximum(left: v{}, right: v{})\n", made, type,
                            any(is_wide ? wide : narrow),
                            any(below(2) == 0 && is_wide ? wide : narrow));
      }
      (is_wide ? wide : narrow).push_back(made);
    }
    for (size_t made = 2; made < values; ++made)
      text += fmt::format("  output v{0} = v{0}\n", made);
    text += "}\n";
    CAPTURE(text);
    CHECK(differing_output(text, {random({3, 5}, seed), random({3, 1}, seed + 1000)}) == "");
  }
}

TEST_CASE("elementwise programs give the same bits on any number of threads") {
  const std::string text =
      "graph {\n"
      "  input x: float32[200, 1003]\n"
      "  input b: float32[1003]\n"
      "  a: float32[200, 1003] = add(left: x, right: b)\n"
      "  g: float32[200, 1003] = gelu(input: a)\n"
      "  y: float32[200, 1003] = multiply(left: g, right: x)\n"
      "  output y = y\n"
      "}\n";
  const std::vector<Tensor> inputs{random({200, 1003}, 8), random({1003}, 9)};
  const Graph graph = parse_graph(text);
  const Tensor one = cpu({.threads = 1})->load(graph, {})->run(inputs).front();
  for (const int threads : {2, 3, 7}) {
    CHECK(identical(cpu({.threads = threads})->load(graph, {})->run(inputs).front(), one));
  }
  CHECK(differing_output(text, inputs) == "");
}

}  // namespace mithril::tests
