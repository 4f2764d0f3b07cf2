#include "codegen/jax/loop.hpp"

#include "codegen/jax/python_text.hpp"

namespace mithril::codegen {
namespace {

// The items of a tuple, each with a comma behind it.
struct TupleText {
  std::string items = {};

  void add(const std::string& item) { items += (items.empty() ? "" : " ") + item + ","; }
  std::string text() const { return "(" + items + ")"; }
};

enum class StepPlace : char { carry, item, kept };

StepPlace place_of(const ScanLoop& scan, size_t input) {
  if (input < scan.carries) return StepPlace::carry;
  return input < scan.carries + scan.sequences ? StepPlace::item : StepPlace::kept;
}

}  // namespace

std::string indented_text(const std::string& lines) {
  std::string text;
  bool begins = true;
  for (const char letter : lines) {
    if (begins && letter != '\n') text += "    ";
    text += letter;
    begins = letter == '\n';
  }
  return text;
}

std::vector<std::string> inputs_of_step(const ScanLoop& scan) {
  std::vector<std::string> inputs;
  size_t counts[3] = {};
  for (size_t i = 0; i < scan.arguments.size(); ++i) {
    constexpr const char* tuples[] = {"carry", "items", "kept"};
    const auto place = static_cast<size_t>(place_of(scan, i));
    inputs.push_back(std::string(tuples[place]) + "[" + std::to_string(counts[place]++) + "]");
  }
  return inputs;
}

std::string jax_loop_text(const ScanLoop& scan, const JaxLoop& loop, const std::string& body,
                          const std::vector<std::string>& outputs) {
  TupleText given[3], next, stacked, last, stacks;
  for (size_t i = 0; i < loop.arguments.size(); ++i)
    given[static_cast<size_t>(place_of(scan, i))].add(loop.arguments[i]);
  for (size_t k = 0; k < outputs.size(); ++k) {
    const DType dtype = scan.body.value(scan.body.outputs()[k].value).dtype;
    const std::string made = "jnp.asarray(" + outputs[k] + ", " + jax_dtype(dtype) + ")";
    (k < scan.carries ? next : stacked).add(made);
    (k < scan.carries ? last : stacks).add(loop.results[k]);
  }
  return "\n    def " + loop.name + "(carry, items, kept=" + given[2].text() + "):\n" +
         indented_text(body) + "        return " + next.text() + ", " + stacked.text() +
         "\n\n    " + last.text() + ", " + stacks.text() + " = jax.lax.scan(" + loop.name + ", " +
         given[0].text() + ", " + given[1].text() + ", length=" + loop.length +
         ", reverse=" + (loop.reverse ? "True" : "False") + ")\n";
}

}  // namespace mithril::codegen
