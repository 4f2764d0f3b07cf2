#include "codegen/javascript/function.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/common/code_line.hpp"
#include "codegen/common/loop_text.hpp"
#include "codegen/common/node_text.hpp"
#include "codegen/javascript/formula.hpp"
#include "codegen/javascript/snippets.hpp"
#include "codegen/javascript/wide_ints.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::codegen {
namespace {

std::string constant_text(const Tensor& tensor) {
  std::string text;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (i > 0) text += i % 8 == 0 ? ",\n    " : ", ";
    text += tensor.dtype() == DType::int64
                ? std::to_string(tensor.data<int64_t>()[i])
                : javascript_number(tensor.at_as_double(i), tensor.dtype());
  }
  return text;
}

class JavaScriptFunctionWriter {
 public:
  JavaScriptFunctionWriter(const Program& program, const ProgramMemory& memory,
                           LoopFunctions& loops)
      : program_(program),
        memory_(memory),
        loops_(loops),
        names_(javascript_reserved_names()),
        is_wide_(wide_ints(program, javascript_language())),
        tensors_(program.graph.values().size()) {}

  JavaScriptFunction write(const std::string& name) {
    for (const Statement& statement : program_.statements) write(statement);
    for (const size_t i : program_.copied) copy_output(i);
    result_.text = "function " + name + "(memory) {\n" + declarations_ + "  return () => {\n" +
                   body_ + "  };\n}\n";
    return std::move(result_);
  }

 private:
  const Graph& graph() const { return program_.graph; }
  const PlannedNode& planned(size_t node) const { return program_.plan.nodes[node]; }
  const BufferRef& buffer(ValueId id) const { return program_.buffers[index(id)]; }
  bool is_wide(ValueId id) const { return is_wide_[index(id)]; }
  std::string array_of(ValueId id) const {
    return javascript_array(graph().value(id).dtype, is_wide(id));
  }
  bool is_tensor(ValueId id) const { return buffer(id).kind != BufferRef::Kind::loop_local; }

  // The variable of a tensor, which is declared when it is first used.
  const std::string& tensor(ValueId id) {
    std::string& name = tensors_[index(id)];
    if (!name.empty()) return name;
    name = names_.add(name_of(id));
    const Dims& dims = program_.dims_of(id);
    const std::string sizes = dims.empty() ? "" : ", " + join(dims, ", ");
    const BufferRef& at = buffer(id);
    const std::string path = name_of(id) == name ? "" : comment(name_of(id)) + " ";
    const std::string note = "  // " + path + dims_comment(graph().value(id), dims);
    if (at.kind == BufferRef::Kind::constant) {
      const Tensor& elements = *program_.constants[at.index];
      declarations_ += code_line(2, "const " + name + " = constantOf(" + array_of(id) + ", [" +
                                        constant_text(elements) + (is_wide(id) ? "n" : "") + "]" +
                                        sizes + ");" + note);
    } else {
      declarations_ += declared(name, array_of(id), offset(at), sizes, note);
    }
    return name;
  }

  static std::string declared(const std::string& name, const std::string& array, int64_t offset,
                              const std::string& sizes, const std::string& note) {
    return code_line(2, fmt::format("const {} = tensorAt({}, memory, {}{});{}", name, array, offset,
                                    sizes, note));
  }

  int64_t offset(const BufferRef& at) const {
    if (at.kind == BufferRef::Kind::input) return memory_.inputs[at.index];
    if (at.kind == BufferRef::Kind::output) return memory_.outputs[at.index];
    MITHRIL_CHECK(at.kind == BufferRef::Kind::workspace, "a value without a buffer is read");
    return memory_.workspace + at.offset;
  }

  // A value that is made in the memory of an output has the name of the output.
  const std::string& name_of(ValueId id) const {
    const BufferRef& at = buffer(id);
    if (at.kind != BufferRef::Kind::output) return graph().value(id).name;
    const Output& output = graph().outputs()[at.index];
    return output.value == id ? output.name : graph().value(id).name;
  }

  void line(const std::string& text) { body_ += code_line(4, text); }

