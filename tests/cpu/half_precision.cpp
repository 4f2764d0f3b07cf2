// 16-bit elements on the CPU backend: conversions compared bit by bit with float16.hpp, and GEMMs
// with a 16-bit B, for each instruction set.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "backends/cpu/cpu.hpp"
#include "backends/cpu/executable.hpp"
#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/gemm/packing.hpp"
#include "backends/cpu/kernels/bfloat16_kernels.hpp"
#include "backends/cpu/kernels/half_kernels.hpp"
#include "mithril/eval/interpreter.hpp"
#include "mithril/graph/graph.hpp"
#include "tests/cpu/differing_output.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/skip.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

using namespace cpu_backend;

float widened(DType dtype, uint16_t bits) {
  return dtype == DType::bfloat16 ? float(bfloat16::from_bits(bits))
                                  : float(float16::from_bits(bits));
}
uint16_t narrowed(DType dtype, float x) {
  return dtype == DType::bfloat16 ? bfloat16(x).bits : float16(x).bits;
}

template <typename Check>
void on_each(Check check) {
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    for (const Instructions instructions : present_instructions()) {
      CAPTURE(name(dtype));
      CAPTURE(name(instructions));
      check(dtype, instructions);
    }
  }
}

// Numbers of all sizes, numbers half way between two neighbours, infinities, NaN and zeros.
std::vector<float> floats_of_all_kinds() {
  std::vector<float> all;
  for (uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const uint32_t lower : {0x0000u, 0x0001u, 0x1000u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
      all.push_back(std::bit_cast<float>(upper << 16 | lower));
    }
  }
  return all;
}

struct StoredProduct {
  int64_t rows, columns, depth;
  std::vector<float> left, right, bias;

  StoredProduct(int64_t m, int64_t n, int64_t k)
      : rows(m),
        columns(n),
        depth(k),
        left(filled(m * k, 1)),
        right(filled(k * n, 2)),
        bias(filled(n, 3)) {}

  static std::vector<float> filled(int64_t count, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<float> numbers(static_cast<size_t>(count));
    for (float& number : numbers) number = std::uniform_real_distribution<float>(-1, 1)(random);
    return numbers;
  }

  std::vector<float> product(DType stored, Instructions instructions, bool transposed,
                             int threads) const {
    const HalfWeightKernels& kernels = half_weight_kernels(stored, instructions);
    std::vector<float> made(static_cast<size_t>(rows * columns), std::nanf(""));
    Gemm<float> product{.kernels = &kernels.gemm,
                        .m = rows,
                        .n = columns,
                        .k = depth,
                        .a = {left.data(), depth, 1},
                        .b = {right.data(), transposed ? 1 : columns, transposed ? depth : 1},
                        .bias = bias.data(),
                        .c = made.data()};
    const GemmPlan plan(product);
    std::vector<uint16_t> panels(static_cast<size_t>(plan.packed_count()));
    pack_half_weights(product, kernels, panels.data());
    product.packed_b = reinterpret_cast<const float*>(panels.data());
    for (int task = 0; task < plan.tasks(threads); ++task) {
      multiply(product, plan, plan.block(task, threads));
    }
    return made;
  }

  // The first element that differs from sums in double precision with B rounded; empty if all are
  // right.
  std::string first_wrong(DType stored, bool transposed, const std::vector<float>& made) const {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        double sum = bias[static_cast<size_t>(j)], size = std::abs(sum);
        for (int64_t k = 0; k < depth; ++k) {
          const float b = right[static_cast<size_t>(transposed ? j * depth + k : k * columns + j)];
          const double part = double{left[static_cast<size_t>(i * depth + k)]} *
                              widened(stored, narrowed(stored, b));
          sum += part;
          size += std::abs(part);
        }
        const double got = made[static_cast<size_t>(i * columns + j)];
        if (!(std::abs(got - sum) <= 5e-7 * std::sqrt(static_cast<double>(depth) + 1) * size)) {
          return fmt::format("[{}, {}] is {}, expected {}", i, j, got, sum);
        }
      }
    }
    return {};
  }
};

Graph linear_of_constant(const char* dtype) {
  std::vector<double> numbers(40 * 33);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<double>(i * 37 % 1001) / 1001;
  return parse_graph(fmt::format(
      "graph {{\n  input x: float32[2, 3, 33]\n"
      "  constant w: {}[40, 33] = {{{}}}\n"
      "  y: float32[2, 3, 40] = linear(input: x, weight: w, bias: None)\n  output y = y\n}}\n",
      dtype, fmt::join(numbers, ", ")));
}

