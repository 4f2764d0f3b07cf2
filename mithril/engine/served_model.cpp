#include "mithril/engine/served_model.hpp"

#include <algorithm>
#include <utility>

#include "mithril/backend/backend.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/engine/rows.hpp"

namespace mithril {
namespace {

[[noreturn]] void refuse_batching(const char* code, std::string message, std::string shape,
                                  std::string help) {
  raise({.kind = ErrorKind::value,
         .code = code,
         .message = std::move(message),
         .facts = {{"shape", std::move(shape)}},
         .help = std::move(help)});
}

CompiledModel fixed_model(ServableModel model, const ServingOptions& options) {
  const bool is_bound = model.compiled.parameter_keys().empty() && model.params.empty();
  if (is_bound && model.state.empty()) model.state = model.compiled.initial_state_dict();
  return model.compiled.bind(std::move(model.params), model.state, {.outputs = options.outputs});
}

// NameError E1222 unless the program has this input. `what`: of the message.
void require_input(const InferenceProgram& program, const char* what, const std::string& name) {
  if (port_named(program.inputs(), name)) return;
  unknown_name(ErrorKind::name, "E1222", what, name, "", names_of(program.inputs()));
}

constexpr int no_symbol = -1;

}  // namespace

// The axes of an input or an output after the first: the index of a padded symbol, or no_symbol.
struct ServedModel::Axes {
  std::size_t index = 0;  // of an input, among those of the graph
  std::vector<int> padded;
  double padding = 0;
};

struct ServedModel::Batching {
  std::vector<Axes> inputs, outputs;
  std::size_t lengths = 0;  // the number of padded symbols

  Dims dims(const Axes& axes, const Dims& made, std::int64_t rows, const Dims& sizes) const {
    Dims result = made;
    result.front() = rows;
    for (std::size_t i = 1; i < result.size(); ++i) {
      if (axes.padded[i] != no_symbol) result[i] = sizes[static_cast<std::size_t>(axes.padded[i])];
    }
    return result;
  }
};

namespace {

std::string shape_text(const ProgramPort& port) {
  if (!port.sizes) return "[...]";
  std::vector<std::string> sizes;
  for (const ProgramSize& size : *port.sizes) sizes.push_back(size.text);
  return "[" + join(sizes, ", ") + "]";
}

// Finds the batch symbol and the padded symbols of a program.
class BatchSymbols {
 public:
  BatchSymbols(const InferenceProgram& program, const ServingOptions& options) {
    if (!program.states().empty()) {
      refuse_batching("E1220", "the model cannot be batched: it has a state",
                      join(names_of(program.states()), ", "), "register it with max_batch_size 1");
    }
    if (program.inputs().empty()) {
      refuse_batching("E1220", "the model cannot be batched: it has no inputs", "none",
                      "register it with max_batch_size 1");
    }
    const ProgramPort& first = program.inputs().front();
    if (first.sizes && !first.sizes->empty()) batch_ = first.sizes->front();
    const ProgramPort* mask = port_named(program.inputs(), options.mask);
    if (mask && mask->sizes) find_padded(*mask->sizes);
  }

  // Per axis of the input or output: the index of a padded symbol, or no_symbol.
  std::vector<int> axes(const ProgramPort& port) const {
    if (!port.sizes || port.sizes->empty() || batch_.symbols.empty() ||
        port.sizes->front().text != batch_.text) {
      refuse_batching("E1220",
                      "the model cannot be batched: '" + port.name +
                          "' does not begin with the batch axis, whose size is a symbol",
                      shape_text(port),
                      "compile it with a symbol as the first size of each input, or register it "
                      "with max_batch_size 1");
    }
    std::vector<int> result(port.sizes->size(), no_symbol);
    for (std::size_t i = 1; i < result.size(); ++i) {
      const ProgramSize& size = (*port.sizes)[i];
      const auto found =
          std::find_if(padded_.begin(), padded_.end(),
                       [&](const ProgramSize& padded) { return size.text == padded.text; });
      if (found != padded_.end()) {
        result[i] = static_cast<int>(found - padded_.begin());
        continue;
      }
      check_independent(port, size);
    }
    return result;
  }
  std::size_t count() const { return padded_.size(); }

 private:
  void find_padded(const std::vector<ProgramSize>& mask) {
    for (std::size_t i = 1; i < mask.size(); ++i) {
      if (!mask[i].number) padded_.push_back(mask[i]);
    }
  }

  // The size must not change with the number of rows, nor with padding.
  void check_independent(const ProgramPort& port, const ProgramSize& size) const {
    if (depends_on(size, batch_)) {
      refuse_batching("E1220",
                      "the model cannot be batched: '" + port.name + "' has the batch axis twice",
                      shape_text(port), "register it with max_batch_size 1");
    }
    for (const ProgramSize& padded : padded_) {
      if (!depends_on(size, padded)) continue;
      refuse_batching("E1221",
                      "the model cannot be padded: a size of '" + port.name +
                          "' is computed from the padded one",
                      shape_text(port), "register it without a mask");
    }
  }

