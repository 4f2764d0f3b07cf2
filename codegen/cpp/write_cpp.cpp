#include "codegen/cpp/write_cpp.hpp"

#include <algorithm>
#include <filesystem>

#include "codegen/common/code_line.hpp"
#include "codegen/common/generated_file.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/common/loop_text.hpp"
#include "codegen/common/make_program.hpp"
#include "codegen/common/names.hpp"
#include "codegen/cpp/cpp_language.hpp"
#include "codegen/cpp/function_writer.hpp"
#include "codegen/cpp/interface.hpp"
#include "codegen/cpp/snippets.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril {
namespace codegen {
namespace {

using Role = ExportedInput::Role;

std::vector<Dims> input_dims(const ExportedModel& model) {
  std::vector<Dims> dims;
  for (const ExportedInput& input : model.inputs) dims.push_back(input.dims);
  return dims;
}

// The dims of the inputs, then of the incoming gradients.
std::vector<Dims> gradient_dims(const ExportedModel& model, const SourceProgram& forward) {
  std::vector<Dims> dims = input_dims(model);
  for (const size_t i : model.gradient_of) {
    dims.push_back(forward.dims_of(forward.graph.outputs()[model.outputs[i].index].value));
  }
  return dims;
}

// The kernels of a program, and the functions of formulas and blocks.
std::set<std::string> snippets_of(const SourceProgram& program) {
  std::set<std::string> names = {"run", "integers", "to_integer", "float_functions", "steps"};
  for (const Statement& statement : program.statements) {
    if (statement.kind == StatementKind::kernel)
      names.insert(program.node(statement.nodes.front()).op->name);
  }
  for (const auto& [node, block] : program.blocks) {
    for (const SourceProgram& body : block.bodies) names.merge(snippets_of(body));
  }
  return names;
}

class FileWriter {
 public:
  FileWriter(const ExportedModel& model, const std::string& name, const std::string& kernels)
      : model_(model),
        kernels_(kernels),
        members_(members_of(model)),
        forward_(make_program(model.graph, input_dims(model), cpp_language())) {
    made_.name = prefix(name);
    if (model.gradients)
      gradients_ = make_program(*model.gradients, gradient_dims(model, forward_), cpp_language());
    const SourceProgram* const programs[] = {&forward_, gradients_ ? &*gradients_ : &forward_};
    check_ops(programs, cpp_language());
    made_.snippets = snippets_of(forward_);
    if (gradients_) made_.snippets.merge(snippets_of(*gradients_));
    for (const Snippet* snippet : cpp_snippets().with_needs(made_.snippets))
      file_names_.insert(snippet->names.begin(), snippet->names.end());
    for (const char* name :
         {"inputs", "outputs", "output_gradients", "gradients", "workspace", "std"})
      file_names_.insert(name);
    for (size_t axis = 0; axis < 20; ++axis) file_names_.insert(LoopNest::variable(axis));
    made_.snippets = {"run"};
  }

  CppModel write() {
    made_.interface =
        interface_text(made_.name, model_, members_, forward_, gradients_ ? &*gradients_ : nullptr);
    name_initial_states();
    name_constants(forward_);
    if (gradients_) name_constants(*gradients_);
    const std::string evaluate = forward_function();
    const std::string gradients = gradients_ ? gradients_function() : "";
    const std::string space = made_.name + "_model";
    made_.functions = "namespace " + space + " {\n\nusing namespace " + kernels_ + ";\n\n" +
                      constants_text_ + evaluate + gradients + "}  // namespace " + space + "\n\n" +
                      entry_points(space);
    return std::move(made_);
  }

 private:
  std::string constant(const std::string& name, const Tensor& tensor) {
    for (const auto& [known, array] : constants_) {
      if (known.first == name && identical(known.second, tensor)) return array;
    }
    const std::string array = constant_names_.add(name + ".elements");
    file_names_.insert(array);
    constants_.push_back({{name, tensor}, array});
    constants_text_ += "// " + comment(name) + " " + to_string(tensor.dims()) + "\nconst " +
                       type_name(tensor.dtype()) + " " + array + "[" +
                       std::to_string(std::max<int64_t>(1, tensor.size())) + "] = {" +
                       (are_zeros(tensor) ? "" : "\n" + elements(tensor)) + "};\n\n";
    return array;
  }

