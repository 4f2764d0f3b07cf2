// Running a program of sizes.
#include "mithril/base/error.hpp"
#include "mithril/infer/polynomial.hpp"
#include "mithril/infer/size_program.hpp"

namespace mithril {

int64_t SizeProgram::compute(const Step& step, std::span<const int64_t> sizes,
                             std::span<const int64_t> values) const {
  const auto operand = [&](int32_t index) {
    return values[static_cast<size_t>(operands_[static_cast<size_t>(step.first + index)].step)];
  };
  switch (step.kind) {
    case Kind::symbol:
      return sizes[static_cast<size_t>(step.first)];
    case Kind::product:
      return times(operand(0), operand(1));
    case Kind::quotient:
      return checked_quotient(operand(0), operand(1));
    case Kind::sum:
      break;
  }
  int64_t total = step.constant;
  for (int32_t i = 0; i < step.count; ++i) {
    const int64_t factor = operands_[static_cast<size_t>(step.first + i)].factor;
    total = plus(total, times(factor, operand(i)));
  }
  return total;
}

// False: no size of the symbol fits.
bool SizeProgram::solve(const Action& action, int64_t observed, std::span<const int64_t> values,
                        std::vector<int64_t>& sizes) const {
  const int64_t rest = action.step < 0 ? 0 : values[static_cast<size_t>(action.step)];
  const int64_t multiple = plus(observed, times(-1, rest));
  if (multiple % action.factor != 0) return false;
  const int64_t size = floor_quotient(multiple, action.factor);
  const size_t symbol = static_cast<size_t>(action.symbol);
  if (size < 0 && symbols_[symbol].size) return false;
  sizes[symbol] = size;
  return true;
}

std::optional<SizeProgram::Mismatch> SizeProgram::learn(std::span<const int64_t> observed,
                                                        std::vector<int64_t>& sizes) const {
  MITHRIL_CHECK(observed.size() == observations_.size(), "one size for each observed dim");
  sizes.assign(symbols_.size(), 0);
  std::vector<int64_t> values(steps_.size());
  for (const Action& action : actions_) {
    if (action.kind == Action::Kind::compute) {
      const size_t index = static_cast<size_t>(action.step);
      values[index] = compute(steps_[index], sizes, values);
      continue;
    }
    const int64_t got = observed[action.observation];
    const Observation& observation = observations_[action.observation];
    if (action.kind == Action::Kind::solve) {
      if (solve(action, got, values, sizes)) continue;
      return Mismatch{action.observation, observation.text, got};
    }
    const int64_t expected = values[static_cast<size_t>(action.step)];
    if (expected == got) continue;
    std::string text = observation.text;
    if (!observation.is_number) text += " = " + std::to_string(expected);
    return Mismatch{action.observation, std::move(text), got};
  }
  return {};
}

void SizeProgram::run(std::span<const int64_t> sizes, std::vector<int64_t>& values) const {
  MITHRIL_CHECK(sizes.size() == symbols_.size(), "one size for each symbol");
  values.resize(steps_.size());
  for (size_t i = 0; i < steps_.size(); ++i) values[i] = compute(steps_[i], sizes, values);
  for (const auto& [step, text] : sizes_to_check_) {
    const int64_t value = values[static_cast<size_t>(step)];
    if (value >= 0) continue;
    raise({.kind = ErrorKind::shape,
           .code = "E0204",
           .message = "a dim would be negative",
           .facts = {{"got", text + " = " + std::to_string(value)}}});
  }
}

}  // namespace mithril
