// The facts that debugging adds to an error of an evaluation.
#include "mithril/base/text.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/compile/observers.hpp"

namespace mithril {

std::vector<Tensor> run_debugged(const CompiledState& compiled, const Executable& executable,
                                 const std::vector<Tensor>& inputs) {
  if (!compiled.debug) return executable.run(inputs);
  std::vector<Fact> not_finite;  // before the run, which may overwrite inputs
  for (size_t i = 0; i < compiled.inputs.size(); ++i) {
    const std::string text = non_finite_text(inputs[i]);
    if (text.empty()) continue;
    const InputKey& input = compiled.inputs[i];
    not_finite.push_back({std::string(name(input.key_class)) + " " + in_quotes(input.key), text});
  }
  try {
    return executable.run(inputs);
  } catch (const ValueError& error) {
    if (error.code() != "E0410" || not_finite.empty()) throw;
    ErrorDetails details = error.unnumbered();
    details.facts.insert(details.facts.end(), not_finite.begin(), not_finite.end());
    details.help = "these inputs already had NaN or infinity: check the code that computes them";
    raise(std::move(details));
  }
}

}  // namespace mithril