// Compares with the reference, with and without bfloat16 instructions. Returns an empty text if
// both are within the rounding error.
std::string apart_in_16_bits(const std::string& text, const std::vector<Tensor>& inputs,
                             double allowed) {
  const Graph graph = parse_graph(text);
  const std::vector<Tensor> expected = interpret(graph, inputs);
  for (const bool with : {false, true}) {
    for (const int threads : {1, 3}) {
      const auto planned = make_executable(graph, {.threads = threads, .bfloat16_products = with});
      const std::vector<Tensor> got = planned->run(inputs);
      for (size_t i = 0; i < expected.size(); ++i) {
        const std::string wrong = difference(got[i], expected[i], allowed);
        if (!wrong.empty()) return fmt::format("{}, {}: {}", with, threads, wrong);
      }
    }
  }
  return {};
}

Tensor random_bfloat16(const Dims& dims, uint64_t seed) {
  return random(dims, seed).to(DType::bfloat16);
}

}  // namespace

TEST_CASE("elements of 16 bits are widened exactly") {
  std::vector<uint16_t> halves(0x10000 + 5);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  on_each([&](DType dtype, Instructions instructions) {
    std::vector<float> made(halves.size());
    half_kernels(dtype, instructions).widen(halves.data(), made.data(), std::ssize(made));
    size_t wrong = 0;
    for (size_t i = 0; i < made.size(); ++i) {
      const float expected = widened(dtype, halves[i]);
      const bool same = std::isnan(expected) ? std::isnan(made[i]) : made[i] == expected;
      wrong += !same || std::signbit(made[i]) != std::signbit(expected);
    }
    CHECK(wrong == 0);
  });
}

TEST_CASE("floats are rounded to 16 bits to nearest, ties to even") {
  const std::vector<float> floats = floats_of_all_kinds();
  on_each([&](DType dtype, Instructions instructions) {
    std::vector<uint16_t> made(floats.size());
    half_kernels(dtype, instructions).narrow(floats.data(), made.data(), std::ssize(made));
    size_t wrong = 0;
    for (size_t i = 0; i < made.size(); ++i) wrong += made[i] != narrowed(dtype, floats[i]);
    CHECK(wrong == 0);
  });
}

TEST_CASE("GEMMs with a 16-bit B have the same bits on any number of threads") {
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 33, 5},
                                {1, 700, 513},
                                {1, 700, 1030},
                                {2, 64, 33},
                                {15, 31, 1030},
                                {29, 230, 190},
                                {6, 2, 1},
                                {3, 32, 4}}) {
    const StoredProduct sample(m, n, k);
    on_each([&](DType dtype, Instructions instructions) {
      for (const bool transposed : {false, true}) {
        const std::vector<float> made = sample.product(dtype, instructions, transposed, 1);
        CHECK(sample.first_wrong(dtype, transposed, made) == "");
        CHECK(sample.product(dtype, instructions, transposed, 3) == made);
      }
    });
  }
}

TEST_CASE("bound weights have the dtype of weight_dtype") {
  const Tensor x = random({2, 3, 33}, 1);
  const Graph plain = linear_of_constant("float32");
  for (const DType dtype : {DType::bfloat16, DType::float16}) {
    const Graph rounded = linear_of_constant(std::string(name(dtype)).c_str());
    const Tensor expected = cpu({.reference = true})->load(rounded, {})->run({{x}}).front();
    const Tensor held = cpu({.weight_dtype = dtype})->load(plain, {})->run({{x}}).front();
    CHECK(difference(held, expected, 1e-5) == "");
    // A 16-bit input stays in 16 bits.
    const Tensor given = cpu()->load(rounded, {})->run({{x}}).front();
    CHECK(identical(given, held));
  }
}

