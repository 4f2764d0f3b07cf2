#include "codegen/cpp/write_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "codegen/common/generated_file.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/common/make_program.hpp"
#include "codegen/common/names.hpp"
#include "codegen/cpp/cpp_language.hpp"
#include "codegen/cpp/interface.hpp"
#include "codegen/cpp/write_cpp.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/sha256.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"

namespace mithril {
namespace codegen {

// Of the file that CMake writes.
extern const char* const library_header;     // mithril/c/mithril.h
extern const char* const library_interface;  // codegen/cpp/c_interface.hpp
extern const char* const library_exports;    // mithril/c/exports.map

namespace {

using Role = ExportedInput::Role;

constexpr std::size_t weight_alignment = 64;

// A parameter in the file of the weights. `bytes` belongs to `held`.
struct StoredWeight {
  Tensor held;
  std::size_t offset;
};

// A literal of C++ with the bytes of the text.
std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\' && c != '?';
    literal += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return literal + "\"";
}

std::size_t aligned(std::size_t offset) {
  return (offset + weight_alignment - 1) / weight_alignment * weight_alignment;
}

Tensor fitting(const ExportedInput& input, DType dtype, const TensorMap& params) {
  const Tensor* given = params.find(input.key);
  if (!given) {
    raise({.kind = ErrorKind::input,
           .code = "E0801",
           .message = "params lacks " + input.key,
           .help = "give the parameters that evaluate takes"});
  }
  if (given->dims() != input.dims) {
    raise({.kind = ErrorKind::input,
           .code = "E0804",
           .message = fmt::format("{} has the dims {}, expected {}", in_quotes(input.key),
                                  to_string(given->dims()), to_string(input.dims))});
  }
  return given->host().to(dtype);
}

std::string library_dtype(DType dtype) {
  const int bits = static_cast<int>(8 * size_of(dtype));
  const char* code = is_floating(dtype)        ? "kDLFloat"
                     : dtype == DType::boolean ? "kDLBool"
                     : is_unsigned(dtype)      ? "kDLUInt"
                                               : "kDLInt";
  return fmt::format("{{{}, {}, 1}}", code, bits);
}

struct LibraryPort {
  std::string key;
  DType dtype;
  Dims dims;
};

// A table of `Port` rows, which codegen/cpp/c_interface.hpp declares.
std::string ports_text(const std::string& table, const std::vector<LibraryPort>& ports) {
  std::string text, rows;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const LibraryPort& port = ports[i];
    text += fmt::format("constexpr int64_t {}_{}[] = {{{}}};\n", table, i,
                        port.dims.empty() ? "0" : join(port.dims, ", "));
    rows += fmt::format("    {{{}, {}, {}, {}_{}, {}}},\n", string_literal(port.key),
                        library_dtype(port.dtype), port.dims.size(), table, i,
                        static_cast<std::size_t>(element_count(port.dims)) * size_of(port.dtype));
  }
  if (ports.empty()) rows = "    {\"\", {0, 0, 1}, 0, nullptr, 0},\n";
  return text + fmt::format("constexpr Port {}[] = {{\n{}}};\n\n", table, rows);
}

// Everything about the model that its library needs besides its functions.
class LibraryWriter {
 public:
  LibraryWriter(const ExportedModel& model, const TensorMap& params, const LibraryFiles& files)
      : model_(model),
        files_(files),
        program_(make_program(model.graph, dims_of_inputs(model), cpp_language())) {
    std::size_t offset = aligned(id_bytes);
    for (std::size_t i = 0; i < model.inputs.size(); ++i) {
      const ExportedInput& input = model.inputs[i];
      if (input.role == Role::state) refuse_state(input.key);
      const DType dtype = model.graph.value(model.graph.inputs()[i]).dtype;
      if (input.role == Role::data) {
        inputs_.push_back({input.key, dtype, input.dims});
        continue;
      }
      weights_.push_back({fitting(input, dtype, params), offset});
      offset = aligned(offset + weights_.back().held.bytes());
    }
    weights_bytes_ = offset;
    for (const ExportedOutput& output : model.outputs) {
      if (output.next_state) refuse_state(output.key);
      const ValueId id = model.graph.outputs()[output.index].value;
      outputs_.push_back({output.key, model.graph.value(id).dtype, program_.dims_of(id)});
    }
  }

