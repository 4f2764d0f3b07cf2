#include "codegen/webgpu/function.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/common/code_line.hpp"
#include "codegen/common/node_text.hpp"
#include "codegen/common/statement_writer.hpp"
#include "codegen/javascript/formula.hpp"
#include "codegen/webgpu/formula.hpp"
#include "codegen/webgpu/snippets.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"

namespace mithril::codegen {
namespace {

constexpr StatementSyntax webgpu_syntax{
    .indent = 2,
    .loop_indent = 4,
    .list_begin = "[",
    .list_end = "]",
    .terminator = ";",
    .loop_head = "let {0} = element / {2}u % {1}u;",
    .loop_end = "",
    .argument = [](const Datum& value, const PortDef&) { return javascript_argument(value); },
};

std::set<std::string> reserved_names() {
  std::set<std::string> names = javascript_reserved_names();
  names.merge(webgpu_snippets().defined_names());
  for (const char* name : {"GPUBufferUsage", "GPUMapMode", "GPUShaderStage", "program"})
    names.insert(name);
  return names;
}

void check_int(const std::string& path, const Tensor& constant, int64_t at) {
  const int64_t number = constant.data<int64_t>()[at];
  if (fits_webgpu(number)) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1032",
         .path = path,
         .message = "WebGPU has no type for the int " + std::to_string(number),
         .help = "it has ints of 32 bits"});
}

// Shaders name their operands a0, a1, ..., and values within a loop v0, v1, ..., so that equal
// formulas are one shader.
class WebGpuFunctionWriter final : public StatementWriter {
 public:
  WebGpuFunctionWriter(const SourceProgram& program, const ProgramMemory& memory)
      : StatementWriter(program, webgpu_language(), webgpu_syntax),
        memory_(memory),
        names_(reserved_names()),
        tensors_(program.graph.values().size()) {}

  JavaScriptFunction write(const std::string& name) {
    write_statements();
    return {.text = "function " + name + "(program) {\n" + declarations_ + body_ + "}\n",
            .snippets = std::move(snippets_)};
  }

 private:
  // The variable of a tensor, which is declared when it is first used.
  std::string tensor(ValueId id) override {
    std::string& name = tensors_[index(id)];
    if (!name.empty()) return name;
    name = names_.add(name_of(id));
    const BufferRef& at = buffer(id);
    const std::string path = name_of(id) == name ? "" : comment(name_of(id)) + " ";
    const std::string note = "  // " + path + dims_comment(graph().value(id), program_.dims_of(id));
    if (at.kind == BufferRef::Kind::constant) {
      declare_tensor(name, "program.constant", id, "[" + constant_text(id, at.index) + "]", note);
    } else {
      declare_tensor(name, "program.tensor", id, std::to_string(offset(at)), note);
    }
    return name;
  }

  void declare_tensor(const std::string& name, const std::string& maker, ValueId id,
                      const std::string& from, const std::string& note) {
    const Dims& dims = program_.dims_of(id);
    declarations_ += code_line(
        2, fmt::format("const {} = {}(\"{}\", {}, [{}]);{}", name, maker,
                       webgpu_type(graph().value(id).dtype), from, join(dims, ", "), note));
  }

  std::string constant_text(ValueId id, size_t constant) const {
    const Tensor& tensor = *program_.constants[constant];
    std::string text;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      if (tensor.dtype() == DType::int64) check_int(graph().value(id).name, tensor, i);
      if (i > 0) text += i % 8 == 0 ? ",\n    " : ", ";
      text += javascript_number(tensor.at_as_double(i), tensor.dtype());
    }
    return text;
  }

  int64_t offset(const BufferRef& at) const {
    if (at.kind == BufferRef::Kind::input) return memory_.inputs[at.index];
    if (at.kind == BufferRef::Kind::output) return memory_.outputs[at.index];
    MITHRIL_CHECK(at.kind == BufferRef::Kind::workspace, "a value without a buffer is read");
    return memory_.workspace + at.offset;
  }

  void begin_statement() override { written_.clear(); }
  void declare(ValueId id) override { written_.push_back(id); }

  void write_view(size_t) override {}  // a tensor in the same buffer

  void write_copy(ValueId to, ValueId from) override { write_copy_to(tensor(to), from, to); }

  void write_output_copy(size_t output, ValueId from) override {
    const std::string name = names_.add(graph().outputs()[output].name);
    declare_tensor(name, "program.tensor", from, std::to_string(memory_.outputs[output]), "");
    write_copy_to(name, from, from);
  }

  // An elementwise kernel with the formula that converts the elements to those of `like`.
  void write_copy_to(const std::string& to, ValueId from, ValueId like) {
    const DType dtype = graph().value(like).dtype;
    const FormulaNode node{.computed = dtype, .output = dtype, .port = [&](const std::string&) {
                             return FormulaPort{.element = "a1[element]",
                                                .dtype = graph().value(from).dtype};
                           }};
    const auto formula = webgpu_language().formula(parse_formula("T({input})"), node);
    write_elements({{"a0", to}}, {{"a1", tensor(from)}},
                   text_line(4, "a0[element] = " + formula->text + ";"));
  }

  using Operands = std::vector<std::pair<std::string, std::string>>;  // name in the shader, tensor

  void write_elements(const Operands& written, const Operands& read, const std::string& shader) {
    const auto list_text = [](const Operands& operands) {
      std::string text;
      for (const auto& [name, tensor] : operands)
        text += (text.empty() ? "" : ", ") + name + ": " + tensor;
      return "{ " + text + " }";
    };
    line("addElements(" + list_text(written) + ", " + list_text(read) + ", `");
    body_ += shader + "  `);\n";
    snippets_.insert("elements");
  }

  std::vector<std::string> begin_loop(const Loop& loop) override {
    locals_ = 0;
    names_in_loop_.clear();
    for (size_t i = 0; i < loop.operands.size(); ++i)
      names_in_loop_.push_back(fmt::format("a{}", i));
    return names_in_loop_;
  }

  std::string loop_local(ValueId) override { return fmt::format("v{}", locals_++); }
  std::string declarator(ValueId) const override { return "let "; }

  void end_loop(const Loop& loop) override {
    Operands written, read;
    for (size_t i = 0; i < loop.operands.size(); ++i) {
      const bool is_written = std::ranges::find(written_, loop.operands[i]) != written_.end();
      (is_written ? written : read).emplace_back(names_in_loop_[i], tensor(loop.operands[i]));
    }
    write_elements(written, read, loop.body);
  }

  const ProgramMemory& memory_;
  Identifiers names_;
  std::vector<std::string> tensors_;  // per value, once it has a variable
  std::vector<ValueId> written_;      // values that the current statement writes
  std::vector<std::string> names_in_loop_;
  size_t locals_ = 0;  // of the current loop
  std::string declarations_;
};

}  // namespace

JavaScriptFunction webgpu_function(const std::string& name, const SourceProgram& program,
                                   const ProgramMemory& memory) {
  return WebGpuFunctionWriter(program, memory).write(name);
}

}  // namespace mithril::codegen
