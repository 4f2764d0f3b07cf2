#include "backends/torch/script/script.hpp"

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/graph_executor.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include "backends/torch/script/script_names.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/write_file.hpp"

namespace mithril::torch_backend {
namespace {

namespace jit = torch::jit;

// The type of the items of a list argument.
c10::TypePtr item_type(const c10::Argument& argument) {
  c10::TypePtr type = argument.type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type->expectRef<c10::ListType>().getElementType();
}

// Writes the calls of a program into a graph of TorchScript.
class Body {
 public:
  Body(jit::Graph& script, const Graph& graph, const TorchProgram& program)
      : script_(script), graph_(graph), program_(program), registers_(program.registers) {}

  void know(ValueId id, jit::Value* value) { registers_[index(id)] = value; }
  // Makes new tensors on the device of `tensor`, so that a file can be loaded on another device.
  // Without this call they are on the device of the program.
  void make_on_device_of(jit::Value* tensor) { device_of_ = tensor; }

  void write() {
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      for (const OperatorCall& operator_call : program_.nodes[i].calls) write(operator_call);
      for (const Result& result : program_.nodes[i].results) write(result);
    }
  }

  jit::Value* value(ValueId id) const { return registers_[index(id)]; }

 private:
  jit::Value* at(int place) const { return registers_[static_cast<size_t>(place)]; }

  jit::Value* operand(const Operand& operand, const c10::IValue& constant,
                      const c10::Argument& argument) {
    switch (operand.kind) {
      case Operand::Kind::constant:
        if (constant.isDevice() && device_of_)
          return script_.insert(c10::prim::device, {device_of_});
        return script_.insertConstant(constant);
      case Operand::Kind::tensor:
        return at(operand.registers[0]);
      case Operand::Kind::tensors:
        break;
    }
    std::vector<jit::Value*> items;
    for (const int place : operand.registers) items.push_back(at(place));
    return script_.insertNode(script_.createList(item_type(argument), items))->output();
  }

  void write(const OperatorCall& operator_call) {
    const c10::FunctionSchema& schema = operator_call.call.op.schema();
    std::vector<jit::Value*> arguments;
    for (size_t i = 0; i < operator_call.call.operands.size(); ++i) {
      arguments.push_back(operand(operator_call.call.operands[i], operator_call.call.values[i],
                                  schema.arguments()[i]));
    }
    const auto name = c10::Symbol::fromQualString(schema.name());
    jit::Node* node = script_.create(name, arguments, schema.returns().size());
    script_.insertNode(node);
    for (size_t i = 0; i < schema.returns().size(); ++i) {
      node->output(i)->setType(schema.returns()[i].type());
      registers_[static_cast<size_t>(operator_call.first) + i] = node->output(i);
    }
    MITHRIL_CHECK(node->schema().operator_name() == schema.operator_name(),
                  "TorchScript takes another overload of " + schema.name());
  }

  void write(const Result& result) {
    jit::Value* made = at(result.from);
    if (result.item >= 0) {
      made = script_.insert(c10::aten::__getitem__, {made, static_cast<int64_t>(result.item)});
    }
    if (result.converted) {
      jit::Value* dtype = script_.insertConstant(static_cast<int64_t>(result.dtype));
      made = script_.insert(c10::aten::to, {made, dtype});
    }
    registers_[index(result.value)] = made;
  }

  jit::Graph& script_;
  const Graph& graph_;
  const TorchProgram& program_;
  std::vector<jit::Value*> registers_;
  jit::Value* device_of_ = nullptr;
};

class Executor final : public Script {
 public:
  explicit Executor(std::shared_ptr<jit::Graph> script)
      : script_(std::move(script)), executor_(script_, "mithril") {}

  std::vector<at::Tensor> run(at::TensorList inputs) const override {
    std::vector<c10::IValue> stack(inputs.begin(), inputs.end());
    executor_.run(stack);
    std::vector<at::Tensor> outputs;
    outputs.reserve(stack.size());
    for (c10::IValue& value : stack) outputs.push_back(std::move(value).toTensor());
    return outputs;
  }

 private:
  std::shared_ptr<jit::Graph> script_;
  mutable jit::GraphExecutor executor_;  // specialises the graph, behind its own lock
};

class Writer {
 public:
  Writer(const Graph& graph, const TorchProgram& program)
      : graph_(graph), script_(std::make_shared<jit::Graph>()), body_(*script_, graph, program) {
    module_.register_attribute("training", c10::BoolType::get(), false);
    self_ = script_->addInput("self");
    self_->setType(module_._ivalue()->type());
  }

