#include "backends/torch/execution/sized_programs.hpp"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>

#include <algorithm>

#include "backends/torch/device/refusals.hpp"
#include "backends/torch/kernels/cuda_kernels.hpp"
#include "backends/torch/kernels/fused_kernel.hpp"
#include "backends/torch/rewrite/onednn_ops.hpp"
#include "backends/torch/rewrite/rewrite.hpp"
#include "backends/torch/script/script.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/file_pages.hpp"
#include "mithril/base/interrupt.hpp"
#include "mithril/base/traced_run.hpp"
#include "mithril/eval/node_error.hpp"
#include "mithril/eval/run_node.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::torch_backend {
namespace {

std::vector<Tensor> described(at::TensorList inputs) {
  std::vector<Tensor> tensors;
  for (const at::Tensor& input : inputs) tensors.push_back(from_torch(input));
  return tensors;
}

// The dims of the tensors that a node reads; empty for values.
std::vector<Dims> argument_dims(const PlannedNode& planned, const Registers& registers) {
  std::vector<Dims> dims;
  for (const int32_t at : planned.tensors) {
    dims.push_back(at < 0 ? Dims{} : registers[static_cast<size_t>(at)].toTensor().sizes().vec());
  }
  return dims;
}

Target target(const Settings& settings, const RunOptions& options) {
  const c10::Device device(settings.device);
  return {device, options.max && device.is_cuda() && !options.scripted};
}

// Whether a convolution in the channels-last layout reads the value as its weight. Otherwise cuDNN
// would convert it in every run.
bool is_convolution_weight(const Graph& graph, ValueId value) {
  const Value& weight = graph.value(value);
  return weight.dims.size() == 4 && weight.dtype != DType::float64 &&
         std::any_of(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) {
           if (node.op->name != "conv2d") return false;
           const ValueId* read = tensor_of(node.arguments[1]);
           return read && *read == value;
         });
}

at::Tensor packed(const at::Tensor& weight, const Packing& packing) {
  std::vector<CallArgument> arguments{{"", {.kind = Operand::Kind::tensor, .registers = {0}}}};
  for (const Datum& number : packing.arguments) arguments.push_back({"", {.constant = number}});
  const Made made{weight.scalar_type(), weight.device()};
  const OperatorCall reorder{resolve(packing.operation, arguments, made)};
  const at::AutoDispatchBelowADInplaceOrView below;
  Registers registers{weight};
  Stack stack;
  run_call(reorder, registers, stack);
  return registers[0].toTensor();
}

// Ops may refuse arbitrary numbers: linear algebra refuses matrices of zeros, for example. Square
// matrices become identity matrices, which all ops accept.
at::Tensor harmless(const at::Tensor& tensor) {
  const bool square = tensor.dim() >= 2 && tensor.size(-1) == tensor.size(-2);
  if (!square || !tensor.is_floating_point()) return tensor;
  at::Tensor ones = tensor.new_zeros(tensor.sizes());
  ones.diagonal(0, -2, -1).fill_(1);
  return ones;
}

}  // namespace

SizedPrograms::SizedPrograms(Graph graph, const Settings& settings, const RunOptions& options)
    : graph_(rewritten(std::move(graph), settings, options.scripted, options.observer.get())),
      sizes_(graph_),
      target_(target(settings, options)),
      switches_(settings.switches),
      observer_(options.observer),
      eager_(settings.eager_mode),
      scripted_(options.scripted && !observer_),
      recordings_(options.max && !observer_ && !scripted_ && !eager_ ? options.recordings
                                                                     : nullptr),
      fuses_(options.max && target_.device.is_cuda() && !observer_ && !scripted_ && !eager_),
      kernels_(fuses_ ? kernel_device(target_.device) : nullptr),
      saved_inputs_(options.saved_inputs),
      kept_outputs_(options.kept_outputs),
      donations_(options.donations),
      observed_(graph_.nodes().size()) {
  for (size_t i = 0; i < observed_.size() && observer_; ++i) {
    observed_[i] = observer_->wants(graph_.nodes()[i]);
  }
  load_nested(settings, options);
  const std::vector<Packing> wanted = packings(graph_);
  for (const Constant& constant : graph_.constants()) {
    at::Tensor tensor = to_torch(constant.tensor, target_.device);
    for (const Packing& packing : wanted) {
      if (packing.weight == constant.value) tensor = packed(tensor, packing);
    }
    const bool weighs = target_.channels_last && is_convolution_weight(graph_, constant.value);
    if (weighs) tensor = tensor.contiguous(at::MemoryFormat::ChannelsLast);
    if (tensor.has_storage()) constant_storages_.insert(tensor.storage().unsafeGetStorageImpl());
    constants_.push_back(std::move(tensor));
    // The elements of a file were copied, or are read again when they are needed.
    if (!constant.tensor.foreign())
      release_file_pages(constant.tensor.raw_data(), constant.tensor.bytes());
  }
}