  void write(const Statement& statement) {
    const size_t node = statement.nodes.front();
    switch (statement.kind) {
      case StatementKind::loop:
        return write_loop(statement);
      case StatementKind::copy:
        return write_copy(tensor(program_.node(node).outputs.front()), program_.reads[node].front(),
                          program_.node(node).outputs.front());
      case StatementKind::kernel:
        return write_call(node);
      case StatementKind::view:  // a tensor in the same buffer
      case StatementKind::constant:
        return;
    }
  }

  void copy_output(size_t output) {
    const ValueId id = graph().outputs()[output].value;
    const std::string name = names_.add(graph().outputs()[output].name);
    const Dims& dims = program_.dims_of(id);
    declarations_ += declared(name, array_of(id), memory_.outputs[output],
                              dims.empty() ? "" : ", " + join(dims, ", "), "");
    write_copy(name, id, id);
  }

  // A loop over the formula that converts the elements to those of `like`.
  void write_copy(const std::string& to, ValueId from, ValueId like) {
    const DType dtype = graph().value(like).dtype;
    const std::string element = converted("input[i]", is_wide(from), is_wide(like));
    const FormulaNode node{.computed = dtype, .output = dtype, .port = [&](const std::string&) {
                             return FormulaPort{.element = element,
                                                .dtype = graph().value(from).dtype};
                           }};
    const auto formula = javascript_language().formula(parse_formula("T({input})"), node);
    result_.snippets.insert(formula->snippets.begin(), formula->snippets.end());
    const std::string body =
        "  for (let i = 0; i < output.length; ++i) output[i] = " + formula->text + ";\n";
    line(loops_.add("copy", "output, input", body) + "(" + to + ".data, " + tensor(from) +
         ".data);");
  }

  void write_call(size_t node) {
    const Node& at = program_.node(node);
    std::vector<std::string> outputs;
    for (const ValueId id : at.outputs) outputs.push_back(tensor(id));
    std::vector<std::string> arguments = listed(std::move(outputs), at.op->list_output());
    size_t next = 0;
    for (const PortDef& port : at.op->inputs) {
      if (!port.list) {
        arguments.push_back(input(node, next++));
        continue;
      }
      std::vector<std::string> items;
      for (size_t k = 0; k < at.list_size(); ++k) items.push_back(input(node, next++));
      arguments.push_back("[" + join(items, ", ") + "]");
    }
    line(at.op->name + "(" + join(arguments, ", ") + ");");
    result_.snippets.insert(at.op->name);
  }

  // A list port is one argument.
  static std::vector<std::string> listed(std::vector<std::string> names, int list_port) {
    if (list_port < 0) return names;
    return {"[" + join(names, ", ") + "]"};
  }

  std::string input(size_t node, size_t at) {
    const int32_t tensor_id = planned(node).tensors[at];
    const auto id = static_cast<ValueId>(tensor_id);
    if (tensor_id >= 0 && is_wide(id) && !takes_wide_ints(program_.node(node).op->name))
      return "numbersOf(" + tensor(id) + ")";
    if (tensor_id >= 0) return tensor(id);
    return javascript_argument(planned(node).values[at]);
  }

  // An int of 64 bits as a number or as a BigInt.
  static std::string converted(const std::string& element, bool is_wide, bool to_wide) {
    if (is_wide == to_wide) return element;
    return (to_wide ? "BigInt(" : "Number(") + element + ")";
  }

