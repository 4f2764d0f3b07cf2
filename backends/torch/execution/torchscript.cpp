#include "backends/torch/execution/torchscript.hpp"

#include <caffe2/serialize/in_memory_adapter.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <new>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "backends/torch/device/refusals.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/infer/size_program.hpp"

namespace mithril::torch_backend {
namespace {

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

// The text of an error of torch without its trace of C++.
std::string message_of(const std::exception& error) {
  const auto* torchs = dynamic_cast<const c10::Error*>(&error);
  return torchs ? torchs->what_without_backtrace() : error.what();
}

// The error is in the last line: a trace of TorchScript comes before it.
std::string last_line(std::string text) {
  text.erase(std::min(text.find_last_not_of(" \n") + 1, text.size()));
  const size_t line = text.rfind('\n');
  return line == text.npos ? text : text.substr(line + 1);
}

class LoadedScript final : public Executable {
 public:
  LoadedScript(std::string_view stored, std::string where, const Graph& ports,
               const Context& context)
      : where_(std::move(where)), context_(context), device_(context.settings.device) {
    for (const ValueId id : ports.inputs()) {
      const Value& value = ports.value(id);
      inputs_.push_back({value.name, value.dtype, value.ranked, value.dims.size(), {}});
      observe(value);
    }
    for (const Output& output : ports.outputs()) {
      const Value& value = ports.value(output.value);
      outputs_.push_back({output.name, value.dtype, value.ranked, value.dims.size(),
                          value.ranked ? to_string(value.dims) : "[...]"});
      observe(value);
    }
    load(stored);
  }

