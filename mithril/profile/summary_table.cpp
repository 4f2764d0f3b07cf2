// The table of a profile.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/profile/profile.hpp"

namespace mithril {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t widest_name = 48;

// The start of a long name: fused optimizers have dozens of ops.
std::string shortened(const std::string& name) {
  const std::string text = printable(name);
  if (text.size() <= widest_name) return text;
  const auto ops = 1 + std::count(text.begin(), text.end(), ',');
  const std::size_t end = text.rfind(", ", widest_name - 12);
  if (ops < 4 || end == text.npos) return "..." + text.substr(text.size() - widest_name + 3);
  const auto left = std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), ',');
  return text.substr(0, end) + fmt::format(", {} more", left);
}

std::string milliseconds(double seconds) { return fmt::format("{:.4g}", seconds * 1e3); }
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// "12.3 G": a rate with three digits.
std::string rate(double number) {
  constexpr std::array<const char*, 5> prefixes = {"", " k", " M", " G", " T"};
  std::size_t prefix = 0;
  while (number >= 1000 && prefix + 1 < prefixes.size()) number /= 1000, ++prefix;
  return fmt::format("{:.3g}{}", number, prefixes[prefix]);
}

// Of operations and bytes the one of which the row reaches more.
double share_of_peak(const ProfileRow& row, const MachinePeak& peak) {
  return std::max(static_cast<double>(row.operations) / peak.operations,
                  static_cast<double>(row.bytes) / peak.bytes) /
         row.seconds;
}

Cells header(const ProfileSummaryOptions& options) {
  constexpr std::array<const char*, 5> names = {"ops", "path", "kernel", "layer", "phase"};
  Cells cells = {
      names[static_cast<std::size_t>(options.by)], "calls", "time ms", "share", "op/s", "B/s"};
  if (options.peak) cells.emplace_back("of peak");
  cells.emplace_back("threads");
  return cells;
}

Cells cells_of(const ProfileRow& row, double whole, const ProfileSummaryOptions& options) {
  const auto per_second = [&](std::int64_t count) {
    return count > 0 && row.seconds > 0 ? rate(static_cast<double>(count) / row.seconds) : "-";
  };
  Cells cells = {shortened(row.name),        std::to_string(row.calls),
                 milliseconds(row.seconds),  percent(row.seconds / whole),
                 per_second(row.operations), per_second(row.bytes)};
  if (options.peak) {
    const bool is_known = row.on_cpu && row.bytes > 0 && row.seconds > 0;
    cells.push_back(is_known ? percent(share_of_peak(row, *options.peak)) : "-");
  }
  cells.push_back(row.threads > 0 ? std::to_string(row.threads) : "-");
  return cells;
}

Cells cells_of(const std::string& name, std::int64_t calls, double seconds, double whole) {
  return {name, calls > 0 ? std::to_string(calls) : "", milliseconds(seconds),
          percent(seconds / whole)};
}

std::string table(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], text_width(row[i]));
  }
  std::string text;
  for (const Cells& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string pad(widths[i] - text_width(row[i]), ' ');
      line += i == 0 ? row[i] + pad : "  " + pad + row[i];
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

std::string Profile::summary(const ProfileSummaryOptions& options) const {
  const double whole = std::max(seconds(), 1e-12);
  std::vector<Cells> cells = {header(options)};
  for (const ProfileRow& row : rows({.by = options.by, .depth = options.depth}))
    cells.push_back(cells_of(row, whole, options));
  for (const ProfileGap& gap : gaps())
    cells.push_back(cells_of(gap.name, gap.calls, gap.seconds, whole));
  cells.push_back(cells_of("total", 0, seconds(), whole));
  std::string text = table(cells);
  if (options.peak) {
    text += fmt::format(
        "\npeak of this machine: {}op/s in a product of float32 matrices, {}B/s in a copy\n",
        rate(options.peak->operations), rate(options.peak->bytes));
  }
  return text;
}

}  // namespace mithril
