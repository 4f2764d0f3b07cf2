#include "mithril/training/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ostream>
#include <utility>

namespace mithril {
namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ProgressBar::ProgressBar(ProgressBarOptions options)
    : options_(std::move(options)), began_(steady_seconds()), next_draw_(began_) {}

double ProgressBar::seconds() const { return steady_seconds() - began_; }

void ProgressBar::advance(std::int64_t count, const Numbers& numbers) {
  count_ += count;
  if (!options_.stream) return;
  numbers_ = numbers;
  if (steady_seconds() >= next_draw_) draw();
}

void ProgressBar::draw() {
  constexpr std::size_t width = 20;
  std::string text = options_.label.empty() ? "" : options_.label + ": ", left;
  if (options_.total > 0) {
    const double done =
        std::min(1.0, static_cast<double>(count_) / static_cast<double>(options_.total));
    const auto full = static_cast<std::size_t>(done * width);
    text += fmt::format("{:3.0f}% [{:<20}] ", 100 * done, std::string(full, '='));
    if (count_ > 0) left = fmt::format(", {:.0f} s left", seconds() * (1 - done) / done);
  }
  for (const auto& [name, number] : numbers_) text += fmt::format("{} {:.4g}, ", name, number);
  text += fmt::format("{:.4g} {}/s{}", rate(), options_.unit, left);
  const std::size_t length = text.size();
  if (length < drawn_) text.append(drawn_ - length, ' ');
  drawn_ = length;
  *options_.stream << '\r' << text << std::flush;
  next_draw_ = steady_seconds() + 0.1;
}

void ProgressBar::close() {
  if (!options_.stream) return;
  if (options_.leave) draw();
  *options_.stream << (options_.leave ? "\n" : '\r' + std::string(drawn_, ' ') + '\r')
                   << std::flush;
  options_.stream = nullptr;
}

}  // namespace mithril
