// Programs that are recorded on a GPU.
#include <ATen/ops/_foreach_copy.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "backends/torch/device/refusals.hpp"
#include "backends/torch/execution/sized_programs.hpp"
#include "mithril/tensor/memory_extents.hpp"

namespace mithril::torch_backend {

// Ops that wait for the GPU cannot be recorded: those that run on the host, and some of torch's.
void SizedPrograms::record(TorchProgram& program) const {
  const auto waits = [](const LoweredNode& node) {
    return node.spelling.empty() || node.exchange != ExchangePart::none ||
           std::any_of(node.calls.begin(), node.calls.end(), [](const OperatorCall& operator_call) {
             return waits_for_device(operator_call.call.op);
           });
  };
  if (graph_.inputs().empty()) return;
  if (std::any_of(program.nodes.begin(), program.nodes.end(), waits)) return;
  std::vector<size_t> updated;
  for (const Donation& at : donations_) updated.push_back(at.input);
  program.recorder = std::make_shared<Recorder>(recordings_, counts_, saved_inputs_, kept_outputs_,
                                                std::move(updated));
  const std::lock_guard lock(mutex_);
  std::erase_if(recorders_, [](const auto& recorder) { return recorder.expired(); });
  recorders_.push_back(program.recorder);
}

// A replay runs no op that an error could name.
std::vector<at::Tensor> SizedPrograms::run_recorded(const TorchProgram& program,
                                                    at::TensorList inputs, const MemoryScope& scope,
                                                    Donated donated) const {
  const auto plain = [&](at::TensorList given) {
    return run_plainly(&program, given, scope, donated);
  };
  try {
    return program.recorder->run(inputs, plain);
  } catch (const c10::OutOfMemoryError& error) {
    refuse_memory({}, error.what_without_backtrace());
  } catch (const c10::Error& error) {
    refuse_operation({}, switches_, error.what_without_backtrace());
  }
}

void SizedPrograms::check_apart(at::TensorList inputs) const {
  MemoryExtents extents;
  for (const Donation& at : donations_) {
    const at::Tensor& tensor = inputs[at.input];
    const std::string& name = graph_.value(graph_.inputs()[at.input]).name;
    extents.add(tensor.const_data_ptr(), tensor.nbytes(), name);
  }
  extents.check_apart();
}

void SizedPrograms::copy_constants(std::vector<at::Tensor>& outputs) const {
  for (at::Tensor& output : outputs) {
    if (output.has_storage() &&
        constant_storages_.contains(output.storage().unsafeGetStorageImpl()))
      output = output.clone();
  }
}

// Other outputs that share memory with a donated input are copied before it is written. A kernel
// has overwritten an input already only if no other live tensor shared its memory.
void SizedPrograms::update(at::TensorList inputs, std::vector<at::Tensor>& outputs) const {
  std::unordered_set<const c10::StorageImpl*> written;
  for (const Donation& at : donations_) {
    written.insert(inputs[at.input].storage().unsafeGetStorageImpl());
  }
  std::unordered_set<size_t> updated;
  for (const Donation& at : donations_) {
    if (outputs[at.output].is_same(inputs[at.input])) updated.insert(at.output);
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!updated.contains(i) && written.contains(outputs[i].storage().unsafeGetStorageImpl()))
      outputs[i] = outputs[i].clone();
  }
  std::vector<at::Tensor> to, from;
  for (const Donation& at : donations_) {
    if (outputs[at.output].is_same(inputs[at.input])) continue;
    to.push_back(inputs[at.input]);
    from.push_back(std::exchange(outputs[at.output], inputs[at.input]));
  }
  if (!to.empty()) at::_foreach_copy_(to, from);
  for (const Donation& at : donations_) inputs[at.input].unsafeGetTensorImpl()->bump_version();
}

std::vector<std::string> SizedPrograms::recording_notes() const {
  std::set<std::string> refusals;
  const int64_t recorded = counts_->recorded, replayed = counts_->replayed;
  for (const auto& recorder : recorders()) refusals.insert(recorder->refusal());
  refusals.erase("");
  std::vector<std::string> notes;
  for (const std::string& why : refusals) {
    notes.push_back("CUDA graphs: none, for one cannot hold this: " + why);
  }
  if (recorded > 0) {
    notes.push_back("CUDA graphs: recorded " + std::to_string(recorded) + ", replayed " +
                    std::to_string(replayed) + " times");
  }
  return notes;
}

std::vector<std::shared_ptr<const Recorder>> SizedPrograms::recorders() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const Recorder>> there;
  for (const auto& known : recorders_) {
    if (auto recorder = known.lock()) there.push_back(std::move(recorder));
  }
  return there;
}

}  // namespace mithril::torch_backend