  void write_inputs(std::span<const SavedInput> inputs, c10::Device device) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const SavedInput& input = inputs[i];
      const ValueId id = graph_.inputs()[i];
      if (input.value) {
        const at::Tensor tensor = to_torch(*input.value, device).detach().clone();
        attributes_.emplace_back(id, attribute(input.key, tensor));
      } else {
        jit::Value* argument = script_->addInput(free_argument(script_name(input.key)));
        argument->setType(c10::TensorType::get());
        body_.know(id, argument);
        sized_.emplace_back(&input, argument);
      }
    }
  }

  void write_body(const std::vector<at::Tensor>& constants) {
    for (const auto& [input, argument] : sized_) check_sizes(*input, argument);
    for (const auto& [id, path] : attributes_) body_.know(id, get(path));
    if (!graph_.inputs().empty()) body_.make_on_device_of(body_.value(graph_.inputs().front()));
    for (size_t i = 0; i < constants.size(); ++i) {
      body_.know(graph_.constants()[i].value, script_->insertConstant(constants[i]));
    }
    body_.write();
  }

  void write_outputs(std::span<const SavedOutput> outputs) {
    if (outputs.size() == 1) {
      script_->registerOutput(output(outputs[0]));
      return;
    }
    std::vector<jit::Value*> keys, values;
    for (const SavedOutput& at : outputs) {
      keys.push_back(script_->insertConstant(at.key));
      values.push_back(output(at));
    }
    script_->registerOutput(script_
                                ->insertNode(script_->createDict(
                                    c10::StringType::get(), c10::TensorType::get(), keys, values))
                                ->output());
  }

  void save(const std::string& path) {
    script_->lint();
    jit::Function* forward = module_._ivalue()->compilation_unit()->create_function(
        c10::QualifiedName(*module_.type()->name(), "forward"), script_);
    module_.type()->addMethod(forward);
    std::ostringstream file;
    module_.save(file);
    const std::string failure = file ? write_file(path, file.view())
                                     : std::make_error_code(std::errc::not_enough_memory).message();
    if (failure.empty()) return;
    raise({.kind = ErrorKind::backend,
           .code = "E1022",
           .message = "the TorchScript file " + in_quotes(path) + " cannot be written",
           .facts = {{"why", failure}}});
  }

 private:
  using Path = std::vector<std::string>;  // names of attributes, from the module down

  // Registers the parameter `key` below modules for the components of its path. A name that another
  // attribute of the module has gets a "_" appended.
  Path attribute(const std::string& key, const at::Tensor& tensor) {
    Path path;
    jit::Module at = module_;
    for (size_t begin = 0;;) {
      const size_t end = key.find('.', begin);
      const std::string name = script_name(key.substr(begin, end - begin));
      if (end == std::string::npos) {
        path.push_back(free_attribute(at, name));
        at.register_parameter(path.back(), tensor, /*is_buffer=*/false);
        return path;
      }
      const auto [part, added] = part_names_.try_emplace(key.substr(0, end));
      if (added) {
        part->second = free_attribute(at, name);
        at.register_module(part->second,
                           jit::Module("Part_" + std::to_string(part_names_.size()) + "_" + name));
      }
      path.push_back(part->second);
      at = at.attr(part->second).toModule();
      begin = end + 1;
    }
  }

  static std::string free_attribute(const jit::Module& module, std::string name) {
    while (module.hasattr(name)) name += "_";
    return name;
  }

  jit::Value* get(const Path& path) {
    jit::Value* at = self_;
    for (const std::string& name : path) at = script_->insertGetAttr(at, name);
    return at;
  }

  std::string free_argument(std::string name) {
    while (!argument_names_.insert(name).second) name += "_";
    return name;
  }

  // The calls are valid for these sizes only.
  void check_sizes(const SavedInput& input, jit::Value* argument) {
    jit::Value* size = script_->insert(c10::aten::size, {argument});
    jit::Value* fits =
        script_->insert(c10::aten::eq, {size, c10::IValue(c10::List<int64_t>(input.dims))});
    jit::Node* check = script_->insertNode(script_->create(c10::prim::If, {fits}, 0));
    check->addBlock();
    const jit::WithInsertPoint inside(check->addBlock());
    jit::Value* text = script_->insertConstant(input.key + ": this file is for the dims " +
                                               to_string(input.dims) + ", and for no others");
    jit::Value* kind = script_->insertConstant(std::string("ValueError"));
    script_->insertNode(script_->create(c10::prim::RaiseException, {text, kind}, 0));
  }

  jit::Value* output(const SavedOutput& output) {
    return body_.value(graph_.outputs()[output.index].value);
  }

  const Graph& graph_;
  jit::Module module_{"Mithril"};
  std::shared_ptr<jit::Graph> script_;
  Body body_;
  jit::Value* self_ = nullptr;
  std::set<std::string> argument_names_;
  std::map<std::string, std::string> part_names_;  // the attribute of each component, by its path
  std::vector<std::pair<ValueId, Path>> attributes_;
  std::vector<std::pair<const SavedInput*, jit::Value*>> sized_;
};

}  // namespace

const OpDef* beyond_script(const TorchProgram& program) {
  const auto is_own = [](const OperatorCall& operator_call) {
    return operator_call.call.op.schema().name().starts_with("mithril::");
  };
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const LoweredNode& node = program.nodes[i];
    if (node.spelling.empty() || node.exchange != ExchangePart::none ||
        std::any_of(node.calls.begin(), node.calls.end(), is_own)) {
      return program.plan.nodes[i].op;
    }
  }
  return nullptr;
}

std::shared_ptr<const Script> make_script(const Graph& graph, const TorchProgram& program,
                                          const std::vector<at::Tensor>& constants) {
  auto script = std::make_shared<jit::Graph>();
  Body body(*script, graph, program);
  for (const ValueId id : graph.inputs()) {
    jit::Value* input = script->addInput();
    input->setType(c10::TensorType::get());
    body.know(id, input);
  }
  for (size_t i = 0; i < constants.size(); ++i) {
    body.know(graph.constants()[i].value, script->insertConstant(constants[i]));
  }
  body.write();
  for (const Output& output : graph.outputs()) script->registerOutput(body.value(output.value));
  script->lint();
  return std::make_shared<Executor>(std::move(script));
}

void save_script(const std::string& path, const Graph& graph, const TorchProgram& program,
                 const std::vector<at::Tensor>& constants, std::span<const SavedInput> inputs,
                 std::span<const SavedOutput> outputs) {
  Writer writer(graph, program);
  writer.write_inputs(inputs, program.target.device);
  writer.write_body(constants);
  writer.write_outputs(outputs);
  writer.save(path);
}

}  // namespace mithril::torch_backend