std::vector<at::Tensor> SizedPrograms::run(at::TensorList inputs, const MemoryScope& scope,
                                           Donated donated) const {
  const at::AutoDispatchBelowADInplaceOrView below;
  const SwitchScope switches(switches_);
  if (donated == Donated::in_place) check_apart(inputs);
  const TracedRun traced;
  StepTrace* const trace = traced.trace();
  const std::shared_ptr<const TorchProgram> program =
      eager_ && !trace ? nullptr : program_for(inputs);
  if (program && program->script) {
    std::vector<at::Tensor> outputs = trace_script(*program, inputs, scope, trace);
    copy_constants(outputs);
    if (donated == Donated::in_place) update(inputs, outputs);
    return outputs;
  }
  // A replay has no steps to measure.
  if (program && program->recorder && !trace) return run_recorded(*program, inputs, scope, donated);
  return run_plainly(program.get(), inputs, scope, donated);
}

std::vector<at::Tensor> SizedPrograms::run_plainly(const TorchProgram* program,
                                                   at::TensorList inputs, const MemoryScope& scope,
                                                   Donated donated) const {
  Run run{begin(program ? program->registers : graph_.values().size(), inputs), scope, donated};
  try {
    if (program) {
      run_program(*program, run);
    } else {
      run_eagerly(inputs, run);
    }
    run.exchanges.finish();
    std::vector<at::Tensor> outputs;
    for (const Output& output : graph_.outputs()) {
      outputs.push_back(run.registers[index(output.value)].toTensor());
    }
    copy_constants(outputs);
    run.exchanges.copy_views(outputs);
    if (donated == Donated::in_place) update(inputs, outputs);
    return outputs;
  } catch (...) {
    if (run.has_written) rethrow_after_writing();
    throw;
  }
}

void SizedPrograms::save_script(const std::string& path, std::span<const SavedInput> inputs,
                                std::span<const SavedOutput> outputs) const {
  std::vector<at::Tensor> example;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType dtype = graph_.value(graph_.inputs()[i]).dtype;
    const auto on_device = [&](const Tensor& tensor) { return to_torch(tensor, target_.device); };
    example.push_back(inputs[i].value ? on_device(*inputs[i].value)
                                      : harmless(on_device(Tensor(dtype, inputs[i].dims))));
  }
  TorchProgram program = program_of(example);
  if (const OpDef* op = beyond_script(program)) {
    raise({.kind = ErrorKind::backend,
           .code = "E1023",
           .message = "TorchScript has no operator for " + op->name,
           .help = "what torch lacks runs in Mithril, and stays in it"});
  }
  learn_conversions(program, example, Numbers::arbitrary);
  torch_backend::save_script(path, graph_, program, constants_, inputs, outputs);
}

Registers SizedPrograms::begin(size_t count, at::TensorList inputs) const {
  Registers registers(count);
  for (size_t i = 0; i < inputs.size(); ++i) registers[index(graph_.inputs()[i])] = inputs[i];
  for (size_t i = 0; i < constants_.size(); ++i) {
    registers[index(graph_.constants()[i].value)] = constants_[i];
  }
  return registers;
}

