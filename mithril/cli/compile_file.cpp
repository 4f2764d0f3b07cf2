#include "mithril/cli/compile_file.hpp"

#include <fmt/format.h>

#include <charconv>

#include "mithril/base/printable.hpp"
#include "mithril/compile/compile.hpp"

namespace mithril::cli {
namespace {

Datum constant_of(const std::string& text) {
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

}  // namespace

CompiledModel compile_file(const ModelFile& file, const Arguments& arguments,
                           const std::vector<std::string>& shapes) {
  CompileOptions options{.inference = true};
  for (auto& [key, sizes] : shapes_of(shapes)) options.shapes.emplace_back(key, sizes);
  for (const std::string& text : arguments.values("--constant")) {
    const auto [key, value] = parse_pair("--constant", text);
    options.constant_keys.emplace_back(key, constant_of(value));
  }
  const std::shared_ptr<Backend> backend = cpu_of(arguments);
  if (file.package && !arguments.has("--params")) {
    return file.package->compile(backend, std::move(options));
  }
  for (const std::string& key : file.data_keys) options.data_keys.emplace_back(key);
  return compile(file.model, backend, std::move(options));
}

State state_of(const ModelFile& file, const CompiledModel& compiled) {
  State state = compiled.initial_state_dict();
  for (auto& [key, tensor] : state) {
    if (const Tensor* saved = file.state.find(key)) tensor = *saved;
  }
  return state;
}

}  // namespace mithril::cli
