// The summary of a compiled model.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/unknowns.hpp"
#include "mithril/compile/compiled_state.hpp"
#include "mithril/compile/discard.hpp"
#include "mithril/compile/local_program.hpp"
#include "mithril/several_backends/several_backends.hpp"

namespace mithril {
namespace {

using Impl = CompiledModel::Impl;

// 1234567 as "1,234,567".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

// Empty if a dim is not known.
std::optional<std::int64_t> elements(const Value& value) {
  std::int64_t count = 1;
  for (const Dim& dim : value.dims) {
    if (!dim.is_constant()) return std::nullopt;
    count *= dim.constant();
  }
  return value.ranked ? std::optional(count) : std::nullopt;
}

// The bytes of all values that nodes make, without sharing memory; empty if sizes are not known.
std::optional<double> bytes_of_values(const Graph& graph) {
  double bytes = 0;
  for (const Node& node : graph.nodes()) {
    for (const ValueId id : node.outputs) {
      const Value& value = graph.value(id);
      auto size = static_cast<double>(size_of(value.dtype));
      for (const Dim& dim : value.dims) {
        const Dim now = resolve(dim);
        if (!now.is_constant()) return std::nullopt;
        size *= static_cast<double>(now.constant());
      }
      if (!value.ranked) return std::nullopt;
      bytes += size;
    }
  }
  return bytes;
}

// The memory of a run, and the memory of all values of the composed model.
std::string memory_note(const Executable& executable, const Graph& composed) {
  const std::optional<int64_t> peak = executable.run_bytes();
  if (!peak) return {};
  const std::optional<double> values = bytes_of_values(composed);
  return "evaluating takes " + memory_text(static_cast<double>(*peak)) +
         (values ? ", where all values are " + memory_text(*values) : "") + "\n";
}

std::optional<Graph> gradients_if_any(Impl& compiled, const std::vector<size_t>& outputs) {
  try {
    return compiled.gradient_graph(outputs, compiled.trained_inputs());
  } catch (const GradientError&) {
    return std::nullopt;
  }
}

// The graph with the gradients of the outputs that have one; none: no output has one. The caller
// holds facts_mutex.
std::optional<Graph> available_gradient_graph(Impl& compiled) {
  const std::vector<size_t> all = differentiated_outputs(compiled);
  if (all.empty()) return std::nullopt;
  if (std::optional<Graph> graph = gradients_if_any(compiled, all)) return graph;
  std::optional<Graph> graph;
  std::vector<size_t> outputs;
  for (const size_t output : all) {
    outputs.push_back(output);
    if (std::optional<Graph> more = gradients_if_any(compiled, outputs)) {
      graph = std::move(more);
    } else {
      outputs.pop_back();
    }
  }
  return graph;
}

// The values that cross between several backends when gradients are evaluated.
std::vector<std::string> gradient_notes(Impl& compiled) {
  const auto* several = dynamic_cast<const SeveralBackends*>(compiled.backend.get());
  if (!several || compiled.inference || compiled.trained_inputs().empty()) return {};
  const std::lock_guard lock(*compiled.facts_mutex);
  const std::optional<Graph> graph = available_gradient_graph(compiled);
  return graph ? several->gradient_notes(compiled.graph, *graph) : std::vector<std::string>();
}

class SummaryTable {
 public:
  void add(std::vector<std::string> row) {
    for (std::string& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
  }

  std::string text() const {
    std::vector<size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
      for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line;
      for (size_t i = 0; i < row.size(); ++i) {
        const std::string space(widths[i] - text_width(row[i]), ' ');
        line += i + 1 < row.size() ? row[i] + space + "  " : space + row[i];
      }
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_;  // of equal lengths, the header first
};

// "w.grad" for the gradient of the parameter "w", else the path of the value.
std::string name_in_summary(const Impl& compiled, const Graph& gradients,
                            const Collective& collective) {
  const std::vector<size_t> trained = compiled.trained_inputs();
  const size_t first = compiled.graph.outputs().size();
  for (size_t i = 0; i < trained.size() && first + i < gradients.outputs().size(); ++i) {
    const Value& gradient = gradients.value(gradients.outputs()[first + i].value);
    if (gradient.name == collective.path) return compiled.inputs[trained[i]].key + ".grad";
  }
  return collective.path;
}

// Describes the collectives of an evaluation of gradients.
std::string collectives_text(Impl& compiled) {
  if (!is_distributed(compiled)) return {};
  const std::lock_guard lock(*compiled.facts_mutex);
  const std::optional<Graph> gradients = available_gradient_graph(compiled);
  const Graph& graph = gradients ? *gradients : compiled.graph;
  const std::vector<size_t> of = gradients ? compiled.trained_inputs() : std::vector<size_t>();
  const std::vector<Collective> collectives = collectives_of(compiled, graph, of);
  SummaryTable table;
  table.add({"collective", "reduction", "dtype", "axis", "bucket", "bytes"});
  std::int64_t bytes = 0, unknown = 0;
  size_t buckets = 0;
  for (const Collective& collective : collectives) {
    table.add({name_in_summary(compiled, graph, collective), collective.reduction,
               std::string(mithril::name(collective.dtype)),
               collective.group == compiled.data_group->name() ? "data" : "model",
               std::to_string(collective.bucket),
               collective.bytes ? grouped(*collective.bytes) : "?"});
    bytes += collective.bytes.value_or(0);
    unknown += !collective.bytes;
    buckets = std::max(buckets, collective.bucket + 1);
  }
  return "\n" + table.text() +
         fmt::format("{} tensors in {} buckets, {}{}, among {} processes\n", collectives.size(),
                     buckets, memory_text(static_cast<double>(bytes)),
                     unknown ? fmt::format(", and {} of unknown size", unknown) : "",
                     compiled.group->size());
}

}  // namespace

std::vector<std::string> names_of(const std::vector<NamedIndex>& keys) {
  std::vector<std::string> names;
  for (const NamedIndex& key : keys) names.push_back(key.name);
  return names;
}

bool contains(const std::vector<NamedIndex>& keys, std::string_view name) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const NamedIndex& key) { return key.name == name; });
}