void SizedPrograms::run_program(const TorchProgram& program, Run& run) const {
  if (StepTrace* const trace = current_trace()) return trace_program(program, run, *trace);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    run_node(i, program.plan.nodes[i], program.nodes[i], run);
  }
}

void SizedPrograms::run_eagerly(at::TensorList inputs, Run& run) const {
  Planner planner(graph_, sizes_, described(inputs));
  for (size_t i = 0; i < graph_.nodes().size(); ++i) {
    PlannedNode planned;
    LoweredNode node;
    {
      const MeterScope unmetered(nullptr);  // the numbers of a plan are not memory of a run
      planned = planner.next();
      size_t needed = run.registers.size();
      node = lower(graph_, planned, argument_dims(planned, run.registers), target_, needed);
      run.registers.resize(needed);
    }
    run_node(i, planned, node, run);
  }
}

// Runs a node, or a part of it, and turns exceptions of torch into errors that name the op.
template <typename F>
void SizedPrograms::name_errors(const PlannedNode& planned, const LoweredNode& node, F run) const {
  try {
    run();
  } catch (const c10::OutOfMemoryError& error) {
    refuse_memory(operation(planned, node), error.what_without_backtrace());
  } catch (const c10::Error& error) {
    refuse_operation(operation(planned, node), switches_, error.what_without_backtrace());
  }
}

void SizedPrograms::run_node(size_t at, const PlannedNode& planned, const LoweredNode& node,
                             Run& run) const {
  if (!run.has_written) check_interrupt();
  if (const auto graphs = nested_.find(at); graphs != nested_.end()) {
    run_nested(graph_.nodes()[at], graphs->second, planned, run);
  } else if (const UserFunction* function =
                 node.spelling.empty() ? user_function(*planned.op) : nullptr) {
    run_function(*function, planned, run.registers);
    run.scope.check(graph_.value(planned.outputs.front()).name, planned.op->name);
  } else {
    run_operators(planned, node, run);
  }
  if (observed_[at]) {
    run.exchanges.finish();
    show(graph_.nodes()[at], run.registers);
  }
  release(planned, run.registers);
}

void SizedPrograms::run_operators(const PlannedNode& planned, const LoweredNode& node,
                                  Run& run) const {
  Registers& registers = run.registers;
  try {
    name_errors(planned, node, [&] {
      if (node.spelling.empty()) run_on_host(planned, registers);
      if (node.exchange != ExchangePart::none)
        run.exchanges.run(node.exchange, planned, graph_.value(planned.outputs.front()).name,
                          registers);
      for (const OperatorCall& operator_call : node.calls)
        run_call(operator_call, registers, run.stack);
      if (node.fused && run_fused(*node.fused, registers, run.donated)) run.has_written = true;
      for (const Result& result : node.results) keep_result(result, registers);
      run.scope.check(graph_.value(planned.outputs.front()).name, planned.op->name);
    });
  } catch (const Error& error) {
    find_index(planned, registers, error);
    throw;
  } catch (const InternalError&) {
    throw;
  } catch (const std::exception& error) {  // from an operator that is written in Python
    if (run.scope.refusal()) refuse_memory(operation(planned, node), error.what());
    refuse_operation(operation(planned, node), switches_, error.what());
  }
}

// Torch does not say which index is out of range: `eval` raises an error that does.
void SizedPrograms::find_index(const PlannedNode& planned, Registers& registers,
                               const Error& refusal) const {
  const std::string& text = refusal.details().message;
  const auto says = [&](const char* words) { return text.find(words) != text.npos; };
  if (refusal.code() != "E1012" || !planned.op->eval) return;
  if (says("out of range") || says("out of bounds")) run_on_host(planned, registers);
}

// Releases intermediate results, and values without later readers.
void SizedPrograms::release(const PlannedNode& planned, Registers& registers) const {
  const auto beyond_values = static_cast<ptrdiff_t>(graph_.values().size());
  std::fill(registers.begin() + beyond_values, registers.end(), c10::IValue());
  for (const ValueId id : planned.released) registers[index(id)] = c10::IValue();
}

