// `mithril package`: packages of models.
#include <fmt/format.h>

#include <algorithm>

#include "mithril/base/names.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/run_python.hpp"
#include "mithril/cli/text_table.hpp"
#include "mithril/package/package.hpp"

namespace mithril::cli {
namespace {

using Paths = std::vector<std::string>;

Json size_json(const KnownDim& dim) {
  if (const auto number = dim.number()) return *number;
  return dim.has_name() ? Json(to_string(dim)) : Json(nullptr);
}

// Null for an unknown rank, and "..." for a run of sizes.
Json shape_json(const std::optional<KnownShape>& shape) {
  if (!shape) return nullptr;
  Json::Array sizes;
  for (const KnownDim& dim : shape->head()) sizes.push_back(size_json(dim));
  if (shape->has_run()) sizes.emplace_back("...");
  for (const KnownDim& dim : shape->tail()) sizes.push_back(size_json(dim));
  return sizes;
}

Json ports_json(const std::vector<PackagePort>& ports) {
  Json::Array all;
  for (const PackagePort& port : ports) {
    all.push_back(Json::Object{{"name", port.name},
                               {"dtype", std::string(name(port.dtype))},
                               {"dims", shape_json(port.shape)}});
  }
  return all;
}

Json::Object fields_of(const Package& package) {
  const PackageInfo& info = package.info();
  Json::Object sizes;
  for (const auto& [name, size] : info.sizes) sizes.emplace_back(name, size);
  Json::Array files;
  for (const PackageFile& file : package.files()) {
    files.push_back(Json::Object{{"name", file.name},
                                 {"bytes", static_cast<std::int64_t>(file.bytes)},
                                 {"sha256", file.sha256}});
  }
  return {{"file", package.path()},
          {"name", info.name},
          {"revision", info.revision},
          {"created_at", info.created_at},
          {"model_type", info.model_type},
          {"family", info.family},
          {"licence", info.licence},
          {"source", info.source},
          {"backends", Json::Array(info.backends.begin(), info.backends.end())},
          {"inputs", ports_json(info.inputs)},
          {"outputs", ports_json(info.outputs)},
          {"sizes", std::move(sizes)},
          {"files", std::move(files)}};
}

std::string bytes_text(std::uint64_t bytes) { return grouped(static_cast<std::int64_t>(bytes)); }

std::string port_text(const PackagePort& port) {
  return fmt::format("{}: {}{}", printable(port.name), name(port.dtype),
                     port.shape ? to_string(*port.shape) : "[...]");
}

std::string summary_of(const Package& package) {
  const PackageInfo& info = package.info();
  std::vector<std::pair<std::string, std::string>> lines = {
      {"package", info.name + " " + info.revision},
      {"created", info.created_at},
      {"model", info.family.empty() ? info.model_type : info.model_type + " " + info.family},
      {"backends", join(info.backends, ", ")},
      {"licence", info.licence},
      {"source", info.source}};
  for (const PackagePort& port : info.inputs) lines.emplace_back("input", port_text(port));
  for (const PackagePort& port : info.outputs) lines.emplace_back("output", port_text(port));
  for (const auto& [key, size] : info.sizes) {
    std::string words = key;
    std::replace(words.begin(), words.end(), '_', ' ');
    lines.emplace_back(words, grouped(size));
  }
  for (const PackageFile& file : package.files())
    lines.emplace_back("file", fmt::format("{} ({} bytes)", file.name, bytes_text(file.bytes)));
  std::size_t width = 0;
  for (const auto& line : lines) width = std::max(width, line.first.size());
  std::string text;
  for (const auto& [head, value] : lines) {
    if (!value.empty()) text += fmt::format("{:<{}}  {}\n", head, width, printable(value));
  }
  return text;
}

// Returns the paths; UsageError if there are not `count`.
const Paths& checked_paths(const Paths& paths, std::size_t count, const char* usage) {
  if (paths.size() == count) return paths;
  throw UsageError{fmt::format("`{}` takes {}, and got {}", usage,
                               counted(static_cast<std::int64_t>(count), "path"), paths.size())};
}

void inspect_package(const Paths& paths, Output& output) {
  const std::string& path = checked_paths(paths, 1, "mithril package inspect PACKAGE").front();
  const Package package =
      load_package(path, {.verify = PackageChecks::lazy, .allow_native_code = true});
  if (output.is_json())
    output.object("package", fields_of(package));
  else
    output.text(summary_of(package));
}

void verify_packages(const Paths& paths, Output& output) {
  Json::Array verified;
  for (const std::string& path : paths) {
    const Package package = load_package(path, {.allow_native_code = true});
    std::uint64_t bytes = 0;
    for (const PackageFile& file : package.files()) bytes += file.bytes;
    const auto files = static_cast<std::int64_t>(package.files().size());
    if (output.is_json()) {
      verified.push_back(Json::Object{
          {"file", path}, {"files", files}, {"bytes", static_cast<std::int64_t>(bytes)}});
    } else {
      output.text(fmt::format("{}: {} files, {} bytes, all checksums match\n", path, files,
                              bytes_text(bytes)));
    }
  }
  if (output.is_json()) output.object("package", {{"verified", std::move(verified)}});
}

void extract_package(const Paths& paths, Output& output) {
  checked_paths(paths, 2, "mithril package extract PACKAGE TARGET");
  copy_package(paths[0], paths[1]);
  output.written("package", paths[0], {paths[1]});
}

}  // namespace

int package(const Arguments& arguments, Output& output) {
  const std::string& action = arguments.value("ACTION");
  const Paths paths = arguments.values("PATH");
  if (action == "create") return run_python("package", arguments.values("arguments"));
  for (const char* option :
       {"--name", "--revision", "--licence", "--source", "--max-shard-bytes", "--library"}) {
    if (arguments.has(option))
      throw UsageError{fmt::format("{} is an option of `mithril package create`", option)};
  }
  if (action == "inspect") {
    inspect_package(paths, output);
  } else if (action == "verify") {
    verify_packages(paths, output);
  } else if (action == "extract") {
    extract_package(paths, output);
  } else {
    const std::vector<std::string> actions = {"create", "inspect", "verify", "extract"};
    throw UsageError{
        fmt::format("ACTION is '{}', expected one of {}", printable(action), join(actions, ", ")),
        did_you_mean(action, actions)};
  }
  return done;
}

}  // namespace mithril::cli