const std::shared_ptr<Backend>& CompiledModel::backend() const { return impl_->backend; }

std::vector<std::string> CompiledModel::parameter_keys() const {
  return names_of(impl_->parameters);
}
const std::shared_ptr<Communicator>& CompiledModel::group() const { return impl_->group; }

std::vector<std::string> CompiledModel::replicated_keys() const { return impl_->replicated_keys; }

std::vector<std::string> CompiledModel::frozen_keys() const {
  std::vector<std::string> keys;
  for (const NamedIndex& key : impl_->parameters)
    if (impl_->is_frozen(key)) keys.push_back(key.name);
  return keys;
}
std::vector<std::string> CompiledModel::unread_parameter_keys() const {
  std::vector<std::string> keys;
  if (impl_->native_code_bytes) return keys;  // its graph has no nodes
  const std::vector<bool> read = needed_inputs(impl_->graph, impl_->graph.outputs());
  for (const NamedIndex& key : impl_->parameters)
    if (!read[key.index]) keys.push_back(key.name);
  return keys;
}
std::vector<std::string> CompiledModel::unneeded_keys() const {
  std::vector<std::string> keys = impl_->spare_parameters;
  for (const std::string& key : impl_->state_keys) {
    const auto is_it = [&](const NamedIndex& state) { return state.name == key; };
    if (std::none_of(impl_->states.begin(), impl_->states.end(), is_it)) keys.push_back(key);
  }
  return keys;
}
std::vector<std::string> CompiledModel::data_keys() const { return names_of(impl_->data); }
std::vector<std::string> CompiledModel::output_keys() const { return names_of(impl_->outputs); }
const std::vector<std::string>& CompiledModel::warnings() const { return impl_->warnings; }
State CompiledModel::initial_state_dict() const { return impl_->copy_of(impl_->initial); }

std::vector<std::string> CompiledModel::input_keys() const {
  std::vector<std::string> keys;
  for (const InputKey& input : impl_->inputs) {
    if (input.key_class != KeyClass::state) keys.push_back(input.key);
  }
  return keys;
}

std::vector<std::pair<std::string, KnownShape>> CompiledModel::shapes() const {
  return impl_->shapes;
}

std::string CompiledModel::summary() const {
  const Graph& graph = impl_->graph;
  SummaryTable table;
  UnknownNumbers unknowns;
  table.add({"key", "class", "shape", "dtype", "parameters"});
  std::int64_t count = 0, bytes = 0, unknown = 0;
  for (size_t i = 0; i < impl_->inputs.size(); ++i) {
    const InputKey& input = impl_->inputs[i];
    const Value& value = graph.value(graph.inputs()[i]);
    std::string counted;
    if (input.key_class == KeyClass::parameter) {
      const std::optional<std::int64_t> size = elements(value);
      counted = size ? grouped(*size) : "?";
      count += size.value_or(0);
      bytes += size.value_or(0) * static_cast<std::int64_t>(size_of(value.dtype));
      if (!size) ++unknown;
    }
    table.add({input.key,
               (input.frozen ? "frozen " : "") + std::string(mithril::name(input.key_class)),
               unknowns.renumber(impl_->whole_signature().dims_text(i)),
               std::string(mithril::name(value.dtype)), counted});
  }
  for (size_t i = 0; i < impl_->outputs.size(); ++i) {
    const NamedIndex& output = impl_->outputs[i];
    const DType dtype = graph.value(graph.outputs()[output.index].value).dtype;
    table.add({output.name, "output", unknowns.renumber(impl_->output_texts[i]),
               std::string(mithril::name(dtype)), ""});
  }
  const std::string open = unknown ? fmt::format(", and {} of unknown size", unknown) : "";
  std::string notes = memory_note(*impl_->forward().executable, impl_->source);
  const std::vector<std::string> unread = unread_parameter_keys();
  if (!unread.empty()) notes += "no output reads " + join(unread, ", ") + "\n";
  for (const std::string& note : impl_->forward().executable->notes()) notes += note + "\n";
  for (const std::string& note : gradient_notes(*impl_)) notes += note + "\n";
  return table.text() +
         fmt::format("{} parameters in {} tensors, {}{}\n", grouped(count),
                     impl_->parameters.size(), memory_text(static_cast<double>(bytes)), open) +
         notes + collectives_text(*impl_);
}

}  // namespace mithril
