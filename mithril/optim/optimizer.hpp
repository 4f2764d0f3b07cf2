// The base class of optimizers, which keeps their state for each parameter.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/optim/optimizer_def.hpp"
#include "mithril/optim/parameter_group.hpp"
#include "mithril/optim/parameter_memory.hpp"
#include "mithril/optim/schedule.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

struct Expression;  // graph/expression.hpp
// update_rule.hpp
template <typename Number>
struct StepNumbers;
template <typename Value>
struct ParameterUpdate;

// TypeError E0382 if the dtypes differ or are not floating-point, ShapeError E0208 if the dims
// differ.
void check_gradient(const std::string& key, const Tensor& param, const Tensor& gradient);

// An optimizer of a record. The classes of mithril/optim/optimizers.hpp make those of the library.
class Optimizer {
 public:
  // Options that are left out have the defaults of the record. ValueError E0406 for an option out
  // of range.
  Optimizer(OptimizerDef def, const Schedule& lr, const OptimizerOptions& options = {},
            std::vector<ParameterGroup> groups = {});
  virtual ~Optimizer();

  const OptimizerDef& def() const { return def_; }

  // Moves each parameter that has a gradient and is not frozen, in place; the others stay.
  // NameError E0609 for a gradient of no parameter, E0623 for the pattern of a group that matches
  // no parameter, ShapeError E0208 if dims differ, TypeError E0382 if dtypes differ or are not
  // floating-point, StateError E0904 if the optimizer's state has other dims, E0926 if it holds
  // sums of gradients of a TrainingStep, E0927 if it holds averages. After an error no parameter
  // has moved.
  void step(TensorMap& params, const TensorMap& gradients);

  // The learning rate of the next step.
  double lr() const { return schedule_.at(steps_); }
  void set_lr(const Schedule& schedule) { schedule_ = schedule; }  // a number is a schedule, too
  const Schedule& schedule() const { return schedule_; }
  // The number of steps taken, which schedules depend on.
  std::int64_t steps() const { return steps_; }

  // The maximum number of threads of a step. 0 (the default): one per processor. Results do not
  // depend on it. ValueError E0406 for a negative number.
  void set_threads(int threads);
  int threads() const { return threads_; }

  // Options of some of the parameters; the other options are those of all others.
  const std::vector<ParameterGroup>& groups() const { return groups_; }
  // The first group that matches the key, or a group without options.
  const ParameterGroup& group_of(std::string_view key) const;

  // The current options, including the learning rate.
  OptimizerOptions options() const;

  // A copy of the options by their names ("lr", "betas"), the number of steps taken ("steps",
  // int64), and the memory of each parameter: "<key>.step" (int64) and "<key>.<slot>" with the
  // names of PyTorch's slots ("fc1.weight.exp_avg"). What a TrainingStep keeps here is added while
  // there is any: "micro_steps" and "<key>.gradient_sum" while gradients are accumulated,
  // "averaged" (the number of updates in the averages) and "<key>.average".
  // StateError E0924 while this process holds blocks of it (TrainingStep::gather_optimizer).
  TensorMap state_dict() const;
  // The same, with blocks where this process holds them.
  TensorMap held_state_dict() const;
  // Restores a state_dict. An option that `state` lacks keeps its value; a state_dict of version
  // 0.1.0 has no options. A schedule stays, and continues from the restored number of steps;
  // without "steps" that is the largest "<key>.step". Without "micro_steps" sums of gradients are
  // left out, and without "averaged" averages. StateError E0903 for an entry that is not a slot or
  // option of this optimizer, E0904 for an option of other dims, E0905 if a slot is missing,
  // ValueError E0406 for an option out of range. After an error nothing has changed.
  void load_state_dict(const TensorMap& state);
  // The same, but keeps only blocks of the memory of parameters for which `block_of` returns one.
  // It gets the dims of the memory. Tensors of different dims stay whole: the next step refuses
  // them.
  using BlockOf = std::function<std::optional<MemoryBlock>(const std::string& key, const Dims&)>;
  void load_blocks(const TensorMap& state, const BlockOf& block_of);

  // For steps as part of a graph (mithril/training/training_step.hpp).
  using ParameterMemory = mithril::ParameterMemory;
  using ParameterMemories = std::map<std::string, ParameterMemory, std::less<>>;
  // The memory of a parameter. A new one is added to `made`, which finish_step() keeps after the
  // step has succeeded. With a block a whole memory is cut. StateError E0904, and E0924 for other
  // blocks than those that it holds.
  ParameterMemory& memory_of(const std::string& key, const Tensor& param, ParameterMemories& made,
                             const std::optional<MemoryBlock>& block = {});
  ParameterMemories& memories() { return memory_; }
  const ParameterMemories& memories() const { return memory_; }
  const ParameterMemory* find_memory(const std::string& key) const;
  // Counts the step, and whether it has changed the averages. Never fails; references stay valid.
  void finish_step(ParameterMemories& made, bool averaged = false);
  // Counts gradients that were added to the sums, for a later step. Never fails.
  void finish_micro_step(ParameterMemories& made);
  // Those of a TrainingStep that accumulates, in the order of the keys of their parameters.
  std::vector<Tensor*> gradient_sums();
  std::int64_t micro_steps() const { return micro_steps_; }  // since the last step
  std::int64_t averaged() const { return averaged_; }        // steps in the averages
  const std::vector<OptimizerSlot>& slots() const { return slots_; }
  // Changes when graphs with the previous options are out of date. The learning rate is one of
  // `step_scalars`, and in no graph.
  std::uint64_t options_version() const { return options_version_; }
  // The scalars of a parameter's step that change: its learning rate, the bias corrections of its
  // moments. `steps`: as in ParameterMemory.
  std::vector<double> step_scalars(std::int64_t steps, const StepRates& rates) const;
  // The same in a graph; fewer if no graph computes them.
  std::vector<Expression> step_scalars(const StepNumbers<Expression>& step) const;
  StepRates rates(const ParameterGroup& group) const;
  // The step as nodes: puts the values that `param` and `slots` have after it in their places.
  void add_to_graph(ParameterUpdate<Expression>& update) const;

 private:
  // Sets options with the names and kinds of settings_. After an error nothing is set.
  void set_options(const OptimizerOptions& options);
  // Calls work(first, last) for ranges that cover [0, size), on several threads if that pays off.
  // With std::cref(work) nothing is allocated.
  void in_ranges(std::int64_t size,
                 const std::function<void(std::int64_t first, std::int64_t last)>& work) const;
  ParameterMemories memory_in(const TensorMap& state, const BlockOf& block_of) const;

  OptimizerDef def_;
  OptimizerOptions settings_;               // but for the learning rate
  std::shared_ptr<const UpdateRule> rule_;  // immutable; copies of the optimizer share it
  Schedule schedule_;
  std::vector<ParameterGroup> groups_;
  bool patterns_checked_ = false;
  std::int64_t steps_ = 0, micro_steps_ = 0, averaged_ = 0;
  int threads_ = 0;
  std::uint64_t options_version_ = 0;
  std::vector<OptimizerSlot> slots_;
  ParameterMemories memory_;
};

}  // namespace mithril
