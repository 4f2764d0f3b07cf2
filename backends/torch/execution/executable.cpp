#include "backends/torch/execution/executable.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "backends/torch/device/refusals.hpp"
#include "backends/torch/execution/autograd.hpp"
#include "backends/torch/execution/sized_programs.hpp"
#include "backends/torch/tensors.hpp"
#include "mithril/backend/updates_in_place.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::torch_backend {
namespace {

class SplitPrograms final : public ForwardBackward {
 public:
  SplitPrograms(GradientGraphs graphs, std::vector<bool> inputs, const Context& context,
                const RunOptions& options)
      : context_(context),
        options_(options),
        split_(std::move(graphs.split)),
        forward_(std::move(graphs.forward), context.settings, forward_options(graphs, options)),
        backward_(std::move(graphs.backward), context.settings, backward_options(graphs, options)) {
    outputs = graphs.differentiable.size();
    saved = forward_.graph().outputs().size() - outputs;
    differentiable = std::move(graphs.differentiable);
    wanted = std::move(inputs);
  }
  std::vector<at::Tensor> forward(at::TensorList inputs) const override {
    return run(forward_, inputs);
  }
  std::vector<at::Tensor> backward(at::TensorList given) const override {
    return run(backward_, given);
  }
  std::shared_ptr<const ForwardBackward> derivative(
      const std::vector<bool>& wanted) const override {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const ForwardBackward>& programs = derivatives_[wanted];
    if (!programs)
      programs = std::make_shared<SplitPrograms>(split_(wanted), wanted, context_, options_);
    return programs;
  }

 private:
  // The backward half reads what the forward half saves where that is: both are recorded in one
  // memory.
  static RunOptions forward_options(const GradientGraphs& graphs, RunOptions options) {
    options.kept_outputs = graphs.differentiable.size();
    return options;
  }
  static RunOptions backward_options(const GradientGraphs& graphs, RunOptions options) {
    const auto differentiable =
        std::count(graphs.differentiable.begin(), graphs.differentiable.end(), true);
    options.saved_inputs = graphs.backward.inputs().size() - static_cast<size_t>(differentiable);
    return options;
  }

  std::vector<at::Tensor> run(const SizedPrograms& programs, at::TensorList inputs) const {
    MemoryScope scope(*context_.memory);
    std::vector<at::Tensor> made = programs.run(inputs, scope);
    scope.keep(made);
    scope.finish();
    return made;
  }

  const Context context_;
  const RunOptions options_;
  const std::function<GradientGraphs(const std::vector<bool>&)> split_;
  SizedPrograms forward_, backward_;
  mutable std::mutex mutex_;  // guards derivatives_
  mutable std::map<std::vector<bool>, std::shared_ptr<const ForwardBackward>> derivatives_;
};

class TorchExecutable final : public Executable, public UpdatesInPlace {
 public:
  TorchExecutable(const Graph& graph, const Context& context, LoadOptions options)
      : context_(context),
        device_(context.settings.device),
        graph_(graph),
        run_options_{options.observer,
                     context.settings.jit_compile && options.jit,
                     options.max,
                     context.recordings,
                     0,
                     SIZE_MAX,
                     options.donations},
        programs_(graph, context.settings, run_options_),
        options_(std::move(options)) {}

  std::vector<Tensor> run(std::span<const Tensor> inputs) const override {
    MemoryScope scope(*context_.memory);
    try {
      std::vector<Tensor> outputs = run(inputs, scope);
      scope.finish();
      return outputs;
    } catch (const c10::OutOfMemoryError& error) {
      refuse_memory({}, error.what_without_backtrace());
    }
  }

  bool save_torchscript(const std::string& path, std::span<const SavedInput> inputs,
                        std::span<const SavedOutput> outputs) const override {
    const SizedPrograms portable(graph_, context_.settings, {.scripted = true});
    portable.save_script(path, inputs, outputs);
    return true;
  }

  bool updates(const Tensor& input) const override {
    if (!is_torch(input)) return false;
    const auto& held = *static_cast<const at::Tensor*>(input.foreign()->object());
    return held.device() == device_ && held.is_non_overlapping_and_dense() && !held.is_inference();
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes = script_notes();
    for (std::string& note : programs_.recording_notes()) notes.push_back(std::move(note));
    for (std::string& note : programs_.fusion_notes()) notes.push_back(std::move(note));
    return notes;
  }

