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

// The number in the line "label number ..." of a file.
std::optional<int64_t> labelled_number(const std::string& path, std::string_view wanted) {
  std::ifstream file(path);
  std::string label, number;
  for (std::string rest; file >> label >> number && std::getline(file, rest);) {
    if (label == wanted) return whole_number(number);
  }
  return std::nullopt;
}

std::optional<int64_t> available_memory() {
  const auto kilobytes = labelled_number("/proc/meminfo", "MemAvailable:");
  return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
}

// The files of a control group that tell its memory.
struct CgroupFiles {
  const char *limit, *used, *stat, *inactive;
};
constexpr CgroupFiles version_2{"/memory.max", "/memory.current", "/memory.stat", "inactive_file"};
constexpr CgroupFiles version_1{"/memory/memory.limit_in_bytes", "/memory/memory.usage_in_bytes",
                                "/memory/memory.stat", "total_inactive_file"};

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
  for (const CgroupFiles& files : {version_2, version_1}) {
    const auto limit = cgroup_number(cgroup + files.limit);
    const auto used = cgroup_number(cgroup + files.used);
    if (!limit || !used || *limit >= total) continue;
    // The kernel drops cached files that nobody used lately if memory is short, as in MemAvailable.
    const int64_t droppable = labelled_number(cgroup + files.stat, files.inactive).value_or(0);
    const int64_t left = std::clamp<int64_t>(*limit - *used + droppable, 0, *limit);
    return {limit, std::min(free.value_or(*limit), left)};
  }
  return {total, free};
}

}  // namespace mithril
