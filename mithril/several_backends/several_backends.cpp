#include "mithril/several_backends/several_backends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/model/keys.hpp"
#include "mithril/op/part.hpp"
#include "mithril/passes/partition.hpp"
#include "mithril/passes/roll_loops.hpp"
#include "mithril/several_backends/crossings.hpp"
#include "mithril/several_backends/segmented_executable.hpp"

namespace mithril {
namespace {

// The path without its last component; empty for one component.
std::string_view parent_path(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot == path.npos ? std::string_view() : path.substr(0, dot);
}

// "float32, mixed with bfloat16".
std::string floats_of(const Backend& backend) {
  const std::optional<DType> mixed = backend.graph_options().mixed_precision;
  return std::string(name(backend.default_dtype())) +
         (mixed ? ", mixed with " + std::string(name(*mixed)) : "");
}

std::string shown_path(const std::string& path) { return path.empty() ? "''" : in_quotes(path); }

// The name of a value without the scope that a gradient, an optimizer or a recomputation put before
// it; empty if there is none.
std::string_view after_scope(std::string_view name) {
  const size_t dot = name.find('.');
  if (dot == name.npos) return {};
  const std::string_view scope = name.substr(0, dot);
  const std::string_view word = scope.substr(0, scope.find_last_not_of('_') + 1);
  const bool known = word == "grad" || word == "optimizer" || word == "again";
  return known ? name.substr(dot + 1) : std::string_view();
}

// The outermost loop or choice around the part, within the model; null: there is none.
const Composite* loop_around(const Part& part, const Composite& model) {
  const Composite* loop = nullptr;
  for (const Part* outer = part.owner; outer; outer = outer->owner) {
    const std::string name = outer->class_name();
    if (!outer->op && (name == "Scan" || name == "While" || name == "Cond"))
      loop = static_cast<const Composite*>(outer);
    if (outer == &model) break;
  }
  return loop;
}

}  // namespace

void check_same_floats(const LabelledBackend& one, const LabelledBackend& other) {
  const std::string floats = floats_of(one.backend), others = floats_of(other.backend);
  if (floats == others) return;
  raise({.kind = ErrorKind::backend,
         .code = "E1061",
         .message = "two backends of one model have different dtypes of floats",
         .facts = {{one.label, floats, std::string(one.backend.name())},
                   {other.label, others, std::string(other.backend.name())}},
         .help = "make both with the same dtype and the same mixed precision"});
}

SeveralBackends::SeveralBackends(Backends backends) : backends_(std::move(backends)) {
  check();
  std::vector<std::string> names;
  for (const auto& [path, backend] : backends_) {
    const auto known = std::find(members_.begin(), members_.end(), backend);
    paths_[path] = static_cast<size_t>(known - members_.begin());
    if (known != members_.end()) continue;
    members_.push_back(backend);
    names.emplace_back(backend->name());
  }
  main_ = paths_.at("");
  name_ = join(names, "+");
  options_ = main().graph_options();
  for (const auto& member : members_) {
    const GraphOptions wanted = member->graph_options();
    options_.use_checkpointing = options_.use_checkpointing || wanted.use_checkpointing;
    options_.as_composed = options_.as_composed || wanted.as_composed;
    options_.fused_attention = options_.fused_attention && wanted.fused_attention;
  }
}

void SeveralBackends::check() const {
  for (const auto& [path, backend] : backends_) {
    if (backend) continue;
    raise({.kind = ErrorKind::backend,
           .code = "E1052",
           .message = "compile: the backend of " + shown_path(path) + " is null",
           .help = "give one, such as ml::cpu()"});
  }
  const auto main = backends_.find("");
  if (main == backends_.end()) {
    std::vector<std::string> paths;
    for (const auto& [path, backend] : backends_) paths.push_back(path);
    raise({.kind = ErrorKind::backend,
           .code = "E1060",
           .message = "backends has no entry '' for the parts that no path names",
           .facts = {{"paths", paths.empty() ? "none" : join(paths, ", ")}},
           .help = "add one, such as {\"\": ml.CpuBackend()}"});
  }
  for (const auto& [path, backend] : backends_) {
    check_same_floats({"the backend of ''", *main->second},
                      {"the backend of " + shown_path(path), *backend});
    if (backend->graph_options().differentiates) {
      raise({.kind = ErrorKind::backend,
             .code = "E1062",
             .message = "the backend of " + shown_path(path) +
                        " takes part in the differentiation of its library, which does not see "
                        "the other backends",
             .help = "make it without requires_grad, and request gradients from evaluate"});
    }
  }
}

size_t SeveralBackends::member_at(std::string_view path) const {
  for (; !path.empty(); path = parent_path(path)) {
    const auto found = paths_.find(path);
    if (found != paths_.end()) return found->second;
  }
  return main_;
}

// One backend runs a loop or a choice. Of its parts only those have their own that no step runs.
void SeveralBackends::check_loops(const Composite& model, const FlatModel& flat) const {
  const std::string own = path(&model);
  const auto relative = [&](const Part* part) {
    std::string at = path(part);
    if (!own.empty()) at.erase(0, std::min(at.size(), own.size() + 1));
    return at;
  };
  const std::vector<bool> nested = values_of_nested(flat.graph);
  std::set<std::string> names;  // of the values that steps and branches make
  for (size_t i = 0; i < nested.size(); ++i) {
    if (nested[i]) names.insert(flat.graph.values()[i].name);
  }
  for (Part* part : all_op_parts(model)) {
    const Composite* loop = loop_around(*part, model);
    if (!loop) continue;
    const std::string at = relative(part), whole = relative(loop);
    const size_t wanted = member_at(at), runs = member_at(whole);
    const auto slots = part->output_slots();
    const bool is_nested = std::any_of(slots.begin(), slots.end(), [&](Wire* slot) {
      return slot && names.contains(name_in_graph(model, slot));
    });
    if (wanted == runs || !is_nested) continue;
    std::string_view key = at;
    while (!paths_.contains(key)) key = parent_path(key);
    const std::string what = loop->class_name() == "Cond" ? "choice" : "loop";
    raise({.kind = ErrorKind::connection,
           .code = "E0145",
           .path = std::string(key),
           .message = "one backend runs a whole " + what + ", and " + shown_path(std::string(key)) +
                      " is in the " + what + " " + shown_path(whole),
           .facts = {{std::string(key), std::string(members_[wanted]->name()), ""},
                     {whole.empty() ? "''" : whole, std::string(members_[runs]->name()), ""}},
           .help = "place the " + what + " as a whole: give the path " + shown_path(whole) +
                   " in backends"});
  }
}

void SeveralBackends::place(const Composite& model, const FlatModel& flat) {
  const std::string own = path(&model);
  std::set<std::string> paths;
  std::unordered_map<const Wire*, size_t> readers;  // the member of the first reader
  for (Part* part : all_op_parts(model)) {
    std::string at = path(part);
    if (!own.empty()) at.erase(0, own.size() + 1);
    const size_t member = member_at(at);
    for (Wire* slot : part->output_slots()) {
      if (slot) places_.emplace(name_in_graph(model, slot), member);
    }
    for (Wire* slot : part->input_slots()) {
      if (slot) readers.emplace(top(slot), member);
    }
    for (std::string_view up = at; !up.empty(); up = parent_path(up)) paths.emplace(up);
  }
  for (size_t i = 0; i < flat.inputs.size(); ++i) {
    const auto reader = readers.find(top(flat.inputs[i]));
    if (reader == readers.end()) continue;
    places_.emplace(flat.graph.value(flat.graph.inputs()[i]).name, reader->second);
  }
  for (const auto& [path, backend] : backends_) {
    if (path.empty() || paths.contains(path)) continue;
    unknown_name(ErrorKind::name, "E0645", "part", path, "backends",
                 std::vector<std::string>(paths.begin(), paths.end()));
  }
  check_loops(model, flat);
}

// Passes, gradients and optimizers name a value after one of the model: they add components, and a
// scope before it. The longest name that is known decides.
size_t SeveralBackends::member_of(std::string_view value) const {
  size_t member = main_, longest = 0;
  for (; !value.empty(); value = after_scope(value)) {
    std::string name(value);
    while (name.size() > longest) {
      const auto found = places_.find(name);
      if (found != places_.end()) {
        longest = name.size();
        member = found->second;
      }
      const size_t end = name.find_last_of(".@");
      name.resize(end == name.npos ? 0 : end);
    }
  }
  return member;
}

std::vector<size_t> SeveralBackends::members_of(const Graph& graph) const {
  std::vector<size_t> members;
  for (const Node& node : graph.nodes())
    members.push_back(member_of(graph.value(node.outputs.front()).name));
  return members;
}

std::vector<std::string> SeveralBackends::missing(const Graph& graph) const {
  std::vector<std::string> names;
  for (const GraphSegment& segment : partition(graph, members_of(graph))) {
    for (std::string& name : members_[segment.member]->missing(segment.graph)) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  }
  return names;
}

std::unique_ptr<Executable> SeveralBackends::load(const Graph& graph, const LoadOptions& options) {
  const std::vector<size_t> members = members_of(graph);
  const bool alone =
      std::all_of(members.begin(), members.end(), [&](size_t member) { return member == main_; });
  if (alone) return members_[main_]->load(graph, options);
  std::vector<std::string> notes;
  for (const auto& [path, backend] : backends_)
    notes.push_back((path.empty() ? "all other parts run on " : path + " runs on ") +
                    std::string(backend->name()));
  return load_segments(graph, partition(graph, members), members_, main_, options,
                       std::move(notes));
}

std::vector<std::string> SeveralBackends::gradient_notes(const Graph& forward,
                                                         const Graph& both) const {
  const auto crossings_in = [&](const Graph& graph) {
    return crossings(graph, partition(graph, members_of(graph)), main_);
  };
  std::set<std::pair<size_t, std::string>> before;
  for (const Crossing& crossing : crossings_in(forward)) before.emplace(crossing.to, crossing.name);
  std::vector<Crossing> more = crossings_in(both);
  if (more.empty()) return {};
  std::erase_if(more, [&](const Crossing& crossing) {
    return before.contains({crossing.to, crossing.name});
  });
  std::vector<std::string> notes;
  for (const std::string& line : crossing_lines(more, {members_, main_}))
    notes.push_back("gradients: " + line);
  notes.push_back(fmt::format("{} more {} with gradients, {}", more.size(),
                              more.size() == 1 ? "value crosses" : "values cross",
                              bytes_text(more)));
  return notes;
}

// The elements of a foreign tensor may be those of another member's tensor.
Tensor SeveralBackends::own(const Tensor& tensor) const {
  if (const ForeignElements* foreign = tensor.foreign()) {
    return foreign->object() ? foreign->converted(tensor.dtype()) : tensor.copy();
  }
  return tensor.is_sole() ? tensor : tensor.copy();
}

}  // namespace mithril
