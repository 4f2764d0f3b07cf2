// Building the program: steps for dims, and the order in which symbols are learnt.
#include "mithril/infer/size_program.hpp"

#include <algorithm>
#include <unordered_set>

#include "mithril/infer/walk.hpp"

namespace mithril {

int32_t SizeProgram::add_step(Kind kind, int64_t constant, std::vector<Operand> operands) {
  std::vector<int64_t> key{static_cast<int64_t>(kind), constant};
  for (const Operand& operand : operands) key.insert(key.end(), {operand.factor, operand.step});
  const auto [at, is_new] = equal_.try_emplace(std::move(key), static_cast<int32_t>(steps_.size()));
  if (!is_new) return at->second;
  steps_.push_back({kind, static_cast<int32_t>(operands_.size()),
                    static_cast<int32_t>(operands.size()), constant});
  operands_.insert(operands_.end(), operands.begin(), operands.end());
  computed_.push_back(false);
  return at->second;
}

int32_t SizeProgram::add_sum(const Dim& resolved) {
  if (const Symbol* symbol = resolved.symbol()) return step_of_.at(symbol);
  const Sum sum = to_sum(resolved);
  std::vector<Operand> operands;
  for (const Term& term : sum.terms) operands.push_back({term.factor, step_of_.at(term.symbol)});
  return add_step(Kind::sum, sum.constant, std::move(operands));
}

// Symbols are never equal to other steps, so they need no key.
int32_t SizeProgram::add_symbol(const Symbol* symbol) {
  const int32_t step = static_cast<int32_t>(steps_.size());
  steps_.push_back({Kind::symbol, static_cast<int32_t>(symbols_.size())});
  computed_.push_back(false);
  symbols_.push_back({to_string(Dim(const_cast<Symbol*>(symbol))), symbol->size, step});
  return step;
}

int SizeProgram::add(const Dim& dim) {
  const Dim now = resolve(dim);
  walk(
      now, [&](const Symbol* symbol) { return step_of_.contains(symbol); },
      [&](const Symbol* symbol) {
        step_of_.emplace(symbol, add_symbol(symbol));
        return true;
      },
      [&](const Symbol* symbol, const Operation& operation) {
        const Operand left{1, add_sum(operation.left)}, right{1, add_sum(operation.right)};
        const Kind kind = operation.multiplies ? Kind::product : Kind::quotient;
        step_of_.emplace(symbol, add_step(kind, 0, {left, right}));
      });
  return add_sum(now);
}

int SizeProgram::add_size(const Dim& dim) {
  const int step = add(dim);
  if (!is_size(dim)) sizes_to_check_.emplace_back(step, to_string(dim));
  return step;
}

void SizeProgram::observe(const Dim& dim) {
  const int step = add(dim);
  observations_.push_back({to_string(dim), resolve(dim).is_constant(), step});
  plan();
}

void SizeProgram::plan() {
  const size_t learnt_before = learnt_;
  if (!plan(observations_.size() - 1)) waiting_.push_back(observations_.size() - 1);
  for (size_t known = learnt_before; known != learnt_;) {  // it may complete waiting equations
    known = learnt_;
    std::erase_if(waiting_, [&](size_t index) { return plan(index); });
  }
}

// Plans to compare the observation if all its symbols are known, or to solve it for its only
// unknown symbol if that is linear.
bool SizeProgram::plan(size_t index) {
  const Observation& observation = observations_[index];
  const std::vector<int32_t> unknown = unknown_symbols(observation.step);
  if (unknown.empty()) {
    plan_computing(observation.step);
    actions_.push_back({Action::Kind::compare, observation.step, -1, 1, index});
    return true;
  }
  if (unknown.size() > 1) return false;
  const Step step = steps_[static_cast<size_t>(observation.step)];
  Input& symbol = symbols_[static_cast<size_t>(unknown[0])];
  Action action{Action::Kind::solve, -1, unknown[0], 1, index};
  if (observation.step != symbol.step) {
    const std::optional<int64_t> factor = factor_alone(step, symbol.step);
    if (!factor) return false;
    action.factor = *factor;
    action.step = add_rest(step, symbol.step);
    plan_computing(action.step);
  }
  actions_.push_back(action);
  symbol.learnt = true;
  ++learnt_;
  return true;
}

// The factor of the one unknown symbol in a sum, if no other operand depends on it.
std::optional<int64_t> SizeProgram::factor_alone(const Step& sum, int32_t symbol) const {
  if (sum.kind != Kind::sum) return {};
  std::optional<int64_t> factor;
  for (int32_t i = sum.first; i < sum.first + sum.count; ++i) {
    const Operand& operand = operands_[static_cast<size_t>(i)];
    if (operand.step == symbol) {
      factor = operand.factor;
    } else if (!unknown_symbols(operand.step).empty()) {
      return {};
    }
  }
  return factor;
}

int32_t SizeProgram::add_rest(const Step& sum, int32_t without) {
  std::vector<Operand> operands;
  for (int32_t i = sum.first; i < sum.first + sum.count; ++i) {
    const Operand& operand = operands_[static_cast<size_t>(i)];
    if (operand.step != without) operands.push_back(operand);
  }
  return add_step(Kind::sum, sum.constant, std::move(operands));
}

// Visits the step and its inputs, operands first, each once; skip(step) excludes a step and its
// inputs.
template <typename Skip, typename Visit>
void SizeProgram::visit_steps(int32_t root, Skip skip, Visit visit) const {
  std::vector<std::pair<int32_t, bool>> stack{{root, false}};
  std::unordered_set<int32_t> seen;
  while (!stack.empty()) {
    const auto [index, entered] = stack.back();
    stack.pop_back();
    if (entered) {
      visit(index);
      continue;
    }
    if (skip(index) || !seen.insert(index).second) continue;
    stack.emplace_back(index, true);
    const Step& step = steps_[static_cast<size_t>(index)];
    if (step.kind == Kind::symbol) continue;
    for (int32_t i = step.first; i < step.first + step.count; ++i) {
      stack.emplace_back(operands_[static_cast<size_t>(i)].step, false);
    }
  }
}

std::vector<int32_t> SizeProgram::unknown_symbols(int32_t root) const {
  std::vector<int32_t> found;
  visit_steps(
      root, [&](int32_t index) { return computed_[static_cast<size_t>(index)]; },
      [&](int32_t index) {
        const Step& step = steps_[static_cast<size_t>(index)];
        if (step.kind != Kind::symbol) return;
        if (!symbols_[static_cast<size_t>(step.first)].learnt) found.push_back(step.first);
      });
  return found;
}

void SizeProgram::plan_computing(int32_t root) {
  visit_steps(
      root, [&](int32_t index) { return computed_[static_cast<size_t>(index)]; },
      [&](int32_t index) {
        computed_[static_cast<size_t>(index)] = true;
        actions_.push_back({Action::Kind::compute, index});
      });
}

bool SizeProgram::follows(const Dim& dim) const {
  bool known = true;
  walk(
      resolve(dim),
      [&](const Symbol* symbol) {
        const auto step = step_of_.find(symbol);
        if (step == step_of_.end()) return false;
        known = known && unknown_symbols(step->second).empty();
        return true;
      },
      [&](const Symbol*) { return known = false; }, [](const Symbol*, const Operation&) {});
  return known;
}

std::vector<std::string> SizeProgram::unlearnt() const {
  std::vector<std::string> names;
  for (const Input& symbol : symbols_) {
    if (!symbol.learnt) names.push_back(symbol.name);
  }
  return names;
}

}  // namespace mithril
