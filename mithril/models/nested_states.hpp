// States of branches, of the bodies of loops and of parts of a vmap. The model around them keeps
// these states, under the same paths.
#pragma once
#include <string>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

struct NestedState {
  std::string key;  // in the model around it
  Wire* next;       // in the part
  InitialState initial;
};

// The states of a loop, which it passes from step to step as carries.
class LoopStates {
 public:
  // Call before `body` is a part of `model`. Adds the carries, and bindings of the body to them.
  // `steps`: the start of the loop.
  LoopStates(Model& model, const Model& body, const Connection& steps, Bindings& bindings);

  // Call once the body is a part. Adds each carry and its next value.
  void add_carries(std::vector<Binding>& carried) const;
  // Binds the states to the carries after the last step. `carried`: of the whole loop.
  void bind_to_last(const std::vector<Binding>& carried) const;

 private:
  Connection carry(const NestedState& state) const;
  Connection next(const NestedState& state) const;

  Model& model_;
  const Connection steps_;
  std::vector<NestedState> states_;
};

// The states of a branch, which stay as they are if the other branch runs.
class BranchStates {
 public:
  // Call before `branch` is a part of `model`. Adds bindings to the states. `condition`: of the
  // choice. `then`: whether a true condition chooses this branch.
  BranchStates(Model& model, const Model& branch, const Connection& condition, bool then,
               Bindings& bindings);

  // Call once the branch is a part. Binds the states to their next values.
  void bind() const;

 private:
  Model& model_;
  const Connection condition_;
  const bool then_;
  std::vector<NestedState> states_;
};

// The states of a part of a vmap whose next values depend on an index: each index has its own,
// along a new first axis. The other states are the same for each index, and stay those of the part.
class RowStates {
 public:
  // Call before `part` is a part of `model`. Adds the states of one index, and bindings of the part
  // to them. `mapped`: the inputs of the part that differ for each index. `size`: of the axis.
  RowStates(Model& model, const Model& part, const std::vector<std::string>& mapped,
            const Binding& size, Bindings& bindings);

  size_t count() const { return states_.size(); }
  std::vector<Connection> rows() const;
  // Call once the part is one: the next values of one index.
  std::vector<Connection> nexts() const;
  // Binds each state to its next value, of all indices.
  void bind(const std::vector<Connection>& nexts) const;

 private:
  Model& model_;
  std::vector<NestedState> states_;
};

}  // namespace mithril
