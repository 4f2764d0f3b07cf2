#include "mithril/check/report.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <numeric>

namespace mithril::check {
namespace {

constexpr std::array<std::string_view, check_count> names{
    "evaluation",      "expectation", "symbols",   "unknown rank", "order",
    "formula",         "folding",     "precision", "gradient",     "symbolic gradient",
    "second gradient", "backend",     "refusal",   "completeness", "composition"};

}  // namespace

std::string_view name(Check check) { return names[static_cast<std::size_t>(check)]; }

void Report::enter(std::string where) { where_ = std::move(where); }

void Report::count(Check check, const std::string& what,
                   const std::function<std::string()>& complaint) {
  attempt(check, what, [&] {
    const std::string text = complaint();
    if (!text.empty()) return fail(check, what, text);
    ++passed_[static_cast<std::size_t>(check)];
  });
}

void Report::attempt(Check check, const std::string& what, const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    fail(check, what, error.what());
  }
}

void Report::fail(Check check, const std::string& what, const std::string& complaint) {
  ++failed_[static_cast<std::size_t>(check)];
  failures_.push_back(fmt::format("{}: {}: {}", where_, what, complaint));
  if (!quiet_) fmt::print(stderr, "{}\n", failures_.back());
}

std::size_t Report::passed() const {
  return std::accumulate(passed_.begin(), passed_.end(), std::size_t{0});
}
std::size_t Report::failed() const {
  return std::accumulate(failed_.begin(), failed_.end(), std::size_t{0});
}

std::string Report::totals() const {
  std::string text;
  for (std::size_t i = 0; i < check_count; ++i) {
    if (passed_[i] + failed_[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", names[i], passed_[i] + failed_[i]);
    if (failed_[i] > 0) text += fmt::format(" ({} failed)", failed_[i]);
  }
  return text;
}

}  // namespace mithril::check