  static bool depends_on(const ProgramSize& size, const ProgramSize& other) {
    return std::find_first_of(size.symbols.begin(), size.symbols.end(), other.symbols.begin(),
                              other.symbols.end()) != size.symbols.end();
  }

  ProgramSize batch_ = {};
  std::vector<ProgramSize> padded_;
};

}  // namespace

ServedModel::ServedModel(ServableModel model, ServingOptions options)
    : options_(std::move(options)),
      compiled_(fixed_model(std::move(model), options_)),
      program_(compiled_),
      bytes_(program_.bytes() + program_.state_bytes()) {
  for (const auto& [name, padding] : options_.padding)
    require_input(program_, "input for padding", name);
  if (!options_.mask.empty()) require_input(program_, "input for the mask", options_.mask);
  if (batches()) find_batching();
}

ServedModel::~ServedModel() = default;

void ServedModel::find_batching() {
  const BatchSymbols symbols(program_, options_);
  auto batching = std::make_unique<Batching>();
  batching->lengths = symbols.count();
  for (const ProgramPort& input : program_.inputs()) {
    Axes axes{.index = input.index, .padded = symbols.axes(input)};
    for (const auto& [name, padding] : options_.padding) {
      if (name == input.name) axes.padding = padding;
    }
    batching->inputs.push_back(std::move(axes));
  }
  for (const ProgramPort& output : program_.outputs())
    batching->outputs.push_back({.padded = symbols.axes(output)});
  batching_ = std::move(batching);
}

ServedModelInfo ServedModel::info() const {
  const std::vector<std::pair<std::string, KnownShape>> shapes = compiled_.shapes();
  const auto described = [&](const ProgramPort& port) {
    ServedTensor tensor{.name = port.name, .dtype = port.dtype};
    const auto found = std::find_if(shapes.begin(), shapes.end(),
                                    [&](const auto& shape) { return shape.first == port.name; });
    if (found != shapes.end()) tensor.shape = found->second;
    return tensor;
  };
  ServedModelInfo info{.backend = std::string(compiled_.backend()->name()),
                       .states = names_of(program_.states()),
                       .options = options_,
                       .bytes = bytes_,
                       .loaded = true};
  for (const ProgramPort& input : program_.inputs()) info.inputs.push_back(described(input));
  for (const ProgramPort& output : program_.outputs()) info.outputs.push_back(described(output));
  return info;
}

ServedInputs ServedModel::check(const TensorMap& request) const {
  ServedInputs inputs{
      .tensors = program_.check({}, request, {.data_name = "the request", .takes_outputs = true})};
  if (!batching_) return inputs;
  inputs.lengths.resize(batching_->lengths);
  for (const Axes& axes : batching_->inputs) {
    const Dims& dims = inputs.tensors[axes.index].dims();
    inputs.rows = dims.front();
    for (std::size_t i = 1; i < dims.size(); ++i) {
      if (axes.padded[i] != no_symbol)
        inputs.lengths[static_cast<std::size_t>(axes.padded[i])] = dims[i];
    }
  }
  return inputs;
}

bool ServedModel::fit_together(const ServedInputs& a, const ServedInputs& b) const {
  if (!batching_) return false;
  for (const Axes& axes : batching_->inputs) {
    const Dims &left = a.tensors[axes.index].dims(), &right = b.tensors[axes.index].dims();
    for (std::size_t i = 1; i < left.size(); ++i) {
      if (axes.padded[i] == no_symbol && left[i] != right[i]) return false;
    }
  }
  return true;
}

std::vector<TensorMap> ServedModel::run_batch(std::span<const ServedInputs* const> requests) const {
  std::vector<TensorMap> answers;
  if (requests.size() == 1 || !batching_) {
    for (const ServedInputs* request : requests) answers.push_back(run(*request));
    return answers;
  }
  std::int64_t rows = 0;
  Dims lengths(batching_->lengths);
  for (const ServedInputs* request : requests) {
    rows += request->rows;
    for (std::size_t i = 0; i < lengths.size(); ++i)
      lengths[i] = std::max(lengths[i], request->lengths[i]);
  }
  std::vector<Tensor> inputs(requests.front()->tensors.size()), parts(requests.size());
  for (const Axes& axes : batching_->inputs) {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = requests[i]->tensors[axes.index];
    const Dims dims = batching_->dims(axes, parts.front().dims(), rows, lengths);
    inputs[axes.index] = join_rows(parts, dims, axes.padding);
  }
  const TensorMap made = program_.run(inputs);
  std::int64_t first = 0;
  for (const ServedInputs* request : requests) {
    std::vector<TensorMap::Item> outputs;
    for (const auto& [name, batch] : made) {
      const Axes& axes = batching_->outputs[outputs.size()];
      const Dims dims = batching_->dims(axes, batch.dims(), request->rows, request->lengths);
      outputs.emplace_back(name, cut_rows(batch, first, dims));
    }
    answers.emplace_back(std::move(outputs));
    first += request->rows;
  }
  return answers;
}

}  // namespace mithril