  std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
    torch::jit::Kwargs arguments;
    std::vector<std::int64_t> sizes;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs_[i].ranked)
        sizes.insert(sizes.end(), inputs[i].dims().begin(), inputs[i].dims().end());
    }
    return guarded([&](MemoryScope& scope) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        // A script may write to its arguments.
        const bool writes_elsewhere = inputs[i].read_only() && !is_torch(inputs[i]);
        arguments.emplace(inputs_[i].name,
                          to_torch(writes_elsewhere ? inputs[i].copy() : inputs[i], device_));
      }
      const at::NoGradGuard without_gradients;
      const SwitchScope switches(context_.settings.switches);
      const c10::IValue result = module_->get_method("forward")({}, arguments);
      const std::vector<at::Tensor> made = ordered(named(result));
      scope.keep(made);
      scope.check(where_, "");
      check(made, std::move(sizes));
      std::vector<Tensor> outputs;
      for (const at::Tensor& tensor : made) outputs.push_back(from_torch(own(tensor)));
      return outputs;
    });
  }

 private:
  struct Port {
    std::string name;
    DType dtype;
    bool ranked;
    size_t rank;
    std::string dims;  // of an output, for messages
  };

  void observe(const Value& value) {
    for (const Dim& dim : value.dims) sizes_.observe(dim);
  }

  void load(std::string_view stored) {
    guarded([&](MemoryScope& scope) {
      auto reader = std::make_shared<caffe2::serialize::MemoryReadAdapter>(
          stored.data(), static_cast<off_t>(stored.size()));
      module_ = torch::jit::load(std::move(reader), device_);
      module_->eval();
      check_arguments();
      std::vector<at::Tensor> held;
      for (const at::Tensor& tensor : module_->parameters()) held.push_back(tensor);
      for (const at::Tensor& tensor : module_->buffers()) held.push_back(tensor);
      for (const at::Tensor& tensor : held) held_.insert(storage_of(tensor));
      scope.keep(held);
      scope.check(where_, "");
      return std::vector<Tensor>();
    });
  }

  // Counts the memory of a call, and translates the errors of torch.
  template <typename Call>
  std::vector<Tensor> guarded(const Call& call) const {
    MemoryScope scope(*context_.memory);
    std::vector<Tensor> result;
    try {
      result = call(scope);
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {  // not of torch
      throw;
    } catch (const std::exception& error) {
      // The interpreter turns a lack of memory into an error of its own.
      const bool lacks_memory = dynamic_cast<const c10::OutOfMemoryError*>(&error);
      if (lacks_memory || scope.refusal()) refuse_memory({}, message_of(error));
      raise({.kind = ErrorKind::backend,
             .code = "E1044",
             .path = where_,
             .message = "the TorchScript failed",
             .facts = {{"torch", last_line(message_of(error))}}});
    }
    scope.finish();
    return result;
  }

  static const void* storage_of(const at::Tensor& tensor) {
    return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
  }

  // The result, whose elements are not those of the module: a caller may write to them.
  at::Tensor own(const at::Tensor& made) const {
    const at::Tensor plain = made.detach();
    return held_.contains(storage_of(made)) ? plain.clone() : plain;
  }

  // The arguments of forward are the stated inputs. Those with defaults may be absent.
  void check_arguments() const {
    std::vector<std::string> stated, arguments;
    for (const Port& input : inputs_) stated.push_back(input.name);
    std::vector<std::string> absent = stated;
    bool fits = true;
    const auto& all = module_->get_method("forward").function().getSchema().arguments();
    for (size_t i = 1; i < all.size(); ++i) {  // 0 is the module
      arguments.push_back(all[i].name());
      fits = (std::erase(absent, all[i].name()) > 0 || all[i].default_value()) && fits;
    }
    if (!fits || !absent.empty()) refuse_ports("inputs", join(stated, ", "), join(arguments, ", "));
  }

  // The results by name: those of a dict, or the stated names in their order.
  NamedTensors named(const c10::IValue& result) const {
    NamedTensors made;
    if (result.isGenericDict()) {
      for (const auto& item : result.toGenericDict()) {
        if (item.key().isString())
          made.emplace_back(item.key().toStringRef(), tensor(item.value()));
      }
      return made;
    }
    std::vector<c10::IValue> items{result};
    if (result.isTuple()) items = result.toTupleRef().elements().vec();
    if (result.isList()) items = result.toListRef().vec();
    for (size_t i = 0; i < items.size(); ++i) {
      const bool stated = items.size() == outputs_.size();
      made.emplace_back(stated ? outputs_[i].name : "output_" + std::to_string(i),
                        tensor(items[i]));
    }
    return made;
  }

  at::Tensor tensor(const c10::IValue& value) const {
    if (value.isTensor() && value.toTensor().defined()) return value.toTensor();
    refuse_outputs("tensors", value.tagKind());
  }

  // In the order of the stated outputs.
  std::vector<at::Tensor> ordered(const NamedTensors& made) const {
    std::vector<at::Tensor> tensors;
    for (const Port& output : outputs_) {
      const auto found = std::find_if(made.begin(), made.end(),
                                      [&](const auto& each) { return each.first == output.name; });
      if (found != made.end()) tensors.push_back(found->second);
    }
    if (tensors.size() == outputs_.size() && tensors.size() == made.size()) return tensors;
    std::vector<std::string> stated, names;
    for (const Port& output : outputs_) stated.push_back(output.name);
    for (const auto& each : made) names.push_back(each.first);
    refuse_outputs(join(stated, ", "), join(names, ", "));
  }

  // Batches are cut along the stated sizes, so the outputs must have them.
  void check(const std::vector<at::Tensor>& made, std::vector<std::int64_t> sizes) const {
    for (size_t i = 0; i < made.size(); ++i) {
      const Port& port = outputs_[i];
      const bool fits = dtype_of(made[i].scalar_type()) == port.dtype &&
                        (!port.ranked || made[i].sizes().size() == port.rank);
      if (!fits) refuse_output(port, made[i]);
      if (!port.ranked) continue;
      sizes.insert(sizes.end(), made[i].sizes().begin(), made[i].sizes().end());
    }
    std::vector<std::int64_t> symbols;
    const auto wrong = sizes_.learn(sizes, symbols);
    if (!wrong) return;
    size_t end = sizes.size();
    for (size_t i = made.size(); i-- > 0;) {
      if (!outputs_[i].ranked) continue;
      end -= outputs_[i].rank;
      if (wrong->observation >= end) refuse_output(outputs_[i], made[i]);
    }
  }

  [[noreturn]] void refuse_output(const Port& port, const at::Tensor& made) const {
    refuse_outputs(
        port.name + ": " + std::string(name(port.dtype)) + port.dims,
        port.name + ": " + c10::toString(made.scalar_type()) + to_string(made.sizes().vec()));
  }

  [[noreturn]] void refuse_outputs(std::string stated, std::string made) const {
    refuse_ports("outputs", std::move(stated), std::move(made));
  }

  [[noreturn]] void refuse_ports(const std::string& which, std::string stated,
                                 std::string made) const {
    raise({.kind = ErrorKind::parse,
           .code = "E0769",
           .path = where_,
           .message = "the model has other " + which + " than stated",
           .facts = {{"stated", std::move(stated)}, {"model", std::move(made)}}});
  }

  const std::string where_;
  const Context context_;
  const c10::Device device_;
  std::vector<Port> inputs_, outputs_;
  SizeProgram sizes_;  // observes the dims of inputs, then of outputs, whose rank is known
  std::optional<torch::jit::Module> module_;
  std::unordered_set<const void*> held_;  // storages of its parameters and buffers
};

}  // namespace

std::unique_ptr<Executable> load_script(std::string_view stored, const std::string& where,
                                        const Graph& ports, const Context& context) {
  return std::make_unique<LoadedScript>(stored, where, ports, context);
}

}  // namespace mithril::torch_backend
