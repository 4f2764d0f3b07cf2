// What optimizers share: walking over parameters, and what they remember of each.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mithril/graph/expression.hpp"
#include "mithril/tensor/tensor_map.hpp"

namespace mithril {

// A parameter in a graph, and all that a step moves it by.
struct GraphMove {
  Expression param, gradient;
  std::vector<Expression> slots;
  std::vector<Expression> numbers;  // of rank 0, in the dtype of the parameter
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // Moves each parameter that has a gradient, in place; the others stay. On float32 and float64.
  // NameError E0609 for a gradient of no parameter, ShapeError E0208 where dims differ, TypeError
  // E0382 where dtypes differ or are others, StateError E0904 where what it remembers has other
  // dims; after an error no parameter has moved.
  void step(TensorMap& params, const TensorMap& gradients);

  double lr() const { return lr_; }
  void set_lr(double lr);  // ValueError E0406 for a negative one

  // At most so many threads work on a step; 0, which is the default: as many as there are
  // processors. Results do not depend on it. ValueError E0406 for a negative number.
  void set_threads(int threads);

  // What it remembers, "<key>.step" (int64) and "<key>.<slot>" with the names of PyTorch's slots
  // ("fc1.weight.exp_avg"), as a copy.
  TensorMap state_dict() const;
  // Goes on from there. StateError E0903 for an entry that is no slot of this optimizer, E0905
  // where one is missing.
  void load_state_dict(const TensorMap& state);

  // ---- for who takes steps as part of a graph (mithril/compile/training_step.hpp) ----
  struct Memory {
    std::int64_t steps = 0;     // taken, the present one included while in `update`
    std::vector<Tensor> slots;  // one for each slot name, zeros at first, as the parameter
  };
  // Of the parameter of that key, made where there is none yet. StateError E0904.
  Memory& memory_of(const std::string& key, const Tensor& param);
  const std::vector<std::string>& slot_names() const { return slot_names_; }
  // What of a parameter's step changes from one to the next: its learning rate, corrections of its
  // moments. `steps`: as in Memory.
  virtual std::vector<double> numbers(std::int64_t steps) const = 0;
  // The step as nodes: puts the values that `param` and `slots` have after it in their places.
  virtual void add_to_graph(GraphMove& move) const = 0;

 protected:
  // `slots`: the names of the tensors that it keeps for each parameter.
  Optimizer(double lr, std::vector<std::string> slots);
  virtual void update(Tensor& param, const Tensor& gradient, Memory& memory) = 0;
  // Calls work(first, last) for ranges that make up [0, size), on threads where that pays.
  void in_ranges(std::int64_t size,
                 const std::function<void(std::int64_t first, std::int64_t last)>& work) const;
  // ValueError E0406 "<optimizer>: weight_decay is -1, expected at least 0".
  static void require(bool holds, const char* option, double got, const char* expected);

 private:
  double lr_;
  int threads_ = 0;
  std::vector<std::string> slot_names_;
  std::map<std::string, Memory, std::less<>> memory_;
};

// Calls f(T{}) with the element type of a parameter, float or double.
template <typename Function>
void visit_parameter(const Tensor& param, Function&& function) {
  if (param.dtype() == DType::float32) return function(float{});
  function(double{});
}

}  // namespace mithril
