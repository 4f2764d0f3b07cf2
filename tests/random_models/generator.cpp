#include "tests/random_models/generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>

#include "mithril/infer/tensor_kind.hpp"
#include "mithril/model/composition.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/registry.hpp"
#include "tests/table/generate.hpp"
#include "tests/table/group_ops.hpp"

namespace mithril::tests {
namespace {

constexpr int smallest_model = 3, largest_model = 12;  // tries; some are refused
constexpr double reuse = 0.75;                // how often a port reads another part, if one fits
constexpr std::int64_t largest_tensor = 400;  // in elements; larger values are not read again
// Matrices of random models may be singular or have equal singular values, which the rows of these
// ops exclude.
constexpr std::string_view of_regular_matrices[] = {"det", "slogdet", "solve", "qr",
                                                    "svd", "svdvals", "pinv",  "lstsq"};

struct Row {
  std::string_view op;
  OpCase content;
};

bool has(const OpCase& row, std::string_view given) {
  return std::any_of(row.inputs.begin(), row.inputs.end(),
                     [&](const auto& input) { return input.first == given; });
}

bool any_tensor(const OpCase& row, const std::function<bool(const TensorSpec&)>& holds) {
  for (const auto& [port, content] : row.inputs) {
    for (const Item& item : content.items) {
      const TensorSpec* spec = std::get_if<TensorSpec>(&item);
      if (spec && holds(*spec)) return true;
    }
  }
  return false;
}

// Ints of random models are int64, which does not hold all numbers of these.
bool has_uint64(const OpCase& row) {
  return any_tensor(row, [](const TensorSpec& spec) { return spec.dtype == DType::uint64; });
}

const std::vector<Row>& usable_rows() {
  static const std::vector<Row> rows = [] {
    std::vector<Row> all;
    for (const OpCases& cases : all_op_cases()) {
      for (OpCase& row : cases.rows()) {
        // A derivative depends on the nodes before it: the ops in between may have no gradient.
        if (is_op_of_groups(cases.op) || find_op(cases.op).transform) continue;
        // Torch has another slope at 0, the value of a log_softmax of one element.
        if (cases.op.starts_with("robust_log") || (cases.op == "log" && has(row, "robust")))
          continue;
        if (std::ranges::find(of_regular_matrices, cases.op) != std::end(of_regular_matrices))
          continue;
        // Their results depend on the dtype.
        if (cases.op == "bit_cast" || cases.op == "bits_to_float" || cases.op == "float_to_bits")
          continue;
        if (has_uint64(row)) continue;
        // Backends may have different slopes where an op is not smooth.
        if (row.error.empty() && row.hold.empty()) all.push_back({cases.op, std::move(row)});
      }
    }
    return all;
  }();
  return rows;
}

bool has_integers(const OpCase& row) {
  return any_tensor(row, [](const TensorSpec& spec) { return is_integer(spec.dtype); });
}

bool has_infinities(const OpCase& row) {
  return any_tensor(row, [](const TensorSpec& spec) {
    return !std::all_of(spec.values.begin(), spec.values.end(),
                        [](double value) { return std::isfinite(value); });
  });
}

ShapeSpec shape_spec(const Dims& dims) {
  std::vector<DimSpec> spec;
  for (const std::int64_t dim : dims) spec.emplace_back(dim);
  return ShapeSpec(std::move(spec));
}

Binding by_name(const Binding& binding) {
  if (const IOKey* key = std::get_if<IOKey>(&binding.held())) return key->name;
  const auto* items = std::get_if<std::vector<Binding>>(&binding.held());
  if (!items) return binding;
  std::vector<Binding> named;
  for (const Binding& item : *items) named.push_back(by_name(item));
  return named;
}

Bindings by_name(const Bindings& bindings) {
  Bindings named;
  for (const auto& [port, binding] : bindings) named.emplace_back(port, by_name(binding));
  return named;
}

struct Available {
  std::string name;
  Kinds kinds;
  Dims dims;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) { result_.seed = seed; }

  RandomModel run() {
    const int tries = between(smallest_model, largest_model);
    for (int i = 0; i < tries; ++i) attempt();
    return std::move(result_);
  }

  RandomModel run(std::size_t parts) {
    while (result_.parts.size() < parts) attempt();
    return std::move(result_);
  }