TEST_CASE("bfloat16 GEMMs accumulate in float32 in every layout of A and B") {
  constexpr const char* text = R"(graph {{
  input a: bfloat16[{}]
  input b: bfloat16[{}]
  left: bfloat16[{}] = {}
  right: bfloat16[{}] = {}
  y: bfloat16[{}] = matmul(left: left, right: right)
  output y = y
}}
)";
  const auto swapped = [](const char* of) {
    return fmt::format("swapaxes(input: {}, axis1: -1, axis2: -2)", of);
  };
  const auto same = [](const char* of) { return fmt::format("stop_gradient(input: {})", of); };
  for (const auto& [m, n, k] : {std::array<int64_t, 3>{1, 33, 6},
                                {2, 40, 7},
                                {15, 31, 64},
                                {30, 70, 33},
                                {1, 1, 1},
                                {29, 32, 1030}}) {
    for (const bool left : {false, true}) {
      for (const bool right : {false, true}) {
        for (const std::string batch : {"", "2, "}) {
          const std::string mk = fmt::format("{}{}, {}", batch, m, k),
                            km = fmt::format("{}{}, {}", batch, k, m),
                            kn = fmt::format("{}{}, {}", batch, k, n),
                            nk = fmt::format("{}{}, {}", batch, n, k);
          const std::string graph = fmt::format(
              text, left ? km : mk, right ? nk : kn, mk, left ? swapped("a") : same("a"), kn,
              right ? swapped("b") : same("b"), fmt::format("{}{}, {}", batch, m, n));
          const auto dims = [&](int64_t rows, int64_t columns) {
            return batch.empty() ? Dims{rows, columns} : Dims{2, rows, columns};
          };
          CAPTURE(graph);
          CHECK(apart_in_16_bits(graph,
                                 {random_bfloat16(left ? dims(k, m) : dims(m, k), 1),
                                  random_bfloat16(right ? dims(n, k) : dims(k, n), 2)},
                                 8e-3) == "");
        }
      }
    }
  }
}

TEST_CASE("bfloat16 instructions keep NaN and infinities") {
  if (!bfloat16_kernels()) {
    skip("the processor has no products of bfloat16");
    return;
  }
  const std::string text =
      "graph {\n  input x: bfloat16[3, 4]\n  input w: bfloat16[2, 4]\n"
      "  y: bfloat16[3, 2] = linear(input: x, weight: w, bias: None)\n  output y = y\n}\n";
  Tensor x = random({3, 4}, 1), w = random({2, 4}, 2);
  x.mutable_values<float>()[1] = std::nanf("");
  x.mutable_values<float>()[6] = HUGE_VALF;
  w.mutable_values<float>()[2] = 1;
  w.mutable_values<float>()[6] = -1;
  CHECK(apart_in_16_bits(text, {x.to(DType::bfloat16), w.to(DType::bfloat16)}, 8e-3) == "");
}

TEST_CASE("bfloat16 convolutions accumulate in float32 for any number of channels") {
  struct Size {
    int64_t images, channels, plane, outputs, kernel, stride, padding, groups;
  };
  for (const Size& s : {Size{1, 3, 12, 5, 3, 1, 1, 1},
                        {2, 4, 9, 17, 3, 2, 1, 1},
                        {1, 64, 7, 40, 1, 1, 0, 1},
                        {2, 3, 6, 4, 3, 1, 1, 2},
                        {1, 1, 20, 3, 5, 2, 2, 4},
                        {3, 34, 14, 30, 3, 1, 1, 1}}) {
    const int64_t made = (s.plane + 2 * s.padding - s.kernel) / s.stride + 1;
    for (const bool constant : {false, true}) {
      std::vector<double> numbers(
          static_cast<size_t>(s.groups * s.outputs * s.channels * s.kernel * s.kernel));
      for (size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = static_cast<double>(i * 37 % 65) - 32;
      const std::string dims = fmt::format("bfloat16[{}, {}, {}, {}]", s.groups * s.outputs,
                                           s.channels, s.kernel, s.kernel);
      const std::string weight =
          constant ? fmt::format("constant w: {} = {{{}}}", dims, fmt::join(numbers, ", "))
                   : "input w: " + dims;
      const std::string text = fmt::format(
          "graph {{\n  input x: bfloat16[{0}, {1}, {2}, {2}]\n  {3}\n  input b: bfloat16[{4}]\n"
          "  h: bfloat16[{0}, {4}, {5}, {5}] = conv2d(input: x, weight: w, bias: b, stride: {6}, "
          "padding: {7}, dilation: 1, groups: {8})\n"
          "  y: bfloat16[{0}, {4}, {5}, {5}] = relu(input: h)\n  output y = y\n}}\n",
          s.images, s.groups * s.channels, s.plane, weight, s.groups * s.outputs, made, s.stride,
          s.padding, s.groups);
      std::vector<Tensor> inputs{
          random_bfloat16({s.images, s.groups * s.channels, s.plane, s.plane}, 1)};
      if (!constant) {
        inputs.push_back(
            random_bfloat16({s.groups * s.outputs, s.channels, s.kernel, s.kernel}, 2));
      }
      inputs.push_back(random_bfloat16({s.groups * s.outputs}, 3));
      CAPTURE(text.substr(0, 100));
      for (const Instructions most : {Instructions::avx512, Instructions::amx}) {
        const InstructionsLimit limit(most);
        CAPTURE(name(most));
        CHECK(apart_in_16_bits(text, inputs, 1e-2) == "");
      }
    }
  }
}

TEST_CASE("half precision matches the reference up to rounding") {
  const std::string text = R"(graph {
  input x: bfloat16[4, 6, 32]
  input w: bfloat16[48, 32]
  input b: bfloat16[48]
  h: bfloat16[4, 6, 48] = linear(input: x, weight: w, bias: b)
  g: bfloat16[4, 6, 48] = gelu(input: h, approximate: False)
  s: bfloat16[4, 6, 48] = softmax(input: g, axis: -1)
  t: bfloat16[4, 48, 6] = swapaxes(input: s, axis1: -1, axis2: -2)
  m: bfloat16[4, 1, 6] = sum(input: t, axis: 1, keepdim: True)
  d: float32[4, 6, 48] = cast(input: g, dtype: float32)
  output s = s
  output m = m
  output d = d
}
)";
  const std::vector<Tensor> inputs{random_bfloat16({4, 6, 32}, 1), random_bfloat16({48, 32}, 2),
                                   random_bfloat16({48}, 3)};
  CHECK(apart_in_16_bits(text, inputs, 4e-2) == "");
}

