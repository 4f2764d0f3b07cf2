// GEMMs compared with direct sums: sizes around tiles and blocks, both layouts of A and B, each
// instruction set, any number of threads, both directions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "backends/cpu/gemm/gemm.hpp"
#include "backends/cpu/gemm/packing.hpp"
#include "tests/environment.hpp"

namespace mithril::cpu_backend {
namespace {

struct Sizes {
  int64_t rows, columns, depth;
};

template <typename T>
struct Sample {
  Sizes size;
  bool left_transposed, right_transposed, biased;
  std::vector<T> left, right, bias;

  Sample(Sizes sizes, int layout, uint32_t seed)
      : size(sizes),
        left_transposed(layout & 1),
        right_transposed(layout & 2),
        biased(layout & 4),
        left(filled(sizes.rows * sizes.depth, seed)),
        right(filled(sizes.depth * sizes.columns, seed + 1)),
        bias(filled(sizes.columns, seed + 2)) {}

  static std::vector<T> filled(int64_t count, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<T> numbers(static_cast<size_t>(count));
    for (T& number : numbers) number = std::uniform_real_distribution<T>(-1, 1)(random);
    return numbers;
  }

  Gemm<T> product(const GemmKernels<T>& kernels, T* into) const {
    return {
        .kernels = &kernels,
        .m = size.rows,
        .n = size.columns,
        .k = size.depth,
        .a = {left.data(), left_transposed ? 1 : size.depth, left_transposed ? size.rows : 1},
        .b = {right.data(), right_transposed ? 1 : size.columns, right_transposed ? size.depth : 1},
        .bias = biased ? bias.data() : nullptr,
        .c = into};
  }
};

template <typename T>
std::vector<T> multiplied(const Sample<T>& sample, Instructions instructions, int threads,
                          bool packed, Direction direction = Direction::forward) {
  const GemmKernels<T>& kernels = gemm_kernels<T>(instructions);
  // Unwritten elements become visible.
  std::vector<T> made(static_cast<size_t>(sample.size.rows * sample.size.columns), std::nan(""));
  Gemm<T> product = sample.product(kernels, made.data());
  product.direction = direction;
  const GemmPlan plan(product);
  std::vector<T> panels(static_cast<size_t>(plan.packed_count()));
  if (packed || plan.packs()) {
    pack_b(product, 0, plan.panels(), panels.data());
    product.packed_b = panels.data();
  }
  for (int task = 0; task < plan.tasks(threads); ++task) {
    multiply(product, plan, plan.block(task, threads));
  }
  return made;
}

// The sums of products of a sample in double precision, and those of their absolute values.
template <typename T>
class DirectSums {
 public:
  explicit DirectSums(const Sample<T>& sample) {
    const Gemm<T> p = sample.product(gemm_kernels<T>(), nullptr);
    columns_ = p.n;
    allowed_ = 4 * std::numeric_limits<T>::epsilon() * std::sqrt(p.k + 1.0);
    for (int64_t i = 0; i < p.m; ++i) {
      for (int64_t j = 0; j < p.n; ++j) {
        double sum = p.bias ? p.bias[j] : 0, size = std::abs(sum);
        for (int64_t k = 0; k < p.k; ++k) {
          const double part =
              static_cast<double>(p.a.data[i * p.a.row_step + k * p.a.column_step]) *
              p.b.data[k * p.b.row_step + j * p.b.column_step];
          sum += part;
          size += std::abs(part);
        }
        sums_.push_back(sum);
        sizes_.push_back(size);
      }
    }
  }

  // The first wrong element; empty if all are right.
  std::string first_wrong(const std::vector<T>& made) const {
    for (size_t i = 0; i < sums_.size(); ++i) {
      if (std::abs(made[i] - sums_[i]) <= allowed_ * sizes_[i]) continue;
      const auto at = static_cast<int64_t>(i);
      return fmt::format("[{}, {}] is {}, expected {}", at / columns_, at % columns_, made[i],
                         sums_[i]);
    }
    return {};
  }