 private:
  std::vector<std::string> script_notes() const {
    std::set<std::string> beyond = programs_.beyond();
    for (const Node& node : programs_.graph().nodes()) {
      const Spelling* spelling = node.op->spelling("torch");
      const std::string_view text = spelling ? spelling->text : "unsupported";
      if (text.starts_with("unsupported") || text.starts_with("mithril::")) {
        beyond.insert(node.op->name);
      }
    }
    if (!context_.settings.jit_compile) return {};
    if (!run_options_.scripted)
      return {"jit_compile: not with use_checkpointing, nor with jit=False"};
    if (options_.observer) return {"jit_compile: not while hooks or debug look on"};
    if (beyond.empty()) return {};
    return {"jit_compile: runs op by op, for TorchScript has no " +
            join(std::vector<std::string>(beyond.begin(), beyond.end()), ", ")};
  }

  std::vector<Tensor> run(std::span<const Tensor> inputs, MemoryScope& scope) const {
    const std::vector<at::Tensor> given = moved(inputs);
    std::vector<at::Tensor> made;
    const bool differentiable = std::any_of(
        given.begin(), given.end(), [](const at::Tensor& input) { return input.requires_grad(); });
    if (differentiable && options_.split && is_recording_gradients()) {
      made = differentiable_run(programs_for(given), given);
    } else {
      made = programs_.run(given, scope, donated(inputs));
    }
    scope.keep(made);
    std::vector<Tensor> outputs;
    outputs.reserve(made.size());
    for (const at::Tensor& tensor : made) outputs.push_back(from_torch(tensor));
    return outputs;
  }

  // On the CPU the core writes the results of donated inputs of its own. If a donated input is a
  // tensor of torch, torch writes all of them, because it shares the elements of the core's
  // tensors. On other devices these are moved, and the core copies the results back.
  Donated donated(std::span<const Tensor> inputs) const {
    const bool in_place =
        !device_.is_cpu() ||
        std::any_of(options_.donations.begin(), options_.donations.end(),
                    [&](const Donation& at) { return updates(inputs[at.input]); });
    return in_place ? Donated::in_place : Donated::ignored;
  }

  // Moves a number once, however many inputs it is: the rates of an optimizer are inputs for each
  // parameter.
  std::vector<at::Tensor> moved(std::span<const Tensor> inputs) const {
    std::vector<at::Tensor> all;
    all.reserve(inputs.size());
    std::map<const void*, at::Tensor> numbers;
    for (const Tensor& input : inputs) {
      if (device_.is_cpu() || input.foreign() || !input.dims().empty()) {
        all.push_back(moved(input));
        continue;
      }
      at::Tensor& number = numbers[input.raw_data()];
      if (!number.defined()) number = moved(input);
      all.push_back(number);
    }
    return all;
  }

  at::Tensor moved(const Tensor& input) const {
    try {
      return to_torch(input, device_);
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const c10::Error& error) {
      refuse_operation({}, context_.settings.switches, error.what_without_backtrace());
    }
  }

  std::shared_ptr<const ForwardBackward> programs_for(at::TensorList inputs) const {
    std::vector<bool> wanted;
    for (const at::Tensor& input : inputs) wanted.push_back(input.requires_grad());
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const ForwardBackward>& programs = pairs_[wanted];
    if (!programs) {
      programs =
          std::make_shared<SplitPrograms>(options_.split(wanted), wanted, context_, run_options_);
    }
    return programs;
  }

  const Context context_;
  const c10::Device device_;
  const Graph graph_;
  const RunOptions run_options_;
  const SizedPrograms programs_;
  const LoadOptions options_;
  mutable std::mutex mutex_;  // guards pairs_
  // By the inputs that get gradients. Shared: autograd's records may outlive the executable.
  mutable std::map<std::vector<bool>, std::shared_ptr<const ForwardBackward>> pairs_;
};

}  // namespace

std::unique_ptr<Executable> make_executable(const Graph& graph, const Context& context,
                                            const LoadOptions& options) {
  return std::make_unique<TorchExecutable>(graph, context, options);
}

}  // namespace mithril::torch_backend
