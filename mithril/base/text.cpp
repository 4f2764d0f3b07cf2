#include "mithril/base/text.hpp"

#include <fmt/format.h>

#include <array>

namespace mithril {

std::string memory_text(double bytes) {
  static constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, units[unit]);
}

}  // namespace mithril
