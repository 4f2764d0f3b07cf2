#include "codegen/jax/branches.hpp"

#include "codegen/jax/loop.hpp"
#include "codegen/jax/python_text.hpp"

namespace mithril::codegen {
namespace {

// The items of a tuple, each with a comma behind it.
std::string items_text(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : " ") + item + ",";
  return text;
}
std::string tuple_text(const std::vector<std::string>& items) {
  return "(" + items_text(items) + ")";
}

std::vector<std::string> in_dtypes(const std::vector<std::string>& outputs, const Graph& graph) {
  std::vector<std::string> texts;
  for (size_t k = 0; k < outputs.size(); ++k)
    texts.push_back("jnp.asarray(" + outputs[k] + ", " +
                    jax_dtype(graph.value(graph.outputs()[k].value).dtype) + ")");
  return texts;
}

std::string function_of(const JaxNested& nested, const std::string& parameters,
                        const std::string& result) {
  return "\n    def " + nested.name + "(" + parameters + "):\n" + indented_text(nested.body) +
         "        return " + result + "\n";
}

}  // namespace

std::vector<std::string> inputs_of_branch(size_t count) { return inputs_of_while(count, count); }

std::vector<std::string> inputs_of_while(size_t count, size_t carries) {
  std::vector<std::string> inputs;
  for (size_t i = 0; i < count; ++i)
    inputs.push_back(i < carries ? "carry[" + std::to_string(i) + "]"
                                 : "kept[" + std::to_string(i - carries) + "]");
  return inputs;
}

std::string jax_cond_text(const JaxPair& pair, const std::string& condition, const Graph& like) {
  const auto branch = [&](const JaxNested& nested) {
    return function_of(nested, "carry", tuple_text(in_dtypes(nested.outputs, like)));
  };
  return branch(pair.first) + branch(pair.second) + "\n    " + items_text(pair.results) +
         " = jax.lax.cond(" + condition + ", " + pair.first.name + ", " + pair.second.name + ", " +
         tuple_text(pair.arguments) + ")\n";
}

std::string jax_while_text(const JaxPair& pair, const Graph& body) {
  const auto split = pair.arguments.begin() + static_cast<std::ptrdiff_t>(pair.results.size());
  const std::string parameters = "carry, kept=" + tuple_text({split, pair.arguments.end()});
  return function_of(pair.first, parameters, pair.first.outputs.front()) +
         function_of(pair.second, parameters, tuple_text(in_dtypes(pair.second.outputs, body))) +
         "\n    " + items_text(pair.results) + " = jax.lax.while_loop(" + pair.first.name + ", " +
         pair.second.name + ", " + tuple_text({pair.arguments.begin(), split}) + ")\n";
}

}  // namespace mithril::codegen
