#include "mithril/compile/progress.hpp"

#include <fmt/format.h>

#include <ostream>

namespace mithril {

Progress::Progress(const FitOptions& options, std::int64_t epoch, std::int64_t total)
    : options_(options),
      label_(fmt::format("epoch {}/{}: ", epoch + 1, options.epochs)),
      epochs_left_(options.epochs - epoch - 1),
      total_(total) {}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - began_).count();
}

double Progress::rate() const { return static_cast<double>(count_) / seconds(); }

void Progress::advance(std::int64_t count, double loss, double lr) {
  count_ += count;
  if (options_.progress && Clock::now() >= next_draw_) draw(loss, lr);
}

void Progress::draw(double loss, double lr) {
  constexpr std::size_t width = 20;
  std::string text = label_, left;
  if (total_ > 0) {
    const double done = static_cast<double>(count_) / static_cast<double>(total_);
    const auto full = static_cast<std::size_t>(done * width);
    text += fmt::format("{:3.0f}% [{:<20}] ", 100 * done, std::string(full, '='));
    left = fmt::format(", {:.0f} s left", seconds() * (1 - done) / done);
  }
  text += fmt::format("loss {:.4g}, lr {:.4g}, {:.4g} {}/s{}", loss, lr, rate(),
                      options_.tokens.empty() ? "samples" : "tokens", left);
  const std::size_t length = text.size();
  if (length < drawn_) text.append(drawn_ - length, ' ');
  drawn_ = length;
  *options_.progress << '\r' << text << std::flush;
  next_draw_ = Clock::now() + std::chrono::milliseconds(100);
}

void Progress::finish(const EpochNumbers& numbers) {
  if (!options_.progress) return;
  *options_.progress << '\r' << std::string(drawn_, ' ') << '\r' << label_;
  for (const auto& [name, number] : numbers)
    *options_.progress << fmt::format("{} {:.4g}, ", name, number);
  const double left = seconds() * static_cast<double>(epochs_left_);
  *options_.progress << fmt::format("{:.0f} s left", left) << std::endl;
}

}  // namespace mithril
