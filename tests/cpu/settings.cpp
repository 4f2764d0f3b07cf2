#include "tests/cpu/settings.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "backends/cpu/cpu.hpp"

namespace mithril::tests {
namespace {

using cpu_backend::Instructions;

constexpr CpuSetting all_settings[] = {
    {Instructions::portable, true, 1, true}, {Instructions::portable, false, 2, false},
    {Instructions::avx2, true, 2, false},    {Instructions::avx2, false, 1, true},
    {Instructions::avx512, true, 2, true},   {Instructions::avx512, false, 1, false},
    {Instructions::amx, true, 1, true},      {Instructions::amx, false, 2, false}};

}  // namespace

std::string description(const CpuSetting& setting) {
  return fmt::format("{}, {}, {} threads, {}", cpu_backend::name(setting.instructions),
                     setting.fuse ? "fused" : "one by one", setting.threads,
                     setting.native ? "native" : "interpreted");
}

const std::vector<CpuSetting>& cpu_settings() {
  static const std::vector<CpuSetting> settings = [] {
    const auto& present = cpu_backend::present_instructions();
    std::vector<CpuSetting> found;
    for (const CpuSetting& setting : all_settings) {
      if (std::find(present.begin(), present.end(), setting.instructions) != present.end())
        found.push_back(setting);
    }
    return found;
  }();
  return settings;
}

std::unique_ptr<Executable> load_with(const CpuSetting& setting, const Graph& graph) {
  const InstructionsLimit limit(setting.instructions);
  return cpu({.threads = setting.threads})
      ->load(graph, {.max = setting.native, .fuse = setting.fuse});
}

TEST_CASE("the settings of the CPU backend cover each pair of options") {
  std::set<std::string> met;
  for (const CpuSetting& setting : all_settings) {
    const int ways[] = {static_cast<int>(setting.instructions), setting.fuse, setting.threads,
                        setting.native};
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < i; ++j) met.insert(fmt::format("{}{} {}{}", i, ways[i], j, ways[j]));
    }
  }
  CHECK(met.size() == 4 * 3 * 2 + 3 * 2 * 2);
}

}  // namespace mithril::tests
