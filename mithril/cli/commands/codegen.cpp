// `mithril codegen`: a model as source code.
#include "mithril/cli/commands/commands.hpp"
#include "mithril/cli/compile_file.hpp"
#include "mithril/export/write.hpp"

namespace mithril::cli {

int generate_code(const Arguments& arguments, Output& output) {
  if (!arguments.has("--output")) {
    throw UsageError{"missing option --output", "name the file to write: --output model.cpp"};
  }
  const std::string& path = arguments.value("--output");
  const ModelFile file = read_model(arguments.value("FILE"), arguments);
  const CompiledModel compiled = compile_file(file, arguments, arguments.values("--shape"));
  write(compiled, path, {.target = arguments.value_or("--target", "")});
  output.written("codegen", arguments.value("FILE"), {path});
  return done;
}

}  // namespace mithril::cli
