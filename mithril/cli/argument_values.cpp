#include "mithril/cli/argument_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "mithril/base/printable.hpp"

namespace mithril::cli {
namespace {

std::pair<std::string, ShapeSpec> parse_shape(const std::string& text) {
  const auto [key, sizes] = parse_pair("--shape", text);
  std::vector<DimSpec> dims;
  for (std::size_t begin = 0; begin < sizes.size();) {
    const std::size_t end = std::min(sizes.find(',', begin), sizes.size());
    const std::string word = sizes.substr(begin, end - begin);
    std::int64_t number = 0;
    const auto [rest, failed] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (failed != std::errc() || rest != word.data() + word.size() || number < 0) {
      throw UsageError{fmt::format("--shape is '{}', expected KEY=SIZES", printable(text)),
                       "write the sizes with commas: x=8,4"};
    }
    dims.emplace_back(number);
    begin = end + 1;
  }
  return {key, ShapeSpec(std::move(dims))};
}

}  // namespace

std::pair<std::string, std::string> parse_pair(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError{fmt::format("{} is '{}', expected KEY=...", option, printable(text))};
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Datum parse_constant(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  const char* const end = text.data() + text.size();
  std::int64_t integer = 0;
  if (const auto found = std::from_chars(text.data(), end, integer);
      found.ec == std::errc() && found.ptr == end) {
    return integer;
  }
  double real = 0;
  if (const auto found = std::from_chars(text.data(), end, real);
      found.ec == std::errc() && found.ptr == end) {
    return real;
  }
  throw UsageError{fmt::format("--constant has the value '{}', expected a number, true or false",
                               printable(text))};
}

std::vector<std::pair<std::string, ShapeSpec>> shapes_of(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, ShapeSpec>> found;
  for (const std::string& text : texts) found.push_back(parse_shape(text));
  return found;
}

std::uint64_t seed_of(const Arguments& arguments) {
  return static_cast<std::uint64_t>(arguments.number("--seed", 0).value_or(0));
}

}  // namespace mithril::cli
