// Builds generated C++ with a compiler of this machine, and runs it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "codegen/cpp/write_cpp.hpp"
#include "mithril/base/temporary_folder.hpp"

namespace mithril::tests {

// Returns the compilers among g++ and clang++ that are installed.
std::vector<std::string> compilers();

void write_text(const std::filesystem::path& path, const std::string& text);
// The output of a command, and whether it succeeded.
struct Ended {
  bool well;
  std::string printed;
};
Ended run_command(const std::string& command);

// The inputs and expected outputs of a generated function, in the order of its structs.
struct GeneratedCall {
  std::string what;  // for messages
  std::vector<Tensor> inputs, expected;
  double tolerance = 1e-10;
};

// Many models as C++ in few files, which one program calls.
class GeneratedModels {
 public:
  // Calls the model's function for outputs and, if there is a `backward`, the one for gradients.
  // Rethrows errors of the generator.
  void add(const ExportedModel& model, GeneratedCall forward,
           std::optional<GeneratedCall> backward = {});
  size_t calls() const { return calls_.size(); }

  // Builds everything with address and undefined behaviour sanitizers and runs it. Returns build
  // errors, or a line for each call with a wrong result.
  std::vector<std::string> complaints(const std::string& compiler, const std::string& flags) const;

 private:
  struct Unit {
    std::vector<codegen::CppModel> models;
    std::string glue, names;
  };
  void add_call(const codegen::CppModel& model, GeneratedCall call, bool with_gradients);

  std::vector<Unit> units_;
  std::vector<GeneratedCall> calls_;
};

}  // namespace mithril::tests
