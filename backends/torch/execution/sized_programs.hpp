// A graph on a device, with a program for each combination of sizes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "backends/torch/device/memory.hpp"
#include "backends/torch/device/settings.hpp"
#include "backends/torch/execution/exchanges.hpp"
#include "backends/torch/kernels/fuse_nodes.hpp"
#include "backends/torch/program/program.hpp"
#include "backends/torch/program/run_call.hpp"
#include "mithril/backend/backend.hpp"
#include "mithril/eval/size_cache.hpp"
#include "mithril/op/user_function.hpp"

namespace mithril::torch_backend {

struct Operation;  // refusals.hpp

// How programs are run.
struct RunOptions {
  std::shared_ptr<const Observer> observer = nullptr;
  bool scripted = false;                             // as TorchScript
  bool max = false;                                  // as LoadOptions::max
  std::shared_ptr<Recordings> recordings = nullptr;  // where `max` keeps recordings; null: nowhere
  // Under autograd, for one half of a program: the inputs that the other half made, and the index
  // of the first output that the other half reads.
  size_t saved_inputs = 0;
  size_t kept_outputs = SIZE_MAX;
  std::vector<Donation> donations = {};
};

// Any number of threads may run it at the same time.
class SizedPrograms {
 public:
  SizedPrograms(Graph graph, const Settings& settings, const RunOptions& options);

  // Runs below autograd: gradients are part of the graph. In place: results of donated inputs are
  // these inputs, which are written by their last readers where these can (update_in_place.hpp),
  // the others at the end. InputError E0812 if two of them share elements. An error after the first
  // write says so.
  std::vector<at::Tensor> run(at::TensorList inputs, const MemoryScope& scope,
                              Donated donated = Donated::ignored) const;
  const Graph& graph() const { return graph_; }
  void save_script(const std::string& path, std::span<const SavedInput> inputs,
                   std::span<const SavedOutput> outputs) const;
  // The ops that prevented programs from running as TorchScript, so far.
  std::set<std::string> beyond() const;
  // About recordings: why there are none, or how many runs were replays.
  std::vector<std::string> recording_notes() const;
  // About fused kernels of the newest program: how many, and why others were not made.
  std::vector<std::string> fusion_notes() const;

 private:
  std::vector<at::Tensor> run_plainly(const TorchProgram* program, at::TensorList inputs,
                                      const MemoryScope& scope, Donated donated) const;
  std::vector<at::Tensor> run_recorded(const TorchProgram& program, at::TensorList inputs,
                                       const MemoryScope& scope, Donated donated) const;
  void check_apart(at::TensorList inputs) const;
  void update(at::TensorList inputs, std::vector<at::Tensor>& outputs) const;
  // The state that the nodes of a run share.
  struct Run {
    Registers registers;
    const MemoryScope& scope;
    Donated donated;
    Stack stack = {};
    bool has_written = false;  // to donated inputs
    Exchanges exchanges = {};
  };
  Registers begin(size_t registers, at::TensorList inputs) const;
  void run_program(const TorchProgram& program, Run& run) const;
  void trace_program(const TorchProgram& program, Run& run, StepTrace& trace) const;
  TracedSteps traced_steps(const TorchProgram& program) const;
  std::vector<at::Tensor> trace_script(const TorchProgram& program, at::TensorList inputs,
                                       const MemoryScope& scope, StepTrace* trace) const;
  void run_eagerly(at::TensorList inputs, Run& run) const;
  void run_node(size_t at, const PlannedNode& planned, const LoweredNode& node, Run& run) const;
  void release(const PlannedNode& planned, Registers& registers) const;
  void run_operators(const PlannedNode& planned, const LoweredNode& node, Run& run) const;
  void run_function(const UserFunction& function, const PlannedNode& planned,
                    Registers& registers) const;
  void run_on_host(const PlannedNode& planned, Registers& registers) const;
  void load_nested(const Settings& settings, RunOptions options);
  static void check_step(const Node& node, const std::vector<at::Tensor>& given,
                         const std::vector<at::Tensor>& made);
  using Nested = std::vector<std::unique_ptr<const SizedPrograms>>;
  void run_nested(const Node& node, const Nested& graphs, const PlannedNode& planned,
                  Run& run) const;
  void run_loop(const Node& node, const SizedPrograms& body, const PlannedNode& planned,
                Run& run) const;
  void run_branch(const Node& node, const Nested& branches, const PlannedNode& planned,
                  Run& run) const;
  void run_while(const Node& node, const Nested& graphs, const PlannedNode& planned,
                 Run& run) const;
  void find_index(const PlannedNode& planned, Registers& registers, const Error& refusal) const;
  std::vector<at::Tensor> run_script(const Script& script, at::TensorList inputs,
                                     const MemoryScope& scope) const;
  template <typename F>
  void name_errors(const PlannedNode& planned, const LoweredNode& node, F run) const;
  Operation operation(const PlannedNode& planned, const LoweredNode& node) const;
  void show(const Node& node, Registers& registers) const;

  std::shared_ptr<const TorchProgram> program_for(at::TensorList inputs) const;
  TorchProgram program_of(at::TensorList inputs) const;
  void script(TorchProgram& program, at::TensorList inputs) const;
  void record(TorchProgram& program) const;
  // Copies the outputs that share the memory of constants: a caller may write to them.
  void copy_constants(std::vector<at::Tensor>& outputs) const;
  void fuse(TorchProgram& program) const;
  std::vector<std::shared_ptr<const Recorder>> recorders() const;
  enum class Numbers : uint8_t {
    given,
    arbitrary
  };  // the numbers of the inputs: from a user, or any
  void learn_conversions(TorchProgram& program, at::TensorList inputs, Numbers numbers) const;

  const Graph graph_;
  const SizeSources sizes_;
  const Target target_;
  const Switches switches_;
  const std::shared_ptr<const Observer> observer_;
  const bool eager_;  // plans are made while nodes run, and are not kept
  const bool scripted_;
  const std::shared_ptr<Recordings> recordings_;  // null: every run is plain
  const bool fuses_;                              // nodes, if their device has kernels
  KernelDevice* const kernels_;                   // null: nodes run as operators of torch
  const size_t saved_inputs_, kept_outputs_;      // as in RunOptions
  const std::vector<Donation> donations_;
  const std::shared_ptr<RecordingCounts> counts_ = std::make_shared<RecordingCounts>();
  std::map<size_t, Nested> nested_;  // graphs of loops and branches, by node
  std::vector<bool> observed_;       // per node: whether the observer wants its outputs
  mutable std::mutex mutex_;         // guards beyond_, fusion_ and recorders_
  mutable std::set<std::string> beyond_;
  mutable Fusion fusion_;                                         // of the newest program
  mutable std::vector<std::weak_ptr<const Recorder>> recorders_;  // of the existing programs
  std::vector<at::Tensor> constants_;
  std::unordered_set<const c10::StorageImpl*> constant_storages_;
  const SizeCache<TorchProgram> programs_ = {};
};

}  // namespace mithril::torch_backend