 private:
  int64_t columns_;
  double allowed_;
  std::vector<double> sums_, sizes_;
};

template <typename T>
void check_all(Sizes sizes, int layout_step = 1) {
  for (int layout = 0; layout < 8; layout += layout_step) {
    const Sample<T> sample(sizes, layout, 7);
    const DirectSums<T> expected(sample);
    for (const Instructions instructions : present_instructions()) {
      for (const bool packed : {false, true}) {
        const std::vector<T> made = multiplied(sample, instructions, 1, packed);
        const std::string where =
            fmt::format("{} x {} x {}, layout {}, {}{}", sizes.rows, sizes.columns, sizes.depth,
                        layout, name(instructions), packed ? ", packed" : "");
        CHECK_MESSAGE(expected.first_wrong(made).empty(), where, ": ", expected.first_wrong(made));
        for (const int threads : {2, 3, 8}) {
          CHECK_MESSAGE(multiplied(sample, instructions, threads, packed) == made, where,
                        ": other bits with threads: ", threads);
        }
        CHECK_MESSAGE(multiplied(sample, instructions, 1, packed, Direction::backward) == made,
                      where, ": other bits backward");
      }
    }
  }
}

}  // namespace

TEST_CASE("GEMMs of sizes around the tile sizes match direct sums") {
  for (const int64_t rows : {1, 2, 3, 4, 6, 7, 13, 14, 15, 29}) {
    for (const int64_t columns : {1, 2, 15, 16, 17, 32, 33, 65}) {
      check_all<float>({rows, columns, 5});
      check_all<double>({rows, columns, 3});
    }
  }
}

TEST_CASE("GEMMs of depths around the block size match direct sums") {
  for (const int64_t depth : {0, 1, 31, 32, 33, 511, 512, 513, 1030}) {
    check_all<float>({5, 20, depth});
    check_all<double>({3, 9, depth});
    check_all<float>({1, 7, depth});
    check_all<float>({1, 130, depth});
  }
}

TEST_CASE("GEMMs that use several threads match direct sums") {
  // Of layouts of large products, all in `make test-all`.
  const int step = tests::all_cases() ? 1 : tests::sanitized ? 7 : 3;
  check_all<float>({64, 200, 170});
  check_all<float>({30, 1030, 2060}, step);
  check_all<double>({15, 1030, 530}, step);
  check_all<double>({28, 230, 190});
  check_all<float>({1, 700, 500});
  check_all<float>({64, 10, 256});
}

// 2 + 1e-30 rounds to 2, so that a bias of -2 gives 0. It would give 1e-30 if it were added first.
TEST_CASE("GEMMs add the bias last") {
  for (const Instructions instructions : present_instructions()) {
    for (const Sizes sizes : {Sizes{1, 7, 5}, {3, 20, 5}, {5, 33, 1030}, {1, 130, 513}}) {
      for (int layout = 4; layout < 8; ++layout) {
        Sample<float> sample(sizes, layout, 7);
        std::fill(sample.left.begin(), sample.left.end(), 1e-30f);
        const int64_t step = sample.left_transposed ? 1 : sizes.depth;
        for (int64_t i = 0; i < sizes.rows; ++i) sample.left[static_cast<size_t>(i * step)] = 2;
        std::fill(sample.right.begin(), sample.right.end(), 1.0f);
        std::fill(sample.bias.begin(), sample.bias.end(), -2.0f);
        for (const bool packed : {false, true}) {
          const std::vector<float> made = multiplied(sample, instructions, 1, packed);
          CHECK(std::count(made.begin(), made.end(), 0.0f) == sizes.rows * sizes.columns);
        }
      }
    }
  }
}

TEST_CASE("GEMMs without elements run") {
  check_all<float>({0, 3, 4});
  check_all<float>({3, 0, 4});
}

}  // namespace mithril::cpu_backend
