#include "mithril/comparison/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "mithril/base/error.hpp"
#include "mithril/base/random.hpp"
#include "mithril/base/text.hpp"
#include "mithril/comparison/reference_run.hpp"
#include "mithril/comparison/value_mismatch.hpp"
#include "mithril/compile/evaluate.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/several_backends/several_backends.hpp"

namespace mithril {
namespace {

// Differences up to this multiple of the effect of rounding are accepted.
constexpr double rounding_margin = 16;

Tensor random_gradient(DType dtype, const Dims& dims, const std::string& key, std::uint64_t seed) {
  Random random(seed, key);
  Tensor tensor(DType::float64, dims);
  for (double& element : tensor.mutable_values<double>()) element = random.normal();
  return tensor.to(dtype);
}

void check_backends(const Backend& reference, const std::vector<std::shared_ptr<Backend>>& others) {
  if (others.empty()) {
    raise({.kind = ErrorKind::value,
           .code = "E0438",
           .message = "compare needs at least two backends",
           .help = "the first is the reference, such as ml::cpu({.reference = true})"});
  }
  for (const auto& other : others) {
    if (other) {
      check_same_floats({"the reference", reference}, {"another backend", *other});
      continue;
    }
    raise({.kind = ErrorKind::backend,
           .code = "E1052",
           .message = "compare: a backend is null",
           .help = "give one, such as ml::cpu()"});
  }
}

// One backend beside the reference.
class BackendCheck {
 public:
  BackendCheck(const ReferenceRun& reference, Backend& backend, const std::string& name,
               const LoadOptions& loading, const CompareOptions& options)
      : reference_(reference),
        backend_(backend),
        name_(name),
        loading_(loading),
        options_(options) {}

  std::optional<BackendDifference> run() const {
    if (auto apart = check_apart()) return apart;
    return check_whole();
  }

 private:
  const Graph& graph() const { return reference_.graph(); }

  std::vector<Tensor> run_cut(const GraphCut& cut) const {
    std::vector<Tensor> made =
        backend_.load(cut.graph, loading_)->run(reference_.values(cut.inputs));
    for (Tensor& tensor : made) tensor = tensor.host();
    return made;
  }

  // The difference of a value that these nodes computed, unless rounding explains it.
  std::optional<BackendDifference> difference(const Tensor& got, ValueId id,
                                              const std::vector<size_t>& nodes) const {
    const Tensor& expected = reference_.value(id);
    const double largest = largest_element(expected);
    const double scale = largest > 0 ? largest : 1;  // zeros, as terms that cancel, have no scale
    double allowed = options_.tolerance.value_or(default_tolerance(expected.dtype())) * scale;
    if (!is_floating(expected.dtype())) allowed = 0;
    if (!value_mismatch(got, expected, allowed)) return std::nullopt;
    if (got.dims() == expected.dims())
      allowed = std::max(allowed, rounding_margin * reference_.rounding(nodes, id, options_.seed));
    const auto found = value_mismatch(got, expected, allowed);
    if (!found) return std::nullopt;
    return BackendDifference{.path = graph().value(id).name,
                             .op = graph().nodes()[nodes.back()].op->name,
                             .backend = name_,
                             .expected = expected,
                             .got = got,
                             .worst = found->worst,
                             .expected_element = found->expected,
                             .got_element = found->got,
                             .difference = found->difference,
                             .allowed = allowed};
  }

  // Every node computed from the values of the reference.
  std::optional<BackendDifference> check_apart() const {
    std::vector<size_t> nodes(graph().nodes().size());
    std::iota(nodes.begin(), nodes.end(), size_t{0});
    const GraphCut cut = reference_.apart(nodes);
    const std::vector<Tensor> made = run_cut(cut);
    size_t next = 0;
    for (const size_t i : nodes) {
      for (const ValueId id : graph().nodes()[i].outputs) {
        auto found = difference(made[next++], id, {i});
        if (!found) continue;
        const bool alone = fails({i}, id);
        if (options_.reduce) found->reduced = reduced(alone ? std::vector{i} : before(id), id);
        return found;
      }
    }
    return std::nullopt;
  }