void SizedPrograms::show(const Node& node, Registers& registers) const {
  for (const ValueId id : node.outputs) {
    at::Tensor& tensor = registers[index(id)].toTensor();
    tensor = to_torch(observer_->observe(graph_, node, id, from_torch(tensor)), target_.device);
  }
}

void SizedPrograms::run_on_host(const PlannedNode& planned, Registers& registers) const {
  std::vector<std::optional<Tensor>> values(graph_.values().size());
  for (const int32_t at : planned.tensors) {
    if (at < 0) continue;
    values[static_cast<size_t>(at)] =
        from_torch(registers[static_cast<size_t>(at)].toTensor().cpu().contiguous());
  }
  mithril::run_node(planned, graph_, values);
  for (const ValueId id : planned.outputs) {
    registers[index(id)] = to_torch(*values[index(id)], target_.device);
  }
}

// Above the guards of this run, so that the function may use torch's autograd. Its exceptions are
// the user's.
void SizedPrograms::run_function(const UserFunction& function, const PlannedNode& planned,
                                 Registers& registers) const {
  std::vector<Tensor> inputs;
  for (const int32_t at : planned.tensors) {
    inputs.push_back(
        from_torch(at < 0 ? to_torch(planned.scalars[static_cast<size_t>(~at)], target_.device)
                          : registers[static_cast<size_t>(at)].toTensor().clone()));
  }
  const c10::impl::LocalDispatchKeySet keys = c10::impl::tls_local_dispatch_key_set();
  const c10::impl::ForceDispatchKeyGuard above(
      keys.included_, keys.excluded_ - c10::autograd_dispatch_keyset_with_ADInplaceOrView);
  try {
    const std::vector<Tensor> outputs = function(inputs, planned.output_dims);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const ValueId id = planned.outputs[i];
      registers[index(id)] =
          to_torch(outputs[i], target_.device).detach().to(scalar_type(graph_.value(id).dtype));
    }
  } catch (const Error& error) {
    raise_at(graph_, *planned.op, planned.outputs.front(), error);
  }
}

Operation SizedPrograms::operation(const PlannedNode& planned, const LoweredNode& node) const {
  return {graph_.value(planned.outputs.front()).name, planned.op->name, node.spelling};
}

std::shared_ptr<const TorchProgram> SizedPrograms::program_for(at::TensorList inputs) const {
  const auto fits = [&](const TorchProgram& program) {
    return std::equal(
        inputs.begin(), inputs.end(), program.plan.inputs.begin(), program.plan.inputs.end(),
        [](const at::Tensor& input, const Dims& dims) { return input.sizes() == dims; });
  };
  return programs_.find_or_make(fits, [&] {
    TorchProgram program = program_of(inputs);
    if (scripted_) script(program, inputs);
    if (kernels_) fuse(program);
    if (recordings_) record(program);
    return program;
  });
}

TorchProgram SizedPrograms::program_of(at::TensorList inputs) const {
  const MeterScope unmetered(nullptr);  // the numbers of a program are not memory of a run
  return lower(graph_, make_plan(graph_, sizes_, described(inputs)), target_);
}

// Runs the program once, because TorchScript does not know the dtypes of results in advance.
void SizedPrograms::learn_conversions(TorchProgram& program, at::TensorList inputs,
                                      Numbers numbers) const {
  const at::AutoDispatchBelowADInplaceOrView below;
  Registers registers = begin(program.registers, inputs);
  Stack stack;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    LoweredNode& node = program.nodes[i];
    name_errors(program.plan.nodes[i], node, [&] {
      for (const OperatorCall& operator_call : node.calls)
        run_call(operator_call, registers, stack);
      for (Result& result : node.results) {
        result.converted = tensor_of(result, registers).scalar_type() != result.dtype;
        keep_result(result, registers);
        c10::IValue& kept = registers[index(result.value)];
        if (numbers == Numbers::arbitrary) kept = harmless(kept.toTensor());
      }
    });
    release(program.plan.nodes[i], registers);
  }
}

}  // namespace mithril::torch_backend