 private:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool happens(double probability) { return std::bernoulli_distribution(probability)(random_); }

  void attempt() { attempt(usable_rows()[random_() % usable_rows().size()]); }

  void attempt(const Row& row) {
    new_inputs_.clear();
    const Bindings described = bindings(row);
    const std::string before = scout_.summary();
    try {
      scout_ |= Model::op(row.op)(described);
    } catch (const Error& error) {
      if (scout_.summary() != before)
        throw std::logic_error("a refused part has left a trace: " + std::string(error.what()));
      result_.refusals.emplace_back(error.what());
      return;
    }
    result_.parts.push_back({std::string(row.op), by_name(described)});
    for (const auto& input : new_inputs_) result_.inputs.push_back(input);
    // Results for infinities depend on the form of a formula.
    if (has_infinities(row.content)) return;
    for (const auto& [name, spec] : new_inputs_) make_available(name);
    for (const std::string& name : outputs_) make_available(name);
  }

  Bindings bindings(const Row& row) {
    Bindings bindings;
    for (const auto& [port, content] : row.content.inputs) {
      std::vector<Binding> items;
      for (const Item& item : content.items) items.push_back(binding(row, item));
      bindings.emplace_back(port, content.list ? Binding(items) : items.front());
    }
    name_outputs(row, bindings);
    return bindings;
  }

  Binding binding(const Row& row, const Item& item) {
    if (const Datum* datum = std::get_if<Datum>(&item)) return *datum;
    const TensorSpec& spec = std::get<TensorSpec>(item);
    if (happens(reuse)) {
      if (const std::string* name = fitting(row, spec)) return *name;
    }
    new_inputs_.emplace_back(fmt::format("x{}", input_count_++), spec);
    return IOKey{.name = new_inputs_.back().first,
                 .shape = shape_spec(spec.dims),
                 .type = tensor_kind(spec.dtype)};
  }

  // Indices belong to the sizes of their row: they are never taken from other parts, and the
  // indexed tensor has its size.
  const std::string* fitting(const Row& row, const TensorSpec& spec) {
    if (!is_floating(spec.dtype)) return nullptr;
    // So do numbers that are positive in their row, as deviations have to be, or chosen by hand.
    const bool positive = spec.fill == TensorSpec::Fill::uniform && spec.low > 0;
    if (positive || spec.fill == TensorSpec::Fill::values) return nullptr;
    std::vector<const std::string*> fit;
    for (const Available& value : available_) {
      const bool sized = has_integers(row.content) ? value.dims == spec.dims
                                                   : value.dims.size() == spec.dims.size();
      // Kernels and windows without elements are refused in many ways.
      const bool empty = element_count(value.dims) == 0 && element_count(spec.dims) > 0;
      if (sized && !empty && value.kinds == kind::float_tensor) fit.push_back(&value.name);
    }
    return fit.empty() ? nullptr : fit[random_() % fit.size()];
  }

  void name_outputs(const Row& row, Bindings& bindings) {
    outputs_.clear();
    const OpDef& op = *Model::op(row.op).part()->op;
    for (const PortDef& port : op.outputs) {
      const std::size_t count = port.list ? list_outputs(op, row.content) : 1;
      std::vector<Binding> names;
      for (std::size_t i = 0; i < count; ++i) {
        outputs_.push_back(fmt::format("v{}", output_count_++));
        names.emplace_back(outputs_.back());
      }
      bindings.emplace_back(port.name, port.list ? Binding(names) : names.front());
    }
  }

  static std::size_t list_outputs(const OpDef& op, const OpCase& row) {
    for (const auto& [port, content] : row.inputs) {
      if (port == op.outputs_from) return std::get<Datum>(content.items.front()).tuple().size();
    }
    return 1;
  }

  void make_available(const std::string& name) {
    const Wire* wire = top(scout_.at(name).wire());
    std::vector<Dim> dims;
    if (!Facts::known(wire->shape, dims)) return;
    Dims sizes;
    for (const Dim& dim : dims) {
      if (!resolve(dim).is_constant()) return;
      sizes.push_back(resolve(dim).constant());
    }
    if (element_count(sizes) > largest_tensor) return;
    available_.push_back({name, find(wire->type)->kinds, std::move(sizes)});
  }