  void name_constants(const SourceProgram& program) {
    const std::vector<bool> read = values_read(program);
    for (size_t i = 0; i < read.size(); ++i) {
      if (!program.constants[i] || !read[i]) continue;
      const Tensor& tensor = *program.constants[i];
      arrays_[&tensor] = constant(program.graph.values()[i].name, tensor);
    }
    for (const auto& [node, block] : program.blocks) {
      for (const SourceProgram& body : block.bodies) name_constants(body);
    }
  }

  void name_initial_states() {
    for (size_t i = 0; i < model_.inputs.size(); ++i) {
      const ExportedInput& input = model_.inputs[i];
      std::string expression = "inputs." + members_.inputs[i];
      if (input.role == Role::state) {
        const std::string initial = constant(input.key + ".initial", *input.initial);
        expression = "(" + expression + " ? " + expression + " : " + initial + ")";
      }
      inputs_.push_back(expression);
    }
  }

  FunctionNames names() const {
    FunctionNames names{
        .inputs = inputs_, .outputs = {}, .constants = arrays_, .locals = Identifiers(file_names_)};
    names.outputs.resize(model_.graph.outputs().size());
    for (size_t i = 0; i < model_.outputs.size(); ++i) {
      names.outputs[model_.outputs[i].index] = "outputs." + members_.outputs[i];
    }
    return names;
  }

  // Parameters that the body does not use are unnamed.
  std::string function(const std::string& head, std::vector<std::string> structs,
                       const SourceProgram& program, FunctionNames names) {
    const FunctionText text = CppFunctionWriter(program, std::move(names)).write();
    made_.snippets.insert(text.snippets.begin(), text.snippets.end());
    std::string parameters;
    for (const std::string& what : structs) {
      const auto names_it = [&](const std::string& pointer) {
        return pointer.starts_with(what + ".") || pointer.starts_with("(" + what + ".");
      };
      const bool read = std::any_of(text.pointers.begin(), text.pointers.end(), names_it);
      parameters += "const " + made_.name + "_" + what + "&" + (read ? " " + what : "") + ", ";
    }
    parameters += text.pointers.contains("workspace") ? "char* workspace" : "char*";
    return code_line(0, "void " + head + "(" + parameters + ") {") + text.body + "}\n\n";
  }

  std::string forward_function() {
    return function("evaluate", {"inputs", "outputs"}, forward_, names());
  }

  std::string gradients_function() {
    FunctionNames all = names();
    for (const std::string& member : members_.output_gradients)
      all.inputs.push_back("output_gradients." + member);
    for (const std::string& member : members_.gradients)
      all.outputs.push_back("gradients." + member);
    return function("evaluate_gradients", {"inputs", "output_gradients", "outputs", "gradients"},
                    *gradients_, std::move(all));
  }

  std::string entry_points(const std::string& space) const {
    const std::string& name = made_.name;
    std::string text = entry(name + "_workspace_bytes", forward_.workspace_bytes);
    text += "const char* " + name + "_evaluate(const " + name + "_inputs* inputs, const " + name +
            "_outputs* outputs,\n    void* workspace) {\n" +
            null_checks(name + "_evaluate", model_, members_, forward_, nullptr) + "  return " +
            kernels_ + "::run(workspace, " + name +
            "_workspace_bytes(), [&](char* memory) {\n    " + space +
            "::evaluate(*inputs, *outputs, memory);\n  });\n}\n";
    if (!gradients_) return text;
    text += "\n" + entry(name + "_gradients_workspace_bytes", gradients_->workspace_bytes);
    return text + "const char* " + name + "_evaluate_gradients(\n    const " + name +
           "_inputs* inputs, const " + name + "_output_gradients* output_gradients,\n    const " +
           name + "_outputs* outputs, const " + name +
           "_gradients* gradients, void* workspace) {\n" +
           null_checks(name + "_evaluate_gradients", model_, members_, forward_, &*gradients_) +
           "  return " + kernels_ + "::run(workspace, " + name +
           "_gradients_workspace_bytes(), [&](char* memory) {\n    " + space +
           "::evaluate_gradients(*inputs, *output_gradients, *outputs, *gradients, memory);\n  "
           "});\n}\n";
  }

