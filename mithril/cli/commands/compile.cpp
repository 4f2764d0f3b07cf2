// `mithril compile`: a model as a shared library.
#include <fmt/format.h>
#include <sys/stat.h>

#include "codegen/cpp/write_library.hpp"
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

namespace mithril::cli {
namespace {

// UsageError for processors that the compiler does not know.
void check_processors(const CppCompiler& compiler, const TemporaryFolder& folder,
                      const std::string& processors) {
  if (processors == "native") return;
  const std::string source = folder.path("empty.cpp");
  write_temporary(folder, "", source, "");
  try {
    compiler.run({"-march=" + processors, "-fsyntax-only", source}, folder);
  } catch (const MissingError& error) {
    throw UsageError{fmt::format("--march is '{}': {}", printable(processors), error.message)};
  }
}

// The library and its weights are made in a temporary folder, and copied to the folder.
std::vector<std::string> build_library(const ExportedModel& model, const TensorMap& params,
                                       const std::string& folder, const std::string& processors) {
  const CppCompiler compiler("mithril compile", "CXX", "c++", "install one (apt-get install g++)");
  const TemporaryFolder made("mithril-compile-");
  check_made(made);
  check_processors(compiler, made, processors);
  const std::string source = made.path("model.cpp"), exports = made.path("exports.map");
  write_temporary(made, folder, [&] {
    write_library(model, params,
                  {.source = source,
                   .weights = made.path("model.weights"),
                   .exports = exports,
                   .name = "model",
                   .header = made.path("mithril.h")});
  });
  compiler.run({"-std=c++17", "-O3", "-shared", "-fPIC", "-fvisibility=hidden", "-w",
                "-static-libstdc++", "-static-libgcc", "-march=" + processors,
                "-Wl,--version-script=" + exports, source, "-o", made.path("model.so")},
               made);
  // The weights first: a library without them refuses to open.
  std::vector<std::string> written, contents;
  for (const char* name : {"model.weights", "model.so", "mithril.h"}) {
    contents.push_back(read_text(made.path(name)));
    written.push_back(folder + "/" + name);
  }
  if (const std::string why = make_folder(folder); !why.empty()) cannot_write(folder, why);
  for (std::size_t i = 0; i < written.size(); ++i) {
    const std::string why = write_file(written[i], contents[i]);
    if (!why.empty()) cannot_write(written[i], why);
  }
  chmod(written[1].c_str(), S_IRWXU | S_IRGRP | S_IXGRP | S_IROTH | S_IXOTH);
  return written;
}

}  // namespace

int compile_library(const Arguments& arguments, Output& output) {
  if (!arguments.has("--output"))
    throw UsageError{"missing option --output", "name the folder to write: --output built"};
  const ModelFile file = read_model(arguments.value("FILE"), arguments);
  CompiledModel compiled = compile_file(file, arguments, arguments.values("--shape"));
  const std::uint64_t seed = seed_of(arguments);
  TensorMap params = parameters_of(file, compiled, arguments);
  const State state = state_of(file, compiled);
  if (!state.empty()) {  // states that inference reads are constants of the library
    compiled = compiled.bind(params, state);
    params = {};
  }
  const TensorMap data = inputs_of(compiled, {}, seed);  // examples of the sizes
  const std::vector<std::string> written =
      build_library(compiled.exported(data), params, arguments.value("--output"),
                    arguments.value_or("--march", "native"));
  output.written("compile", arguments.value("FILE"), written);
  return done;
}

}  // namespace mithril::cli
