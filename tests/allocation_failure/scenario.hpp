// Scenarios in which memory runs out.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mithril::tests {

// A sequence of calls on its own objects.
class Scenario {
 public:
  virtual ~Scenario() = default;
  const std::vector<std::function<void()>>& calls() const { return calls_; }
  // Returns the text of everything that a user can see of the objects.
  virtual std::string state() = 0;

 protected:
  // Adds a call, which must either succeed or leave the objects as they were.
  void add(std::function<void()> call) { calls_.push_back(std::move(call)); }

 private:
  std::vector<std::function<void()>> calls_;
};

struct NamedScenario {
  const char* name;
  std::unique_ptr<Scenario> (*make)();
};

template <typename Made, auto... arguments>
std::unique_ptr<Scenario> make_scenario() {
  return std::make_unique<Made>(arguments...);
}

std::vector<NamedScenario> model_scenarios();    // composing, compiling, evaluating, training
std::vector<NamedScenario> value_scenarios();    // copies of values, maps of tensors
std::vector<NamedScenario> serving_scenarios();  // inference, text, packages, engines

}  // namespace mithril::tests