  Random random_;
  Model scout_;
  RandomModel result_;
  std::vector<Available> available_;
  std::vector<std::pair<std::string, TensorSpec>> new_inputs_;  // of the part at hand
  std::vector<std::string> outputs_;                            // of the part at hand
  int input_count_ = 0, output_count_ = 0;
};

}  // namespace

RandomModel random_model(std::uint64_t seed) { return Generator(seed).run(); }
RandomModel random_model(std::uint64_t seed, std::size_t parts) {
  return Generator(seed).run(parts);
}

namespace {

using Parts = std::span<const RandomPart>;
using Steps = std::vector<std::function<void()>>;

Model without_ports() {
  Model model;
  model |= Model()({});
  model |= Model()({});
  return model;
}

Model of_constants() {
  Model model;
  model |= Model()({});
  model |= Model::op("relu")({{"input", Tensor::of<double>({2}, {-1, 2})}, {"output", "constant"}});
  return model;
}

// `number` chooses the kind, and makes names of outputs differ.
void add_filler(Model& model, std::size_t number) {
  const std::string name = constant_filler + std::to_string(number);
  if (number % 3 == 0) model |= Model()({});
  if (number % 3 == 1) model |= without_ports()({});
  if (number % 3 == 2) model |= of_constants()({{"constant", name}});
}

void add_part(Model& model, const RandomPart& part, const Composing& how, std::size_t number) {
  if (how.fillers) add_filler(model, number);
  model |= Model::op(part.op)(part.bindings);
}

void add_parts(Steps& steps, Model& model, Parts parts, const Composing& how, std::size_t first) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    steps.emplace_back([&model, &part = parts[i], &how, number = first + i] {
      add_part(model, part, how, number);
    });
  }
}

// Every key of the inner model has the same name in the outer one.
void add_nested(Steps& steps, Model& model, Parts parts, const Composing& how) {
  steps.emplace_back([&model, parts, &how] {
    Model inner;
    for (std::size_t i = 0; i < parts.size(); ++i) add_part(inner, parts[i], how, i);
    Bindings bindings;
    for (const std::string& key : inner.input_keys()) bindings.emplace_back(key, key);
    for (const std::string& key : inner.output_keys()) bindings.emplace_back(key, key);
    model |= inner(bindings);
  });
}

void add_facts(Steps& steps, Model& model, const RandomModel& random, const Composing& how) {
  for (std::size_t i = 0; i < random.inputs.size(); ++i) {
    const auto& [name, spec] = random.inputs[i];
    steps.emplace_back([&model, &how, i, &name = name, &spec = spec] {
      static_cast<void>(model[name]);  // the parts that read it may be added later
      model.set_types({{name, tensor_kind(spec.dtype)}});
      if (how.shapes) model.set_shapes({{name, shape_spec(spec.dims)}});
      if (i < how.literals.size()) model.set_values({{name, how.literals[i]}});
    });
  }
}

}  // namespace

Model compose(const RandomModel& random, const Composing& how) {
  Model model;
  Steps steps;
  const Parts parts = random.parts;
  const std::size_t inner = how.nested ? parts.size() / 2 : 0;
  if (inner > 0) add_nested(steps, model, parts.first(inner), how);
  add_parts(steps, model, parts.subspan(inner), how, inner);
  add_facts(steps, model, random, how);
  Random shuffling(how.order);
  if (how.order != 0) std::shuffle(steps.begin(), steps.end(), shuffling);
  for (const auto& step : steps) step();
  return model;
}

std::string description(const RandomModel& random) {
  std::string text = fmt::format("model of seed {}:\n", random.seed);
  for (const auto& [name, spec] : random.inputs)
    text += fmt::format("  {}: {}\n", name, to_string(spec.dims));
  for (const RandomPart& part : random.parts) {
    text += "  " + part.op + "(";
    for (const auto& [port, binding] : part.bindings) {
      text += port + "=";
      if (const std::string* name = std::get_if<std::string>(&binding.held())) text += *name + " ";
      if (const Datum* datum = std::get_if<Datum>(&binding.held())) text += to_string(*datum) + " ";
      if (const auto* items = std::get_if<std::vector<Binding>>(&binding.held()))
        text += fmt::format("list of {} ", items->size());
    }
    text += ")\n";
  }
  return text;
}

}  // namespace mithril::tests