  static std::string entry(const std::string& function, int64_t bytes) {
    return "size_t " + function + "(void) { return " + std::to_string(bytes) + "; }\n\n";
  }

  const ExportedModel& model_;
  const std::string& kernels_;
  Members members_;
  SourceProgram forward_;
  std::optional<SourceProgram> gradients_;
  std::set<std::string> file_names_;  // the names that no local may hide
  Identifiers constant_names_;
  std::vector<std::pair<std::pair<std::string, Tensor>, std::string>> constants_;
  std::map<const Tensor*, std::string> arrays_;  // of the constants of both programs
  std::vector<std::string> inputs_;
  std::string constants_text_;
  CppModel made_;
};

}  // namespace

CppModel cpp_model(const ExportedModel& model, const std::string& name,
                   const std::string& kernels) {
  return FileWriter(model, name, kernels).write();
}

std::string cpp_file(const std::string& head, std::span<const CppModel> models,
                     const std::string& kernels) {
  std::set<std::string> names, headers;
  std::string interfaces, functions, snippets;
  for (const CppModel& model : models) {
    names.insert(model.snippets.begin(), model.snippets.end());
    interfaces += model.interface;
    functions += "\n" + model.functions;
  }
  // For the formulas.
  headers = {"cmath", "algorithm", "limits"};
  for (const Snippet* snippet : cpp_snippets().with_needs(names)) {
    headers.insert(snippet->imports.begin(), snippet->imports.end());
    snippets += "\n" + snippet->description + "\n" + snippet->text + "\n";
  }
  std::string text = head +
                     "\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
                     "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" +
                     interfaces +
                     "\n#ifdef __cplusplus\n}\n#endif\n\n#ifndef DECLARATIONS_ONLY\n\n";
  for (const std::string& header : headers) text += "#include <" + header + ">\n";
  text +=
      "\n#if defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__)\n"
      "#pragma GCC optimize(\"O3\")  // -O2 of GCC vectorises few loops\n#endif\n";
  return text + "\nnamespace " + kernels + " {\n" + snippets + "\n}  // namespace " + kernels +
         "\n" + functions + "\n#endif  // DECLARATIONS_ONLY\n";
}

}  // namespace codegen

namespace {

std::string head_text(const std::string& name) {
  return "// The model '" + name + "', written by Mithril " + std::string(version()) +
         R"(: C++17, and nothing but the standard library.
//
// Compile it with -O3 -march=native, or with the -march of the target processors. Without -march
// the vectors of its kernels have 16 bytes, and a matrix product takes up to five times as long.
//
// Inputs and outputs are structs of pointers to elements in row-major order, of the sizes beside
// them. Memory that a function writes must not overlap with other memory. A workspace is memory of
// the size that the workspace function returns, aligned to 64 bytes; with null a call allocates its
// own. Pointers of states may be null, other pointers must not. A function returns null, or an
// error message. Any number of threads may call at once, each with its own workspace.
//
// For the declarations alone, in C or C++, define DECLARATIONS_ONLY and include this file.
)";
}

}  // namespace

std::string cpp_source(const ExportedModel& model, const std::string& name) {
  const std::string kernels = codegen::prefix(name) + "_kernels";
  const codegen::CppModel made[] = {codegen::cpp_model(model, name, kernels)};
  return codegen::cpp_file(head_text(made[0].name), made, kernels);
}

void write_cpp(const ExportedModel& model, const std::string& path) {
  const std::string source = cpp_source(model, std::filesystem::path(path).stem().string());
  codegen::write_generated(path, source);
}

}  // namespace mithril