TEST_CASE("elementwise programs keep float32 between half-precision nodes") {
  const Graph graph = parse_graph(R"(graph {
  input x: bfloat16[5]
  a: bfloat16[5] = add(left: x, right: 1.0)
  y: bfloat16[5] = subtract(left: a, right: 1.0)
  output y = y
}
)");
  const Tensor small = Tensor::full(DType::bfloat16, {5}, 0x1p-9);
  CHECK(cpu({.reference = true})->load(graph, {})->run({{small}}).front().at_as_double(0) == 0);
  CHECK(identical(cpu()->load(graph, {})->run({{small}}).front(), small));
}

TEST_CASE("a cast to half precision rounds even inside an elementwise program") {
  const std::string text = R"(graph {
  input x: float32[100]
  h: float32[100] = multiply(left: x, right: 3.0)
  a: bfloat16[100] = cast(input: h, dtype: bfloat16)
  b: float32[100] = cast(input: a, dtype: float32)
  y: float32[100] = subtract(left: h, right: b)
  output y = y
}
)";
  CHECK(differing_output(text, {random({100}, 1)}, 1, 0) == "");
}

TEST_CASE("casts between half precision and other dtypes round once") {
  for (const char* half : {"bfloat16", "float16"}) {
    for (const char* other :
         {"float64", "float32", "int64", "int32", "bool", "bfloat16", "float16"}) {
      const std::string text = fmt::format(
          "graph {{\n  input x: float64[64]\n  a: {1}[64] = cast(input: x, dtype: {1})\n"
          "  b: {0}[64] = cast(input: a, dtype: {0})\n  c: {1}[64] = cast(input: b, dtype: {1})\n"
          "  output b = b\n  output c = c\n}}\n",
          half, other);
      CAPTURE(text);
      Tensor x = random({64}, 1).to(DType::float64);
      for (double& number : x.mutable_values<double>()) number *= 1000;
      CHECK(differing_output(text, {x}, 1, 0) == "");
    }
  }
}

TEST_CASE("gather copies half-precision rows unchanged") {
  const std::string text =
      "graph {\n  input x: float16[2, 5, 3]\n  input i: int64[2, 2]\n"
      "  y: float16[2, 2, 2, 3] = gather(input: x, index: i, axis: 1)\n  output y = y\n}\n";
  Tensor at(DType::int64, {2, 2});
  int64_t next = -5;
  for (int64_t& index : at.mutable_values<int64_t>()) index = next += 2;
  CHECK(differing_output(text, {random({2, 5, 3}, 1).to(DType::float16), at}, 1, 0) == "");
}

}  // namespace mithril::tests
