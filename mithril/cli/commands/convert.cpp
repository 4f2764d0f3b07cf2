// `mithril convert`: a model or tensors in another form.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "mithril/base/file_errors.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/compile_file.hpp"
#include "mithril/json/model_json.hpp"
#include "mithril/onnx/export/opsets.hpp"
#include "mithril/onnx/export/write_onnx.hpp"
#include "mithril/serialization/safetensors.hpp"

namespace mithril::cli {
namespace {

bool has_ending(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return path.find('.', slash == std::string::npos ? 0 : slash + 1) != std::string::npos;
}

[[noreturn]] void refuse(FileKind from, const std::string& to, const std::string& help) {
  throw UsageError{fmt::format("{} cannot be written as '{}'", text_of(from), printable(to)), help};
}

// "net.json": the parameters are in "net.safetensors".
std::string weights_path(const std::string& path) {
  return path.substr(0, path.size() - std::string(".json").size()) + ".safetensors";
}

// Returns the paths that were written.
std::vector<std::string> write_json(const ModelFile& file, const std::string& path) {
  std::vector<std::string> written = {path};
  if (file.params) {
    TensorMap tensors = file.params->share();
    tensors.merge(file.state);
    written.push_back(save_safetensors(weights_path(path), tensors));
  }
  if (const std::string why = write_file(path, to_json(file.model)); !why.empty()) {
    cannot_write(path, why);
  }
  return written;
}

void write_package(const ModelFile& file, const std::string& path, const Arguments& arguments) {
  const auto shapes = arguments.values("--shape");
  const CompiledModel compiled = compile_file(file, arguments, shapes);
  const TensorMap params = parameters_of(file, compiled, arguments);
  const State state = state_of(file, compiled);
  SavePackageOptions options{.state = &state, .data_keys = file.data_keys};
  for (auto& [key, sizes] : shapes_of(shapes)) options.shapes.emplace_back(key, sizes);
  save_package(path, file.model, params, options);
}

void write_onnx_file(const ModelFile& file, const std::string& path, const Arguments& arguments) {
  const std::int64_t opset =
      *arguments.number("--opset", onnx::oldest_written_opset, onnx::newest_written_opset);
  const CompiledModel compiled = compile_file(file, arguments, arguments.values("--shape"));
  write_onnx(compiled, path,
             {.params = parameters_of(file, compiled, arguments),
              .state = state_of(file, compiled),
              .opset = opset});
}

std::vector<std::string> convert_model(FileKind kind, const std::string& from,
                                       const std::string& to, const Arguments& arguments) {
  if (to.ends_with(".json")) return write_json(read_model(from, arguments), to);
  if (to.ends_with(".safetensors")) {
    const ModelFile file = read_model(from, arguments);
    if (!file.params) refuse(kind, to, "a model as JSON has no parameters");
    TensorMap tensors = file.params->share();
    tensors.merge(file.state);
    return {save_safetensors(to, tensors)};
  }
  if (to.ends_with(".onnx")) {
    write_onnx_file(read_model(from, arguments), to, arguments);
    return {to};
  }
  if (!to.ends_with(".zip") && has_ending(to)) {
    refuse(kind, to, "end the path with .json, .onnx, .safetensors or .zip, or name a folder");
  }
  const bool is_copy = kind == FileKind::package && !arguments.has("--params") &&
                       arguments.values("--shape").empty();
  if (is_copy) {
    copy_package(from, to);
  } else {
    write_package(read_model(from, arguments), to, arguments);
  }
  return {to};
}

}  // namespace

int convert(const Arguments& arguments, Output& output) {
  const std::string &from = arguments.value("FROM"), &to = arguments.value("TO");
  const FileKind kind = kind_of_file(from);
  std::vector<std::string> written;
  if (has_model(kind)) {
    written = convert_model(kind, from, to, arguments);
  } else if (to.ends_with(".safetensors")) {
    written = {save_safetensors(to, read_tensors(kind, from))};
  } else {
    refuse(kind, to, "end the path with .safetensors");
  }
  output.written("convert", from, written);
  return done;
}

}  // namespace mithril::cli