  void write() {
    std::vector<std::string_view> pieces = weight_pieces();
    Sha256 hash;
    for (const std::string_view piece : pieces) hash.add(std::as_bytes(std::span(piece)));
    id_ = hash.hex_digest();
    static_assert(id_bytes % weight_alignment == 0);
    pieces.insert(pieces.begin(), id_);
    write_generated(files_.weights, pieces);
    write_generated(files_.source, source());
    write_generated(files_.exports, library_exports);
    if (!files_.header.empty()) write_generated(files_.header, library_header);
  }

 private:
  static constexpr std::size_t id_bytes = 64;
  static std::vector<Dims> dims_of_inputs(const ExportedModel& model) {
    std::vector<Dims> dims;
    for (const ExportedInput& input : model.inputs) dims.push_back(input.dims);
    return dims;
  }

  [[noreturn]] static void refuse_state(const std::string& key) {
    raise({.kind = ErrorKind::state,
           .code = "E0922",
           .message = "a library keeps no state, and the model has one",
           .facts = {{"state", key, ""}},
           .help = "build what bind(params, state) gives, with params={}"});
  }

  std::vector<std::string_view> weight_pieces() const {
    std::vector<std::string_view> pieces;
    for (const StoredWeight& weight : weights_) {
      const std::size_t bytes = weight.held.bytes();
      pieces.emplace_back(static_cast<const char*>(weight.held.raw_data()), bytes);
      pieces.push_back(std::string_view(zeros_).substr(0, aligned(bytes) - bytes));
    }
    return pieces;
  }

  // A function from arrays of pointers to the structs of the generated interface.
  std::string run_text(const std::string& prefix) const {
    const Members members = members_of(model_);
    std::string text =
        "const char* run(const void* const* inputs, void* const* outputs, const char* weights) {\n"
        "  (void)inputs, (void)weights;\n  " +
        prefix + "_inputs in{};\n  " + prefix + "_outputs out{};\n";
    std::size_t data = 0, weight = 0;
    for (std::size_t i = 0; i < model_.inputs.size(); ++i) {
      const std::string from = model_.inputs[i].role == Role::data
                                   ? fmt::format("inputs[{}]", data++)
                                   : fmt::format("weights + {}", weights_[weight++].offset);
      text += cast("in." + members.inputs[i], from);
    }
    for (std::size_t i = 0; i < model_.outputs.size(); ++i)
      text += cast("out." + members.outputs[i], fmt::format("outputs[{}]", i));
    return text + "  return " + prefix + "_evaluate(&in, &out, nullptr);\n}\n\n";
  }

  static std::string cast(const std::string& member, const std::string& from) {
    return fmt::format("  {0} = reinterpret_cast<decltype({0})>({1});\n", member, from);
  }

  std::string source() const {
    const std::string prefix = codegen::prefix(files_.name);
    const std::string weights = files_.weights.substr(files_.weights.rfind('/') + 1);
    std::string text = std::string("#define MITHRIL_BUILDING\n") + library_header +
                       "\n#ifdef __cplusplus\n" + without_pragma(library_interface) + "\n#endif\n" +
                       cpp_source(model_, files_.name) + "\nnamespace mithril_library {\n\n" +
                       ports_text("inputs_of_model", inputs_) +
                       ports_text("outputs_of_model", outputs_) + "namespace {\n\n" +
                       run_text(prefix) + "}  // namespace\n\n";
    return text + fmt::format(
                      "const Description description = {{\n    {}, {}, {}, {},\n    \"{}\", "
                      "{},\n    inputs_of_model, {}, outputs_of_model, {}, run}};\n\n"
                      "}}  // namespace mithril_library\n",
                      string_literal(files_.name), string_literal(id_.substr(0, 12)),
                      string_literal(std::string(version())), string_literal(weights), id_,
                      weights_bytes_, inputs_.size(), outputs_.size());
  }

  static std::string without_pragma(std::string text) {
    constexpr std::string_view pragma = "#pragma once\n";
    const std::size_t at = text.find(pragma);
    return at == std::string::npos ? text : text.erase(at, pragma.size());
  }

  const ExportedModel& model_;
  const LibraryFiles& files_;
  SourceProgram program_;
  std::vector<LibraryPort> inputs_, outputs_;
  std::vector<StoredWeight> weights_;
  std::size_t weights_bytes_ = 0;
  std::string id_;
  const std::string zeros_ = std::string(weight_alignment, '\0');
};

}  // namespace
}  // namespace codegen

void write_library(const ExportedModel& model, const TensorMap& params, const LibraryFiles& files) {
  codegen::LibraryWriter(model, params, files).write();
}

}  // namespace mithril