  // A function for the loop, so that engines compile each loop alone, and a call of it.
  void write_loop(const Statement& statement) {
    const Dims& dims = program_.dims_of(program_.node(statement.nodes.front()).outputs.front());
    std::vector<ValueId> operands;
    std::vector<Dims> operand_dims;
    const auto add = [&](ValueId id) {
      if (!is_tensor(id) || std::find(operands.begin(), operands.end(), id) != operands.end())
        return;
      operands.push_back(id);
      operand_dims.push_back(program_.dims_of(id));
    };
    for (const size_t node : statement.nodes) {
      for (const ValueId id : program_.reads[node]) add(id);
      add(program_.node(node).outputs.front());
    }
    Identifiers locals(javascript_reserved_names());
    std::vector<std::string> parameters, arguments;
    for (const ValueId id : operands) {
      parameters.push_back(locals.add(name_of(id)));
      arguments.push_back(tensor(id) + ".data");
    }
    const LoopNest nest(dims, operand_dims);
    std::map<ValueId, std::string> numbers;  // the values that live within the loop
    const auto element = [&](ValueId id) {
      const auto at = std::find(operands.begin(), operands.end(), id);
      if (at == operands.end()) return numbers.at(id);
      const auto operand = static_cast<size_t>(at - operands.begin());
      return parameters[operand] + "[" + nest.index(operand) + "]";
    };
    std::string body;
    size_t indent = 2;
    for (size_t axis = 0; axis < nest.sizes().size(); ++axis, indent += 2) {
      body += code_line(indent, fmt::format("for (let {0} = 0; {0} < {1}; ++{0}) {{",
                                            LoopNest::variable(axis), nest.sizes()[axis]));
    }
    for (const size_t node : statement.nodes) {
      const ValueId made = program_.node(node).outputs.front();
      const bool wide = is_wide(made);
      const auto operand = [&](ValueId id) {
        if (graph().value(id).dtype != DType::int64) return element(id);
        return converted(element(id), is_wide(id), wide);
      };
      const auto formula =
          node_formula(graph(), node, planned(node), javascript_language(), operand, wide);
      MITHRIL_CHECK(formula, "a formula is lost: " + graph().value(made).name);
      result_.snippets.insert(formula->snippets.begin(), formula->snippets.end());
      if (!is_tensor(made)) numbers[made] = locals.add(graph().value(made).name);
      body += code_line(
          indent, (is_tensor(made) ? "" : "const ") + element(made) + " = " + formula->text + ";");
    }
    while (indent > 2) body += code_line(indent -= 2, "}");
    const std::string name =
        "loop_" + prefix(name_of(program_.node(statement.nodes.back()).outputs.front()));
    line(loops_.add(name, join(parameters, ", "), body) + "(" + join(arguments, ", ") + ");");
  }

  const Program& program_;
  const ProgramMemory& memory_;
  LoopFunctions& loops_;
  Identifiers names_;
  std::vector<bool> is_wide_;         // per value
  std::vector<std::string> tensors_;  // per value, once it has a variable
  std::string declarations_, body_;
  JavaScriptFunction result_;
};

}  // namespace

std::string LoopFunctions::add(const std::string& name, const std::string& parameters,
                               const std::string& body) {
  const auto [at, is_new] = known_.try_emplace(parameters + "\n" + body);
  if (!is_new) return at->second;
  at->second = "$" + names_.add(name);  // identifiers made from names of values never begin with $
  text_ += code_line(0, "function " + at->second + "(" + parameters + ") {") + body + "}\n\n";
  return at->second;
}

JavaScriptFunction javascript_function(const std::string& name, const Program& program,
                                       const ProgramMemory& memory, LoopFunctions& loops) {
  return JavaScriptFunctionWriter(program, memory, loops).write(name);
}

std::set<std::string> javascript_reserved_names() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all = javascript_snippets().defined_names();
    for (const char* name : {"Adam",
                             "Array",
                             "BigInt",
                             "BigInt64Array",
                             "Float32Array",
                             "Float64Array",
                             "Infinity",
                             "Int32Array",
                             "Map",
                             "Math",
                             "MithrilError",
                             "Model",
                             "NaN",
                             "Number",
                             "Object",
                             "SGD",
                             "Uint8Array",
                             "arguments",
                             "await",
                             "createModel",
                             "debugger",
                             "eval",
                             "evaluator",
                             "extends",
                             "finally",
                             "function",
                             "gradient_evaluator",
                             "implements",
                             "in",
                             "instanceof",
                             "interface",
                             "let",
                             "memory",
                             "null",
                             "of",
                             "package",
                             "readSafetensors",
                             "super",
                             "undefined",
                             "var",
                             "with",
                             "writeSafetensors",
                             "yield"})
      all.insert(name);
    for (size_t axis = 0; axis < 20; ++axis) all.insert(LoopNest::variable(axis));
    return all;
  }();
  return names;
}

}  // namespace mithril::codegen
