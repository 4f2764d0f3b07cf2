#include "backends/cpu/dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "mithril/base/error.hpp"

namespace mithril::cpu_backend {
namespace {

constexpr std::array<std::string_view, 15> passes = {"decompose_batch_norm",
                                                     "fold_padding",
                                                     "join_slice_gradients",
                                                     "narrow_integer_products",
                                                     "fuse_multiply_adds",
                                                     "legalize_half",
                                                     "layouts",
                                                     "fusion",
                                                     "schedule",
                                                     "lowering",
                                                     "epilogues",
                                                     "slices",
                                                     "rows",
                                                     "memory",
                                                     "instantiate"};

void add_name(std::set<std::string, std::less<>>& wanted, std::string_view name) {
  if (name == "all") {
    wanted.insert(passes.begin(), passes.end());
  } else if (std::find(passes.begin(), passes.end(), name) != passes.end()) {
    wanted.emplace(name);
  } else {
    raise({.kind = ErrorKind::value,
           .code = "E0436",
           .message =
               fmt::format("MITHRIL_DUMP lists '{}', which is not a pass of the CPU backend", name),
           .help = fmt::format("list some of {}, separated by commas, or all",
                               fmt::join(passes, ", "))});
  }
}

}  // namespace

DumpSink dump_from_environment() {
  const char* names = std::getenv("MITHRIL_DUMP");
  if (!names || !*names) return {};
  std::set<std::string, std::less<>> wanted;
  std::string_view rest = names;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    add_name(wanted, rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return [wanted](std::string_view pass, const std::string& text) {
    if (wanted.contains(pass)) fmt::print(stderr, "# mithril cpu, after {}:\n{}\n", pass, text);
  };
}

}  // namespace mithril::cpu_backend
