#include "codegen/cpp/interface.hpp"

#include <algorithm>

#include "codegen/common/code_line.hpp"
#include "codegen/common/literals.hpp"
#include "codegen/common/names.hpp"

namespace mithril::codegen {
namespace {

using Role = ExportedInput::Role;

// A member of a struct, with a trailing comment.
struct Member {
  std::string declaration, note;
};

std::string struct_text(const std::string& type, const std::string& what,
                        std::vector<Member> members) {
  if (members.empty()) members.push_back({"char nothing", "C has no empty structs"});
  size_t width = 0;
  for (const Member& member : members) width = std::max(width, member.declaration.size());
  std::string text = "// " + what + "\ntypedef struct " + type + " {\n";
  for (const Member& member : members) {
    const std::string space(width - member.declaration.size(), ' ');
    text += "  " + member.declaration + ";" + space + "  // " + member.note + "\n";
  }
  return text + "} " + type + ";\n\n";
}

class StructWriter {
 public:
  StructWriter(const std::string& name, const ExportedModel& model, const Members& members,
               const SourceProgram& forward)
      : name_(name), model_(model), members_(members), forward_(forward) {}

  std::string structs(const SourceProgram* gradients) const {
    std::string text = inputs() + outputs();
    if (gradients) text += output_gradients() + parameter_gradients();
    return text;
  }

 private:
  Member member(const std::string& name, ValueId id, const std::string& note, bool given) const {
    const Value& value = forward_.graph.value(id);
    return {(given ? "const " : "") + type_name(value.dtype) + "* " + name,
            note + " " + dims_comment(value, forward_.dims_of(id))};
  }

  std::string inputs() const {
    std::vector<Member> all;
    for (size_t i = 0; i < model_.inputs.size(); ++i) {
      const ExportedInput& input = model_.inputs[i];
      const char* role = input.frozen                    ? "frozen parameter"
                         : input.role == Role::data      ? "data"
                         : input.role == Role::parameter ? "parameter"
                                                         : "state, null: the initial one;";
      all.push_back(member(members_.inputs[i], forward_.graph.inputs()[i],
                           std::string(role) + " " + comment(input.key), true));
    }
    return struct_text(name_ + "_inputs", "What goes in.", all);
  }

  ValueId value_of(const ExportedOutput& output) const {
    return forward_.graph.outputs()[output.index].value;
  }

  std::string outputs() const {
    std::vector<Member> all;
    for (size_t i = 0; i < model_.outputs.size(); ++i) {
      const ExportedOutput& output = model_.outputs[i];
      all.push_back(member(members_.outputs[i], value_of(output),
                           (output.next_state ? "next state " : "output ") + comment(output.key),
                           false));
    }
    return struct_text(name_ + "_outputs", "Where the outputs go.", all);
  }

  std::string output_gradients() const {
    std::vector<Member> all;
    for (size_t i = 0; i < model_.gradient_of.size(); ++i) {
      const ExportedOutput& output = model_.outputs[model_.gradient_of[i]];
      all.push_back(member(members_.output_gradients[i], value_of(output),
                           "of " + comment(output.key), true));
    }
    return struct_text(name_ + "_output_gradients", "The gradients that come in at the outputs.",
                       all);
  }

  std::string parameter_gradients() const {
    std::vector<Member> all;
    for (size_t i = 0; i < model_.inputs.size(); ++i) {
      if (!model_.inputs[i].is_trained()) continue;
      all.push_back(member(members_.gradients[all.size()], forward_.graph.inputs()[i],
                           "of " + comment(model_.inputs[i].key), false));
    }
    return struct_text(name_ + "_gradients", "Where the gradients of the parameters go.", all);
  }

  const std::string& name_;
  const ExportedModel& model_;
  const Members& members_;
  const SourceProgram& forward_;
};

// Checks of a pointer to a struct and of the pointers to elements in the struct.
class PointerChecks {
 public:
  PointerChecks(const std::string& function, const SourceProgram& program)
      : function_(function), program_(program) {}

  void add_struct(const std::string& name) {
    struct_ = name;
    add(name);
  }
  // A pointer to no elements may be null.
  void add_member(const std::string& name, ValueId id) {
    const Dims& dims = program_.dims_of(id);
    if (std::find(dims.begin(), dims.end(), 0) == dims.end()) add(struct_ + "->" + name);
  }
  const std::string& text() const { return text_; }

 private:
  void add(const std::string& pointer) {
    const std::string error = std::string("mithril.BackendError[") + code + "]: " + function_ +
                              ": " + pointer + " is null";
    text_ += "  if (!" + pointer + ") return \"" + error + "\";\n";
  }

  static constexpr const char* code = "E1053";

  const std::string& function_;
  const SourceProgram& program_;
  std::string struct_, text_;
};

}  // namespace

std::string null_checks(const std::string& function, const ExportedModel& model,
                        const Members& members, const SourceProgram& forward,
                        const SourceProgram* gradients) {
  PointerChecks checks(function, forward);
  const auto output_of = [&](size_t i) {
    return forward.graph.outputs()[model.outputs[i].index].value;
  };
  checks.add_struct("inputs");
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    if (model.inputs[i].role == Role::state) continue;  // null: the initial one
    checks.add_member(members.inputs[i], forward.graph.inputs()[i]);
  }
  if (gradients) {
    checks.add_struct("output_gradients");
    for (size_t i = 0; i < model.gradient_of.size(); ++i)
      checks.add_member(members.output_gradients[i], output_of(model.gradient_of[i]));
  }
  checks.add_struct("outputs");
  for (size_t i = 0; i < model.outputs.size(); ++i)
    checks.add_member(members.outputs[i], output_of(i));
  if (!gradients) return checks.text();
  checks.add_struct("gradients");
  size_t parameter = 0;
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    if (!model.inputs[i].is_trained()) continue;
    checks.add_member(members.gradients[parameter++], forward.graph.inputs()[i]);
  }
  return checks.text();
}

Members members_of(const ExportedModel& model) {
  Members members;
  Identifiers inputs, outputs, output_gradients, gradients;
  for (const ExportedInput& input : model.inputs) {
    members.inputs.push_back(inputs.add(input.key));
    if (input.is_trained()) members.gradients.push_back(gradients.add(input.key));
  }
  for (const ExportedOutput& output : model.outputs) {
    members.outputs.push_back(outputs.add((output.next_state ? "next_" : "") + output.key));
  }
  for (const size_t i : model.gradient_of) {
    members.output_gradients.push_back(output_gradients.add(model.outputs[i].key));
  }
  return members;
}

std::string interface_text(const std::string& name, const ExportedModel& model,
                           const Members& members, const SourceProgram& forward,
                           const SourceProgram* gradients) {
  std::string text = StructWriter(name, model, members, forward).structs(gradients);
  text += "// Bytes that evaluating works in.\nsize_t " + name + "_workspace_bytes(void);\n\n" +
          "// Computes the outputs.\nconst char* " + name + "_evaluate(const " + name +
          "_inputs* inputs, const " + name + "_outputs* outputs,\n    void* workspace);\n";
  if (!gradients) return text;
  return text + "\nsize_t " + name + "_gradients_workspace_bytes(void);\n\n" +
         "// Computes the outputs and the gradients of the parameters.\nconst char* " + name +
         "_evaluate_gradients(\n    const " + name + "_inputs* inputs, const " + name +
         "_output_gradients* output_gradients,\n    const " + name + "_outputs* outputs, const " +
         name + "_gradients* gradients, void* workspace);\n";
}

}  // namespace mithril::codegen
