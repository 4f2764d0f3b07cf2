#include "mithril/training/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

namespace mithril {

ProgressBar::ProgressBar(ProgressBarOptions options) : options_(std::move(options)) {}

double ProgressBar::seconds() const {
  return std::chrono::duration<double>(Clock::now() - began_).count();
}

void ProgressBar::advance(std::int64_t count, const Numbers& numbers) {
  count_ += count;
  if (!options_.stream) return;
  numbers_ = numbers;
  if (Clock::now() >= next_draw_) draw();
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
  next_draw_ = Clock::now() + std::chrono::milliseconds(100);
}

void ProgressBar::close() {
  if (!options_.stream) return;
  if (options_.leave) draw();
  *options_.stream << (options_.leave ? "\n" : '\r' + std::string(drawn_, ' ') + '\r')
                   << std::flush;
  options_.stream = nullptr;
}

}  // namespace mithril