  // The graph as a model runs it, where a backend may fuse ops.
  std::optional<BackendDifference> check_whole() const {
    const std::vector<Tensor> made =
        backend_.load(graph(), loading_)->run(reference_.values(graph().inputs()));
    for (size_t i = 0; i < made.size(); ++i) {
      const ValueId id = graph().outputs()[i].value;
      const std::vector<size_t> nodes = before(id);
      if (nodes.empty()) continue;  // an input or a constant
      auto found = difference(made[i].host(), id, nodes);
      if (!found) continue;
      if (auto first = first_in(nodes)) found = std::move(first);
      found->in_whole_graph = true;
      if (options_.reduce) {
        const ValueId value = graph().id_of(found->path);
        found->reduced = reduced(before(value), value);
      }
      return found;
    }
    return std::nullopt;
  }

  // The first result of the nodes that differs when it is computed with all nodes before it.
  std::optional<BackendDifference> first_in(const std::vector<size_t>& nodes) const {
    for (const size_t i : nodes) {
      for (const ValueId id : graph().nodes()[i].outputs) {
        const std::vector<size_t> earlier = before(id);
        if (auto found = difference(run_cut(reference_.together(earlier, id)).front(), id, earlier))
          return found;
      }
    }
    return std::nullopt;
  }

  std::vector<size_t> before(ValueId id) const { return reference_.nodes_before(id); }

  bool fails(const std::vector<size_t>& nodes, ValueId id) const {
    return difference(run_cut(reference_.together(nodes, id)).front(), id, nodes).has_value();
  }

  // Leaves out nodes, the largest blocks first, as long as the rest fails: their results become
  // inputs with the values of the reference.
  ReducedFailure reduced(std::vector<size_t> nodes, ValueId id) const {
    for (size_t block = nodes.size() / 2; block > 0;
         block = std::min(block / 2, nodes.size() / 2)) {
      for (size_t at = 0; at + 1 < nodes.size();) {
        const auto begin = nodes.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end =
            nodes.begin() + static_cast<std::ptrdiff_t>(std::min(at + block, nodes.size() - 1));
        std::vector<size_t> fewer(nodes.begin(), begin);
        fewer.insert(fewer.end(), end, nodes.end());
        fewer = reference_.nodes_before(id, fewer);
        if (fails(fewer, id)) {
          nodes = std::move(fewer);
        } else {
          at += block;
        }
      }
    }
    return reference_.as_model(nodes, id);
  }

  const ReferenceRun& reference_;
  Backend& backend_;
  const std::string& name_;
  const LoadOptions& loading_;
  const CompareOptions& options_;
};

}  // namespace

// The graph and the inputs of a comparison.
class ComparedModel {
 public:
  ComparedModel(const CompiledModel& model, const TensorMap& params, const TensorMap& data,
                const CompareOptions& options)
      : held_(in_use(model.impl_)), compiled_(*held_), options_(options) {
    compiled_.require_graph("compare");
    loading_ = {.jit = compiled_.load_options.jit,
                .max = compiled_.load_options.max,
                .fuse = compiled_.load_options.fuse};
    choose_graph();
    take(params, data);
  }

  BackendComparison run(const std::vector<std::shared_ptr<Backend>>& others) {
    BackendComparison comparison{.backends = names_of(others), .nodes = graph_.nodes().size()};
    for (const auto& other : others) other->check_ops(graph_);
    const std::lock_guard lock(*compiled_.facts_mutex);
    const ReferenceRun reference(std::move(graph_), std::move(inputs_), *compiled_.backend,
                                 loading_);
    for (size_t i = 0; i < others.size(); ++i) {
      const std::string& name = comparison.backends[i + 1];
      if (auto found = BackendCheck(reference, *others[i], name, loading_, options_).run())
        comparison.differences.push_back(*std::move(found));
    }
    return comparison;
  }

 private:
  std::vector<std::string> names_of(const std::vector<std::shared_ptr<Backend>>& others) const {
    if (options_.names.size() == others.size() + 1) return options_.names;
    if (!options_.names.empty()) {
      raise({.kind = ErrorKind::value,
             .code = "E0438",
             .message = fmt::format("compare: {} backends, and names of {}", others.size() + 1,
                                    options_.names.size()),
             .help = "name the reference first, and then each other backend"});
    }
    std::vector<std::string> names{std::string(compiled_.backend->name())};
    for (const auto& other : others) {
      const std::string name(other->name());
      std::string free = name;
      for (int number = 2; std::find(names.begin(), names.end(), free) != names.end(); ++number)
        free = fmt::format("{} {}", name, number);
      names.push_back(std::move(free));
    }
    return names;
  }

