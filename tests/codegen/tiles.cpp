// GEMMs, convolutions and attention in generated C++, with random sizes around those of vectors and
// tiles, for each vector width of the compilers and this processor.
#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "mithril/op/registry.hpp"
#include "tests/codegen/check_models.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/row_graph.hpp"

namespace mithril::tests {
namespace {

// A size around vectors of 4, 8 and 16 elements and tiles of 4, 6 and 12 rows.
int64_t size_around_tiles(Random& random) {
  constexpr int64_t sizes[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  11, 12,
                               13, 15, 16, 17, 23, 25, 31, 32, 33, 63, 65};
  return sizes[random() % std::size(sizes)];
}

OpCase random_linear(Random& random) {
  const int64_t rows = size_around_tiles(random), inputs = size_around_tiles(random),
                outputs = size_around_tiles(random);
  OpCase row{.inputs = {{"input", normal({rows, inputs})}, {"weight", normal({outputs, inputs})}}};
  if (random() % 2 == 0) row.inputs.emplace_back("bias", normal({outputs}));
  return row;
}

OpCase random_matmul(Random& random) {
  const int64_t rows = size_around_tiles(random), inner = size_around_tiles(random),
                columns = size_around_tiles(random);
  const bool batch = random() % 2 == 0, shared = random() % 2 == 0;
  const Dims left = batch ? Dims{2, rows, inner} : Dims{rows, inner};
  const Dims right = batch && !shared ? Dims{2, inner, columns} : Dims{inner, columns};
  return {.inputs = {{"left", normal(left)}, {"right", normal(right)}}};
}

OpCase random_convolution(Random& random) {
  const auto from_1 = [&](uint64_t most) { return 1 + static_cast<int64_t>(random() % most); };
  const int64_t groups = random() % 3 != 0 ? 1 : from_1(3);
  const int64_t channels = groups * from_1(4), filters = groups * from_1(14);
  const int64_t rows = from_1(3), columns = from_1(3);  // of the kernel
  const int64_t down = from_1(2), across = from_1(2);   // dilation
  const int64_t height = from_1(5) + (rows - 1) * down;
  const int64_t width = std::max<int64_t>(1, size_around_tiles(random)) + (columns - 1) * across;
  return {.inputs = {{"input", normal({from_1(2), channels, height, width})},
                     {"weight", normal({filters, channels / groups, rows, columns})},
                     {"bias", normal({filters})},
                     {"stride", ints({from_1(2), from_1(3)})},
                     {"padding", ints({from_1(3) - 1, from_1(3) - 1})},
                     {"dilation", ints({down, across})},
                     {"groups", groups}}};
}

OpCase random_attention(Random& random) {
  const int64_t rows = size_around_tiles(random), keys = size_around_tiles(random),
                width = size_around_tiles(random), values = size_around_tiles(random);
  OpCase row{.inputs = {{"query", normal({2, rows, width})},
                        {"key", normal({2, keys, width})},
                        {"value", normal({2, keys, values})}}};
  if (random() % 2 == 0) {
    row.inputs.emplace_back("is_causal", false);
    if (random() % 2 == 0) row.inputs.emplace_back("attn_mask", normal({rows, keys}));
  }
  return row;
}

void add(ModelChecks& checks, const std::string& op, const OpCase& row, uint64_t seed) {
  const DType floats = seed % 4 ? DType::float32 : DType::float64;
  const RowGraph built = build(find_op(op), row, Knowledge::numbers, floats);
  std::vector<std::string> names;
  for (const ValueId id : built.graph.inputs()) names.push_back(built.graph.value(id).name);
  checks.add(op + " of seed " + std::to_string(seed), built.graph, generate(built.tensors, seed),
             names);
}

// The flag for the widest vectors of this processor. Unlike -march=native, it has one meaning on
// all machines, so a cache of compiled files may be used.
std::string widest_vectors() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd"))
    return " -march=x86-64-v4";
  return __builtin_cpu_supports("avx2") ? " -march=x86-64-v3" : "";
#else
  return "";
#endif
}

ModelChecks checks_of_seeds(uint64_t last) {
  ModelChecks checks;
  for (uint64_t seed = 1; seed <= last; ++seed) {
    Random random(seed);
    add(checks, "linear", random_linear(random), seed);
    add(checks, "matmul", random_matmul(random), seed);
    add(checks, "conv2d", random_convolution(random), seed);
    add(checks, "scaled_dot_product", random_attention(random), seed);
  }
  return checks;
}

}  // namespace

TEST_CASE("generated C++ is right for some sizes around the tile sizes") {
  checks_of_seeds(2).run({.most_compilers = 1, .flags = "-O1" + widest_vectors()});
}

TEST_CASE("generated C++ is right for sizes around the tile sizes" * doctest::test_suite("slow")) {
  ModelChecks checks = checks_of_seeds(16);
  checks.run({.flags = "-O1 -march=native"});
  checks.run({.most_compilers = 1, .flags = "-O0"});
  checks.run({.most_compilers = 1, .flags = "-O1 -DPLAIN_ARRAYS"});
}

}  // namespace mithril::tests
