#include <fmt/format.h>

#include <charconv>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/cli/command.hpp"

namespace mithril::cli {

void Arguments::add(const std::string& name, std::vector<std::string> values) {
  values_[name] = std::move(values);
}

const std::string& Arguments::value(std::string_view name) const {
  const auto found = values_.find(name);
  MITHRIL_CHECK(found != values_.end() && !found->second.empty(), std::string(name));
  return found->second.back();
}

std::string Arguments::value_or(std::string_view name, std::string_view fallback) const {
  return has(name) ? value(name) : std::string(fallback);
}

std::vector<std::string> Arguments::values(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::optional<long> Arguments::number(std::string_view name, long least, long most) const {
  if (!has(name)) return std::nullopt;
  const std::string& text = value(name);
  long number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || number < least) {
    throw UsageError{fmt::format("{} is '{}', expected a whole number of at least {}", name,
                                 printable(text), least)};
  }
  if (number > most) {
    throw UsageError{
        fmt::format("{} is '{}', expected a whole number of at most {}", name, number, most)};
  }
  return number;
}

std::optional<double> Arguments::real(std::string_view name, double least, double most) const {
  if (!has(name)) return std::nullopt;
  const std::string& text = value(name);
  double number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || !(number >= least)) {
    throw UsageError{
        fmt::format("{} is '{}', expected a number of at least {}", name, printable(text), least)};
  }
  if (number > most) {
    throw UsageError{
        fmt::format("{} is '{}', expected a number of at most {}", name, printable(text), most)};
  }
  return number;
}

}  // namespace mithril::cli
