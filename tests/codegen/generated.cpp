#include "tests/codegen/generated.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "mithril/base/process.hpp"
#include "tests/table/compare.hpp"

namespace mithril::tests {
namespace {

namespace fs = std::filesystem;

constexpr size_t models_in_unit = 150;

// Calls the functions of the units, each with buffers of the exact size, filled with a value that
// no function writes.
constexpr const char* driver = R"(
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

using Call = const char* (*)(const void* const*, void* const*);
DECLARATIONS

static int64_t number(FILE* file) {
  int64_t value = 0;
  if (fread(&value, 8, 1, file) != 1) throw "the calls are cut short";
  return value;
}

int main() {
  FILE* given = fopen("calls.bin", "rb");
  FILE* made = fopen("results.bin", "wb");
  for (const auto& [calls, count] : std::vector<std::pair<const Call*, int>>{UNITS}) {
    for (int i = 0; i < count; ++i) {
      std::vector<std::unique_ptr<char[]>> buffers;
      std::vector<const void*> inputs;
      std::vector<void*> outputs;
      std::vector<size_t> sizes;
      for (int64_t n = number(given); n > 0; --n) {
        const size_t size = number(given);
        buffers.emplace_back(new char[size]);
        if (fread(buffers.back().get(), 1, size, given) != size) return 1;
        inputs.push_back(buffers.back().get());
      }
      for (int64_t n = number(given); n > 0; --n) {
        sizes.push_back(number(given));
        buffers.emplace_back(new char[sizes.back()]);
        memset(buffers.back().get(), 0x5b, sizes.back());
        outputs.push_back(buffers.back().get());
      }
      const char* problem = calls[i](inputs.data(), outputs.data());
      const int64_t length = problem ? strlen(problem) : 0;
      fwrite(&length, 8, 1, made);
      fwrite(problem ? problem : "", 1, length, made);
      for (size_t k = 0; k < outputs.size(); ++k) fwrite(outputs[k], 1, sizes[k], made);
    }
  }
  fclose(made);
  fclose(given);
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  return text.replace(text.find(what), what.size(), with);
}

void write_number(std::ostream& file, int64_t number) {
  file.write(reinterpret_cast<const char*>(&number), 8);
}

void write_calls(const fs::path& path, const std::vector<GeneratedCall>& calls) {
  std::ofstream file(path, std::ios::binary);
  for (const GeneratedCall& call : calls) {
    write_number(file, static_cast<int64_t>(call.inputs.size()));
    for (const Tensor& input : call.inputs) {
      write_number(file, static_cast<int64_t>(input.bytes()));
      file.write(static_cast<const char*>(input.raw_data()),
                 static_cast<std::streamsize>(input.bytes()));
    }
    write_number(file, static_cast<int64_t>(call.expected.size()));
    for (const Tensor& output : call.expected)
      write_number(file, static_cast<int64_t>(output.bytes()));
  }
}

std::string result_difference(std::istream& file, const GeneratedCall& call) {
  int64_t length = 0;
  file.read(reinterpret_cast<char*>(&length), 8);
  std::string apart(static_cast<size_t>(length), ' ');
  file.read(apart.data(), length);
  for (size_t i = 0; i < call.expected.size(); ++i) {
    Tensor got(call.expected[i].dtype(), call.expected[i].dims());
    file.read(static_cast<char*>(got.mutable_raw_data()),
              static_cast<std::streamsize>(got.bytes()));
    if (!file) return "the results are cut short";
    if (!apart.empty()) continue;
    apart = difference(got, call.expected[i], call.tolerance);
    if (!apart.empty()) apart = fmt::format("output {}: {}", i, apart);
  }
  return apart.empty() ? apart : call.what + ": " + apart;
}

}  // namespace

std::vector<std::string> compilers() {
  std::vector<std::string> found;
  for (const char* name : {"g++", "clang++"}) {
    if (run_command(std::string("command -v ") + name).well) found.emplace_back(name);
  }
  return found;
}

void write_text(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

Ended run_command(const std::string& command) {
  const TemporaryFolder folder("mithril-codegen-");
  const std::string log = folder.path("log");
  const ProcessOptions options{
      .log = log, .temporary_folder = folder.path(), .limit = std::chrono::hours(1)};
  const ProcessEnd end = run_process({"/bin/sh", "-c", command}, options);
  std::ifstream file(log, std::ios::binary);
  return {end == ProcessEnd::success, {std::istreambuf_iterator<char>(file), {}}};
}

void GeneratedModels::add(const ExportedModel& model, GeneratedCall forward,
                          std::optional<GeneratedCall> backward) {
  if (units_.empty() || units_.back().models.size() == models_in_unit) units_.emplace_back();
  std::vector<codegen::CppModel>& models = units_.back().models;
  const std::string name = fmt::format("model_{}_{}", units_.size(), models.size());
  models.push_back(
      codegen::cpp_model(model, name, fmt::format("unit_{}_kernels", units_.size() - 1)));
  const codegen::CppModel& made = models.back();
  add_call(made, std::move(forward), false);
  if (backward) add_call(made, std::move(*backward), true);
}

// Structs of pointers are filled as the arrays of pointers that they are.
void GeneratedModels::add_call(const codegen::CppModel& model, GeneratedCall call,
                               bool with_gradients) {
  Unit& unit = units_.back();
  const std::string function = fmt::format("call_{}", calls_.size()), &name = model.name;
  unit.names += function + ", ";
  unit.glue += fmt::format(
      "\nstatic const char* {0}(const void* const* in, void* const* out) {{\n"
      "  {1}_inputs inputs;\n  {1}_outputs outputs;\n",
      function, name);
  if (with_gradients) {
    unit.glue += fmt::format("  {0}_output_gradients changes;\n  {0}_gradients gradients;\n", name);
    unit.glue += "  fill(fill(in, inputs), changes);\n  fill(fill(out, outputs), gradients);\n";
    unit.glue += fmt::format(
        "  return {}_evaluate_gradients(&inputs, &changes, &outputs, &gradients, nullptr);\n}}\n",
        name);
  } else {
    unit.glue += "  fill(in, inputs);\n  fill(out, outputs);\n";
    unit.glue += fmt::format("  return {}_evaluate(&inputs, &outputs, nullptr);\n}}\n", name);
  }
  calls_.push_back(std::move(call));
}

std::vector<std::string> GeneratedModels::complaints(const std::string& compiler,
                                                     const std::string& flags) const {
  const TemporaryFolder folder("mithril-codegen-");
  std::string declarations, units, sources;
  for (size_t i = 0; i < units_.size(); ++i) {
    const Unit& unit = units_[i];
    const std::string fill =
        "\n#include <cstring>\ntemplate <typename P, typename S>\n"
        "static P fill(P pointers, S& members) {\n"
        "  if (sizeof members < sizeof(void*)) return pointers;\n"
        "  std::memcpy(&members, pointers, sizeof members);\n"
        "  return pointers + sizeof members / sizeof(void*);\n}\n";
    const std::string table = fmt::format(
        "\nusing Call = const char* (*)(const void* const*, void* const*);\n"
        "extern const Call unit_{0}[];\nextern const int unit_{0}_count;\n"
        "const Call unit_{0}[] = {{{1}}};\n"
        "const int unit_{0}_count = sizeof unit_{0} / sizeof(Call);\n",
        i, unit.names);
    write_text(folder.path(fmt::format("unit_{}.cpp", i)),
               codegen::cpp_file("", unit.models, fmt::format("unit_{}_kernels", i)) + fill +
                   unit.glue + table);
    declarations +=
        fmt::format("extern const Call unit_{0}[];\nextern const int unit_{0}_count;\n", i);
    units += fmt::format("{{unit_{0}, unit_{0}_count}}, ", i);
  }
  write_text(folder.path("driver.cpp"),
             replaced(replaced(driver, "DECLARATIONS", declarations), "UNITS", units));
  write_calls(folder.path("calls.bin"), calls_);
  // The meaning of -march=native may differ between machines that share a cache.
  const bool cached = flags.find("native") == std::string::npos;
  const std::string cache = cached && run_command("command -v ccache").well ? "ccache " : "";
  const Ended built = run_command(fmt::format(
      "cd '{0}' && ls *.cpp | xargs -P 2 -I FILE {1}{2} -std=c++17 {3} -Wall -Wextra -Wpedantic "
      "-Werror -fsanitize=address,undefined -fno-sanitize-recover=undefined -c FILE && {2} "
      "-fsanitize=address,undefined *.o -o models",
      folder.path(), cache, compiler, flags));
  if (!built.well) return {"building with " + compiler + " failed:\n" + built.printed};
  const Ended ran = run_command(fmt::format("cd '{}' && ./models", folder.path()));
  if (!ran.well) return {"the program ended early:\n" + ran.printed};

  std::vector<std::string> all;
  std::ifstream results(folder.path("results.bin"), std::ios::binary);
  for (const GeneratedCall& call : calls_) {
    const std::string apart = result_difference(results, call);
    if (!apart.empty()) all.push_back(apart);
  }
  return all;
}

}  // namespace mithril::tests
