// Sizes of memory as text.
#include "mithril/backend/memory.hpp"

#include <charconv>
#include <cmath>

#include "mithril/base/error.hpp"

namespace mithril {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

constexpr Unit units[] = {
    {"", 1},      {"B", 1},        {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},
    {"TB", 1e12}, {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
};

std::optional<double> bytes_of_text(const std::string& text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc()) return std::nullopt;
  std::string_view unit(rest, static_cast<size_t>(end - rest));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  for (const Unit& known : units) {
    if (known.name == unit) return number * known.bytes;
  }
  return std::nullopt;
}

std::optional<double> bytes_of(const Datum& size) {
  if (size.kind() & kind::string) return bytes_of_text(size.text());
  if (size.kind() & (kind::int_value | kind::float_value)) return size.real();
  return std::nullopt;
}

}  // namespace

int64_t read_bytes(const Datum& size, std::string_view option) {
  const std::optional<double> bytes = bytes_of(size);
  // Doubles below 2^63 are exact; at least one byte.
  if (bytes && *bytes >= 1 && *bytes < 0x1p63) return static_cast<int64_t>(std::floor(*bytes));
  raise({.kind = ErrorKind::value,
         .code = "E0430",
         .message = std::string(option) + " is " + to_string(size) + ", expected a size of memory",
         .help = "give a number of bytes, or a number with kB, MB, GB, TB, KiB, MiB, GiB or TiB"});
}

}  // namespace mithril
