// The memory of this machine, as Linux tells it.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>

#include "mithril/backend/memory.hpp"

namespace mithril {
namespace {

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end != text.data() ? std::optional(number) : std::nullopt;
}

std::optional<int64_t> available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string label, number;
  for (std::string unit; file >> label >> number && std::getline(file, unit);) {
    if (label != "MemAvailable:") continue;
    const auto kilobytes = whole_number(number);
    return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
  }
  return std::nullopt;
}

// A number of the control group; nothing if there is none ("max").
std::optional<int64_t> cgroup_number(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  return whole_number(text);
}

}  // namespace

HostMemory host_memory(const std::string& cgroup) {
  const int64_t total = int64_t{sysconf(_SC_PAGE_SIZE)} * int64_t{sysconf(_SC_PHYS_PAGES)};
  const std::optional<int64_t> free = available_memory();
  const auto limit = cgroup_number(cgroup + "/memory.max");
  const auto used = cgroup_number(cgroup + "/memory.current");
  if (!limit || !used || *limit >= total) return {total, free};
  return {limit, std::min(free.value_or(*limit), *limit - *used)};
}

}  // namespace mithril
