// Text from language models.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/generation/generate.hpp"

namespace mithril::python {
namespace {

constexpr const char* one_or_more = "token ids: a list of ints, or a list of such lists";

bool is_list(py::handle object) {
  return py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object);
}

Tokens tokens_of(py::handle list, const char* expected) {
  Tokens tokens;
  for (const py::handle item : list) {
    if (!is_int(item)) wrong_type(list, expected);
    tokens.push_back(int_of(item));
  }
  return tokens;
}

Tokens row_of(const Tensor& ints, std::int64_t row, std::int64_t size) {
  const std::span<const std::int64_t> all = ints.values<std::int64_t>();
  const auto first = all.begin() + row * size;
  return {first, first + size};
}

// One prompt or several.
struct Prompts {
  explicit Prompts(py::handle given) {
    if (has_dlpack(given)) {
      read_array(given);
    } else if (is_list(given)) {
      read_list(given);
    } else {
      wrong_type(given, one_or_more);
    }
  }

  std::vector<Tokens> all;
  bool several = false;

 private:
  void read_array(py::handle given) {
    const Tensor tensor = tensor_of(given).host();
    const bool is_of_ints = is_integer(tensor.dtype());
    if (!is_of_ints || tensor.rank() < 1 || tensor.rank() > 2) wrong_type(given, one_or_more);
    const Tensor ints = tensor.to(DType::int64);
    several = tensor.rank() == 2;
    const std::int64_t rows = several ? tensor.dims()[0] : 1;
    for (std::int64_t i = 0; i < rows; ++i) all.push_back(row_of(ints, i, tensor.dims().back()));
  }

  void read_list(py::handle given) {
    several = true;
    for (const py::handle item : given) {
      if (is_int(item)) {
        several = false;
        break;
      }
      if (is_list(item)) {
        all.push_back(tokens_of(item, one_or_more));
        continue;
      }
      if (!has_dlpack(item)) wrong_type(given, one_or_more);
      const Prompts prompt(item);
      if (prompt.several) wrong_type(given, one_or_more);
      all.push_back(prompt.all.front());
    }
    if (py::len(given) == 0) several = false;
    if (!several) all = {tokens_of(given, one_or_more)};
  }
};

Tokens stops_of(py::handle stop) {
  constexpr const char* expected = "a token, or a list of tokens, for stop";
  if (stop.is_none()) return {};
  if (is_list(stop)) return tokens_of(stop, expected);
  return tokens_of(py::make_tuple(stop), expected);
}

py::object generate_tokens(const CompiledModel& compiled, const py::dict& params, py::handle prompt,
                           std::int64_t max_tokens, double temperature, std::int64_t top_k,
                           double top_p, std::uint64_t seed, py::handle stop, py::handle stream) {
  const CompiledModel model = compiled;
  const TensorMap p = tensor_map_of(params);
  const Prompts prompts(prompt);
  GenerateOptions options{.max_tokens = max_tokens,
                          .temperature = temperature,
                          .top_k = top_k,
                          .top_p = top_p,
                          .seed = seed,
                          .stop = stops_of(stop)};
  if (!stream.is_none()) {
    if (!PyCallable_Check(stream.ptr())) wrong_type(stream, "a function for stream");
    options.stream = [function = shared_function(py::reinterpret_borrow<py::function>(stream))](
                         size_t at, std::int64_t token) {
      const InterpreterLocked lock;
      (*function)(at, token);
    };
  }
  const std::vector<Tokens> made = [&] {
    const InterpreterUnlocked free;
    return generate(model, p, prompts.all, options);
  }();
  return prompts.several ? py::cast(made) : py::cast(made.front());
}

}  // namespace

void bind_generation(py::module_& module) {
  const GenerateOptions by_default;
  module.def("generate", generate_tokens, py::arg("compiled"), py::arg("params"), py::arg("prompt"),
             py::arg("max_tokens") = by_default.max_tokens, py::kw_only(),
             py::arg("temperature") = by_default.temperature, py::arg("top_k") = by_default.top_k,
             py::arg("top_p") = by_default.top_p, py::arg("seed") = by_default.seed,
             py::arg("stop") = py::none(), py::arg("stream") = py::none(),
             R"(Generates tokens that continue a prompt.

The model has the input input_ids [N, L] and the output logits [N, any, V]. Prompts of different
lengths need the input attention_mask [N, L].

Args:
    compiled: a compiled language model.
    params: dict of its parameters.
    prompt: list of token ids, or a list of such lists.
    max_tokens: maximum number of new tokens of each prompt.
    temperature: 0 takes the most probable token. Otherwise the logits are divided by it.
    top_k: number of most probable tokens to draw from. 0 draws from all.
    top_p: draws from the fewest most probable tokens whose total probability reaches this.
    seed: seed of the random numbers.
    stop: a token or a list of tokens that end a text. They are not part of the result.
    stream: function that is called with the index of a prompt and its new token.

Returns:
    List of the new tokens; for several prompts a list of such lists.

Raises:
    InputError: If the model lacks these ports, a token is out of range, or a text is too long.

Example:
    net = ml.Model()
    net |= ml.Embedding(50, dim=8)(input="input_ids", output="hidden")
    net |= ml.Linear(50)(input="hidden", output="logits")
    language = ml.compile(net, ml.CpuBackend(), data_keys=["input_ids"])
    answer = ml.generate(language, language.get_parameters(), [12, 7], 5, temperature=0.8, seed=1)

See docs/generation.md.)");
}

}  // namespace mithril::python
