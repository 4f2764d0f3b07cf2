// `mithril codegen`: a model as source code, or as a package for the web.
#include <fmt/format.h>

#include <string_view>

#include "codegen/common/generated_file.hpp"
#include "codegen/web/wasm_compiler.hpp"
#include "codegen/web/write_wasm.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/compile_file.hpp"
#include "mithril/cli/cpp_compiler.hpp"
#include "mithril/cli/read_text.hpp"
#include "mithril/cli/temporary_files.hpp"
#include "mithril/export/write.hpp"

namespace mithril::cli {
namespace {

// An npm package.
void write_wasm(const ExportedModel& model, const std::string& folder) {
  const CppCompiler clang("mithril codegen --target wasm", "MITHRIL_WASM_CLANG", "clang++",
                          std::string("install ") + wasm_compiler_packages);
  const TemporaryFolder made("mithril-wasm-");
  check_made(made);
  const std::string source = made.path("model.cpp"), wasm = made.path("model.wasm");
  const std::string name = folder.substr(folder.find_last_of('/') + 1);
  write_temporary(made, folder, source, wasm_source(model, name));
  std::vector<std::string> arguments(wasm_compiler_flags.begin(), wasm_compiler_flags.end());
  arguments.insert(arguments.end(), {source, "-o", wasm});
  clang.run(arguments, made);
  const std::string bytes = read_text(wasm);
  write_wasm_loaders(model, folder);
  const std::string path = folder + "/model.wasm";
  if (const std::string why = write_file(path, bytes); !why.empty()) cannot_write(path, why);
}

// A package is a folder, whose name no other target writes as a file.
void check_folder(const std::string& path) {
  const std::string_view ending = codegen::file_ending_of(path);
  if (ending.empty()) return;
  throw UsageError{fmt::format("--target wasm writes a folder, and '{}' ends a file", ending),
                   "name a folder: --output built"};
}

// `ml.export` writes it, with parameters.
bool is_torch_script(const std::string& path) {
  return path.ends_with(".pt") || path.ends_with(".pth");
}

[[noreturn]] void refuse_ending(const std::string& path) {
  throw UsageError{fmt::format("--output is '{}'", printable(path)),
                   "end it with .cpp, .py or .mjs, or name the language: --target javascript"};
}

// Whether the error is about the ending of the path, or a dtype that the language lacks.
bool is_of_options(const Error& error, const std::string& dtype) {
  const bool is_of_dtype = error.code() == "E1032" && dtype != "float32" && dtype != "float64";
  return error.code() == "E0492" || is_of_dtype;
}

void write_source(const CompiledModel& compiled, const std::string& path, const std::string& target,
                  const Arguments& arguments) try {
  write(compiled, path, {.target = target});
} catch (const Error& error) {
  if (error.code() == "E0811") inputs_of(compiled, {}, 0);  // says how to state the sizes
  if (error.code() == "E0492" && target.empty()) refuse_ending(path);
  if (is_of_options(error, arguments.value("--dtype"))) throw StatedError{error.what()};
  throw;
}

}  // namespace

int generate_code(const Arguments& arguments, Output& output) {
  if (!arguments.has("--output")) {
    throw UsageError{"missing option --output", "name the file to write: --output model.cpp"};
  }
  std::string path = arguments.value("--output");
  const std::string target = arguments.value_or("--target", "");
  if (target == "wasm") {
    // The package has the last name of the path.
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    check_folder(path);
  } else if (target.empty() && is_torch_script(path)) {
    refuse_ending(path);
  }
  const ModelFile file = read_model(arguments.value("FILE"), arguments);
  const CompiledModel compiled = compile_file(file, arguments, arguments.values("--shape"));
  if (target == "wasm") {
    const TensorMap data = inputs_of(compiled, {}, 0);  // examples of the sizes
    write_wasm(compiled.exported(data), path);
    path += "/model.wasm";
  } else {
    write_source(compiled, path, target, arguments);
  }
  output.written("codegen", arguments.value("FILE"), {path});
  return done;
}

}  // namespace mithril::cli
