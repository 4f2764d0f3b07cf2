// Random cases, on each set of instructions, against the reference.
#include "tests/cpu/random_sizes.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "backends/cpu/cpu.hpp"
#include "mithril/eval/interpreter.hpp"
#include "tests/cpu/settings.hpp"
#include "tests/environment.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

RandomCase drawn_case(Draw& draw) {
  const int64_t kind = draw.between(0, 19);
  if (kind < 10) return random_convolution(draw);
  if (kind < 13) return random_pool(draw);
  if (kind < 17) return random_product(draw);
  return random_rows(draw);
}

CpuOptions drawn_options(Draw& draw) {
  CpuOptions options{.threads = static_cast<int>(draw.between(1, 3)), .winograd = draw.chance(0.7)};
  // Exact for the integers that weights are.
  if (draw.chance(0.2)) options.weight_dtype = draw.of({DType::float16, DType::bfloat16});
  return options;
}

// The first wrong output; empty if all are right.
std::string first_wrong(std::uint64_t seed) {
  Draw draw(seed);
  const RandomCase drawn = drawn_case(draw);
  const std::vector<Tensor> expected = interpret(drawn.graph, drawn.inputs);
  for (const cpu_backend::Instructions instructions : cpu_backend::present_instructions()) {
    const InstructionsLimit limit(instructions);
    const CpuOptions options = drawn_options(draw);
    const auto executable = cpu(options)->load(drawn.graph, {.fuse = draw.chance(0.8)});
    const std::vector<Tensor> made = executable->run(drawn.inputs);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::string wrong = difference(made[i], expected[i], drawn.allowed);
      if (wrong.empty()) continue;
      return fmt::format("MITHRIL_RANDOM_SEED={} MITHRIL_RANDOM_CASES=1: {} on {}, {}\n{}", seed,
                         drawn.graph.outputs()[i].name, name(instructions), wrong,
                         to_string(drawn.graph));
    }
  }
  return {};
}

}  // namespace

// MITHRIL_RANDOM_CASES sets the number of cases, MITHRIL_RANDOM_SEED their first seed.
TEST_CASE("kernels are right for sizes around those of vectors, panels and blocks") {
  const std::uint64_t first = number_from("MITHRIL_RANDOM_SEED", 1);
  const std::uint64_t cases = number_from("MITHRIL_RANDOM_CASES", sampled(700, 2000));
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::string wrong = first_wrong(first + i);
    CHECK_MESSAGE(wrong.empty(), wrong);
  }
}

}  // namespace mithril::tests
