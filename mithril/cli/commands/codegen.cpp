// `mithril codegen`: a model as source code, or as a package for the web.
#include "codegen/web/wasm_compiler.hpp"
#include "codegen/web/write_wasm.hpp"
#include "mithril/base/file_errors.hpp"
#include "mithril/base/temporary_folder.hpp"
#include "mithril/base/write_file.hpp"
#include "mithril/cli/argument_values.hpp"
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/compile_file.hpp"
#include "mithril/cli/cpp_compiler.hpp"
#include "mithril/cli/read_text.hpp"
#include "mithril/export/write.hpp"

namespace mithril::cli {
namespace {

void write_or_refuse(const std::string& path, const std::string& text) {
  if (const std::string why = write_file(path, text); !why.empty()) cannot_write(path, why);
}

// An npm package.
void write_wasm(const ExportedModel& model, const std::string& folder) {
  const CppCompiler clang("mithril codegen --target wasm", "MITHRIL_WASM_CLANG", "clang++",
                          std::string("install ") + wasm_compiler_packages);
  const TemporaryFolder made("mithril-wasm-");
  if (!made) throw MissingError{"no temporary folder could be made", "set TMPDIR"};
  const std::string source = made.path("model.cpp"), wasm = made.path("model.wasm");
  const std::string name = folder.substr(folder.find_last_of('/') + 1);
  write_or_refuse(source, wasm_source(model, name));
  std::vector<std::string> arguments(wasm_compiler_flags.begin(), wasm_compiler_flags.end());
  arguments.insert(arguments.end(), {source, "-o", wasm});
  clang.run(arguments, made);
  const std::string bytes = read_text(wasm);
  write_wasm_loaders(model, folder);
  write_or_refuse(folder + "/model.wasm", bytes);
}

}  // namespace

int generate_code(const Arguments& arguments, Output& output) {
  if (!arguments.has("--output")) {
    throw UsageError{"missing option --output", "name the file to write: --output model.cpp"};
  }
  std::string path = arguments.value("--output");
  const ModelFile file = read_model(arguments.value("FILE"), arguments);
  const CompiledModel compiled = compile_file(file, arguments, arguments.values("--shape"));
  const std::string target = arguments.value_or("--target", "");
  if (target == "wasm") {
    // The package has the last name of the path.
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const TensorMap data = inputs_of(compiled, {}, 0);  // examples of the sizes
    write_wasm(compiled.exported(data), path);
    path += "/model.wasm";
  } else {
    write(compiled, path, {.target = target});
  }
  output.written("codegen", arguments.value("FILE"), {path});
  return done;
}

}  // namespace mithril::cli