  // The gradients of all outputs that have one.
  void choose_graph() {
    graph_ = compiled_.graph;
    if (!options_.gradients || compiled_.inference || compiled_.trained_inputs().empty()) return;
    const std::lock_guard lock(*compiled_.facts_mutex);
    const std::vector<bool> differentiable = compiled_.differentiable_outputs();
    for (size_t i = 0; i < compiled_.outputs.size(); ++i) {
      if (!differentiable[compiled_.outputs[i].index]) continue;
      of_.push_back(i);
      try {
        graph_ = compiled_.gradient_graph(of_, compiled_.trained_inputs());
      } catch (const GradientError&) {
        of_.pop_back();  // an op before this output has no gradient
      }
    }
  }

  void take(const TensorMap& params, const TensorMap& data) {
    std::vector<std::string> labels = compiled_.input_labels();
    for (const size_t i : of_)
      labels.push_back("the gradient of " + in_quotes(compiled_.outputs[i].name));
    const Signature signature(graph_, std::move(labels));
    inputs_.resize(signature.size());
    if (!options_.state.empty()) check_state(compiled_, options_.state, "compare");
    take_inputs(compiled_, signature, params, data, options_.state, inputs_);
    if (!of_.empty()) take_gradients(signature);
    if (compiled_.safe_shapes) signature.check_dims(inputs_);
    for (Tensor& tensor : inputs_) tensor = tensor.host();
  }

  void take_gradients(const Signature& signature) {
    const size_t own = compiled_.inputs.size();
    const std::vector<Tensor> made =
        compiled_.forward().executable->run(std::span(inputs_).first(own));
    for (size_t i = 0; i < of_.size(); ++i) {
      const NamedIndex& output = compiled_.outputs[of_[i]];
      inputs_[own + i] = random_gradient(signature.dtype(own + i), made[output.index].dims(),
                                         output.name, options_.seed);
    }
  }

  const std::shared_ptr<CompiledModel::Impl> held_;
  CompiledModel::Impl& compiled_;
  const CompareOptions& options_;
  LoadOptions loading_;
  Graph graph_;
  std::vector<size_t> of_;  // the outputs whose gradients come in
  std::vector<Tensor> inputs_;
};

BackendComparison compare(const CompiledModel& reference,
                          const std::vector<std::shared_ptr<Backend>>& others,
                          const TensorMap& params, const TensorMap& data,
                          const CompareOptions& options) {
  check_backends(*reference.backend(), others);
  return ComparedModel(reference, params, data, options).run(others);
}

BackendComparison compare(const Model& model, const std::vector<std::shared_ptr<Backend>>& backends,
                          const TensorMap& params, const TensorMap& data,
                          const CompareOptions& options, CompileOptions how) {
  const std::shared_ptr<Backend> first = backends.empty() ? nullptr : backends.front();
  const CompiledModel reference = compile(model, first, std::move(how));
  return compare(reference, {backends.begin() + 1, backends.end()}, params, data, options);
}

std::string BackendComparison::text() const {
  if (agrees()) return fmt::format("{} agree on {} ops\n", join(backends, ", "), nodes);
  std::string text;
  for (const BackendDifference& found : differences) {
    text += fmt::format(
        "{} differs from {} at {}, the result of {}{}\n"
        "  worst element : {} of {}\n"
        "  expected      : {}\n"
        "  got           : {}\n"
        "  difference    : {:.3g}, allowed {:.3g}\n"
        "  {} : {}\n  {} : {}\n",
        found.backend, backends.front(), found.path, found.op,
        found.in_whole_graph ? ", only within the whole graph" : "", to_string(found.worst),
        dtype_and_dims(found.expected), found.expected_element, found.got_element, found.difference,
        found.allowed, backends.front(), to_string(found.expected), found.backend,
        to_string(found.got));
    if (found.reduced)
      text += fmt::format("  reduced to {} {}\n", found.reduced->nodes,
                          found.reduced->nodes == 1 ? "op" : "ops");
  }
  return text;
}

}  // namespace mithril
