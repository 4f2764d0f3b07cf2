// Gradients of single samples; python/mithril/per_sample/__init__.py is the interface.
#include <pybind11/stl.h>

#include "codegen/cpp/write_cpp.hpp"
#include "codegen/jax/write_jax.hpp"
#include "convert.hpp"
#include "mithril/base/names.hpp"
#include "mithril/per_sample/per_sample.hpp"

namespace mithril::python {
namespace {

template <typename Word>
Word word_of(const char* name, const std::string& text,
             const std::vector<std::pair<std::string, Word>>& words) {
  std::vector<std::string> known;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    known.push_back(word);
  }
  unknown_name(ErrorKind::name, "E0610", name, text, "", known);
}

LossReduction reduction_of(const char* name, const std::string& text) {
  return word_of<LossReduction>(name, text,
                                {{"sum", LossReduction::sum}, {"mean", LossReduction::mean}});
}

std::optional<Strategy> strategy_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return word_of<Strategy>("strategy", *text,
                           {{"gram", Strategy::gram},
                            {"bilinear", Strategy::bilinear},
                            {"materialized", Strategy::materialized}});
}

py::dict dict_of_state(const State& state) { return dict_of(static_cast<const TensorMap&>(state)); }

// Reads the arguments of a call, and runs it without the interpreter's lock.
struct Call {
  Call(const py::dict& params, const py::dict& data, py::handle state)
      : params(tensor_map_of(params)), data(tensor_map_of(data)), state(state_of(state)) {}

  template <typename Function>
  auto run(Function function) const {
    const InterpreterUnlocked free;
    return function();
  }

  const TensorMap params, data;
  const State state;
};

PerSample make(const CompiledModel& compiled, const std::string& losses,
               const std::string& reduction, const std::vector<std::string>& shared,
               const std::optional<std::string>& strategy) {
  return PerSample(compiled, {.losses = losses,
                              .reduction = reduction_of("reduction", reduction),
                              .shared = shared,
                              .strategy = strategy_of(strategy)});
}

py::dict gradients(const PerSample& samples, const py::dict& params, const py::dict& data,
                   py::handle state) {
  const Call call(params, data, state);
  return dict_of(call.run([&] { return samples.gradients(call.params, call.data, call.state); }));
}

py::tuple norms(const PerSample& samples, const py::dict& params, const py::dict& data,
                py::handle state) {
  const Call call(params, data, state);
  const SampleNorms made =
      call.run([&] { return samples.norms(call.params, call.data, call.state); });
  return py::make_tuple(array_of(made.total), dict_of(made.by_key));
}

py::tuple dots(const PerSample& samples, const py::dict& params, const py::dict& data,
               const py::dict& validation, bool pairs, const std::string& validation_reduction,
               py::handle state) {
  const Call call(params, data, state);
  const TensorMap other = tensor_map_of(validation);
  const DotsOptions options{
      .pairs = pairs,
      .validation_reduction = reduction_of("validation_reduction", validation_reduction)};
  const SampleDots made =
      call.run([&] { return samples.dots(call.params, call.data, other, options, call.state); });
  return py::make_tuple(array_of(made.total), dict_of(made.by_key), dict_of(made.gradients),
                        array_of(made.losses), array_of(made.validation_losses),
                        dict_of_state(made.state));
}

py::dict weighted_gradients(const PerSample& samples, const py::dict& params, const py::dict& data,
                            py::handle weights, py::handle state) {
  const Call call(params, data, state);
  const Tensor numbers = tensor_of(weights, "weights");
  return dict_of(call.run(
      [&] { return samples.weighted_gradients(call.params, call.data, numbers, call.state); }));
}

py::tuple clipped_gradients(const PerSample& samples, const py::dict& params, const py::dict& data,
                            double max_norm, py::handle state) {
  const Call call(params, data, state);
  const ClippedGradients made = call.run(
      [&] { return samples.clipped_gradients(call.params, call.data, max_norm, call.state); });
  return py::make_tuple(dict_of(made.gradients), array_of(made.norms), dict_of_state(made.state));
}

py::tuple projections(const PerSample& samples, const py::dict& params, const py::dict& data,
                      std::int64_t rank, std::uint64_t seed, const std::string& kind,
                      const std::vector<std::pair<std::string, std::int64_t>>& ranks,
                      bool embeddings, bool convolutions, py::handle state) {
  const Call call(params, data, state);
  ProjectionOptions options{
      .rank = rank,
      .seed = seed,
      .kind = word_of<ProjectionKind>("kind", kind,
                                      {{"gaussian", ProjectionKind::gaussian},
                                       {"rademacher", ProjectionKind::rademacher},
                                       {"orthonormal", ProjectionKind::orthonormal}}),
      .embeddings = embeddings,
      .convolutions = convolutions};
  for (const auto& [pattern, of_pattern] : ranks) options.ranks.push_back({pattern, of_pattern});
  const Projections made =
      call.run([&] { return samples.projections(call.params, call.data, options, call.state); });
  py::list metadata;
  for (const ProjectedParameter& each : made.metadata)
    metadata.append(py::make_tuple(each.key, each.start, each.left, each.right));
  return py::make_tuple(array_of(made.values), metadata);
}

void verify(const PerSample& samples, const py::dict& params, const py::dict& data,
            py::handle state, std::optional<double> tolerance) {
  const Call call(params, data, state);
  call.run([&] { samples.verify(call.params, call.data, call.state, tolerance); });
}

void write_dots_source(const PerSample& samples, py::handle path, const py::dict& data,
                       const py::dict& validation, bool pairs) {
  const std::string file = path_of(path);
  const std::string_view ending = ending_of(file, {".cpp", ".cc", ".cxx", ".py"});
  const TensorMap example = tensor_map_of(data), other = tensor_map_of(validation);
  const ExportedModel exported = other.empty()
                                     ? samples.exported_norms(example)
                                     : samples.exported_dots(example, other, {.pairs = pairs});
  ending == ".py" ? write_jax(exported, file) : write_cpp(exported, file);
}

// The module for JAX that computes dots, for examples of both batches.
std::string dots_module(const PerSample& samples, const py::dict& data, const py::dict& validation,
                        const std::string& validation_reduction) {
  const DotsOptions options{.validation_reduction =
                                reduction_of("validation_reduction", validation_reduction)};
  return jax_source(samples.exported_dots(tensor_map_of(data), tensor_map_of(validation), options),
                    "dots");
}

}  // namespace

void bind_per_sample(py::module_& module) {
  py::class_<PerSample>(module, "_PerSample",
                        "The members of `mithril.PerSample` that the core has.")
      .def(py::init(&make), py::arg("compiled"), py::kw_only(), py::arg("losses"),
           py::arg("reduction"), py::arg("shared"), py::arg("strategy"))
      .def("_gradients", gradients)
      .def("_norms", norms)
      .def("_dots", dots)
      .def("_weighted_gradients", weighted_gradients)
      .def("_clipped_gradients", clipped_gradients)
      .def("_projections", projections)
      .def("explain", &PerSample::explain,
           R"(Describes the last call: the chosen strategy of each parameter, and all costs.

Example:
    samples.norms(params, data)
    print(samples.explain()))")
      .def("_verify", verify)
      .def("_write_source", write_dots_source)
      .def("_dots_module", dots_module);
}

}  // namespace mithril::python
