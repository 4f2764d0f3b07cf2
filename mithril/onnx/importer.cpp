#include "mithril/onnx/importer.hpp"

#include <algorithm>
#include <cmath>

#include "mithril/base/text.hpp"
#include "mithril/model/composite.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/fold.hpp"
#include "mithril/onnx/function_body.hpp"
#include "mithril/onnx/graph_node.hpp"
#include "mithril/onnx/op_row.hpp"
#include "mithril/onnx/sizes.hpp"
#include "mithril/onnx/tensor.hpp"
#include "mithril/onnx/unread_attributes.hpp"

namespace mithril::onnx {
namespace {

std::string label_of(const NodeRecord& node) {
  if (!node.name.empty()) return node.name;
  for (const std::string& output : node.outputs)
    if (!output.empty()) return "node of " + output;
  return "a node without outputs";
}

std::string name_of_call(const NodeRecord& call) {
  if (!call.name.empty() || call.outputs.empty()) return call.name;
  return call.outputs.front();
}

std::string op_of(const NodeRecord& node) {
  return node.domain.empty() ? node.op : node.domain + "." + node.op;
}

// Floats with an axis are weights, and other tensors constants. A single infinity is what masks and
// pads contain.
bool is_weight(const Value& value) {
  if (!value.known || !is_float(value.type) || !is_computed(value.type)) return false;
  if (value.known.rank() == 0) return false;
  return value.known.size() != 1 || std::isfinite(value.known->at_as_double(0));
}

Value known_value(const std::string& name, KnownTensor elements, ElementType type) {
  Value value(std::move(elements), type);
  value.name = name;
  value.is_weight = is_weight(value);
  return value;
}

// An error of a part in one line, without its kind and code.
std::string reason_of(const Error& error) {
  const ErrorDetails& details = error.details();
  std::string reason = (details.path.empty() ? "" : details.path + ": ") + details.message;
  std::vector<std::string> facts;
  for (const Fact& fact : details.facts)
    facts.push_back(fact.label + ": " + fact.text + (fact.origin.empty() ? "" : " " + fact.origin));
  if (!facts.empty()) reason += " (" + join(facts, ", ") + ")";
  return reason + (details.help.empty() ? "" : "; " + details.help);
}

// What nodes may compute for each byte of constants of the file.
constexpr std::int64_t room_per_byte = 2;
constexpr std::int64_t weight_room_per_byte = 16;  // if they dequantise weights
constexpr int most_nested_imports = 200;           // graphs of nodes and calls inside each other
constexpr int most_repeated = 100'000;             // nodes of calls and of steps
constexpr std::int64_t most_ops = 80'000;          // of a model with such nodes; the file adds some
constexpr std::int64_t bytes_per_op = 160;
constexpr std::int64_t ops_per_weight = 4;

}  // namespace

// One graph of a node, or one call, that is being imported.
class Importer::Nesting {
 public:
  explicit Nesting(Importer& importer) : importer_(importer) {
    if (importer.nested_ == most_nested_imports)
      refuse("more than " + std::to_string(most_nested_imports) +
             " nodes with graphs and calls depend on each other");
    ++importer_.nested_;
  }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;
  ~Nesting() { --importer_.nested_; }

 private:
  Importer& importer_;
};

std::vector<Fact> GraphImport::problems() const {
  std::vector<Fact> facts;
  for (const Problem& problem : problems_) facts.push_back(problem.fact);
  return facts;
}

void GraphImport::forget_problems(std::size_t count, int depth) {
  problems_.erase(
      std::remove_if(problems_.begin() + static_cast<std::ptrdiff_t>(count), problems_.end(),
                     [&](const Problem& problem) { return problem.depth > depth; }),
      problems_.end());
}

void GraphImport::raise_problems(std::size_t count, int depth) {
  for (std::size_t i = count; i < problems_.size(); ++i)
    problems_[i].depth = std::min(problems_[i].depth, depth);
}

void Importer::refuse_name(const std::string& name, const std::string& problem) const {
  raise({.kind = ErrorKind::parse,
         .code = "E1308",
         .path = file_.path,
         .message = "the graph of the file is wrong: " + problem,
         .facts = {{"name", in_quotes(name)}},
         .help = help_for_graph});
}

void Importer::open(Scope& scope) {
  const char* repeated = "two of its inputs, initializers and nodes have one name";
  std::set<std::string> inputs, initializers;
  for (const ValueRecord& input : scope.graph->inputs)
    if (!input.name.empty() && !inputs.insert(input.name).second) refuse_name(input.name, repeated);
  for (const TensorRecord& record : scope.graph->initializers) {
    if (record.name.empty()) refuse_name("", "an initializer has no name");
    if (!initializers.insert(record.name).second) refuse_name(record.name, repeated);
    // The name of an input that is a constant has its value already.
    if (scope.values.contains(record.name)) continue;
    Value& value = scope.values[record.name];
    value = known_value(scope.prefix + record.name, read_tensor(record, file_, record.name),
                        record.type);
    if (scope.is_repeated) {
      count_weight(value);
    } else {
      add_room(value);
    }
  }
  for (const NodeRecord& node : scope.graph->nodes) {
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      if (scope.values.contains(output) || !scope.makers.emplace(output, &node).second)
        refuse_name(output, repeated);
    }
  }
}

Scope* Importer::home(Scope& scope, const std::string& name) const {
  for (Scope* each = &scope; each; each = each->around)
    if (each->values.contains(name) || each->makers.contains(name)) return each;
  return nullptr;
}

Value Importer::visible(Scope& scope, const std::string& name) const {
  Scope* at = home(scope, name);
  return scope.workspace->entered(at->values.at(name), *at->workspace);
}

Value Importer::need(Scope& scope, const std::string& name) {
  Scope* at = home(scope, name);
  if (!at) refuse_name(name, "nothing makes a value that is read");
  make(*at, name);
  return visible(scope, name);
}

void Importer::make(Scope& scope, const std::string& name) {
  // The nodes that wait for others, the innermost one last: no recursion along the graph.
  std::vector<const NodeRecord*> waiting;
  const auto push = [&](const std::string& wanted) {
    const NodeRecord* maker = scope.makers.at(wanted);
    if (!open_.insert(maker).second) refuse_name(wanted, "a value depends on itself");
    waiting.push_back(maker);
  };
  const std::size_t noted = problem_count();
  if (!scope.values.contains(name)) push(name);
  while (!waiting.empty()) {
    const NodeRecord& node = *waiting.back();
    const std::string* missing = nullptr;
    for (const std::string& input : node.inputs) {
      if (input.empty()) continue;
      Scope* at = home(scope, input);
      if (!at) refuse_name(input, "nothing makes a value that is read");
      if (at->values.contains(input)) continue;
      if (at != &scope) {
        make(*at, input);
        continue;
      }
      missing = &input;
      break;
    }
    if (missing) {
      push(*missing);
      continue;
    }
    import(scope, node);
    open_.erase(&node);
    waiting.pop_back();
  }
  raise_problems(noted, scope.depth);
}

void Importer::count_repeated(const Scope& scope) {
  if (scope.is_repeated && ++repeated_ > most_repeated) refuse_repeated("nodes", most_repeated);
}

// A node may become many ops.
void Importer::count_ops(const Value& made) {
  if (made.is_weight) return count_weight(made);
  if (made.connection) limit_ops(root_of(made.connection->model())->op_count);
}

// A parameter takes the memory of some ops, and its name is in several tables.
void Importer::count_weight(const Value& weight) {
  if (!weight.is_weight || !counted_.insert(std::hash<std::string>()(weight.name)).second) return;
  weight_ops_ += ops_per_weight + static_cast<std::int64_t>(weight.name.size()) / 128;
  limit_ops(0);
}

void Importer::limit_ops(std::int64_t count) const {
  const std::int64_t most = most_ops + static_cast<std::int64_t>(file_.bytes.size()) / bytes_per_op;
  if (count + weight_ops_ > most) refuse_repeated("ops", most);
}

void Importer::refuse_repeated(const std::string& what, std::int64_t most) const {
  raise({.kind = ErrorKind::value,
         .code = "E1326",
         .path = file_.path,
         .message = "functions and loops make too many " + what,
         .facts = {{"expected", "at most " + std::to_string(most)}}});
}

std::string Importer::unsupported(const Scope& scope, const NodeRecord& node) const {
  if (file_.function_of(node)) return "";
  const auto opset = scope.opsets->find(node.domain);
  if (opset == scope.opsets->end()) return op_of(node) + ": the file states no opset of its domain";
  if (is_graph_node(node) || find_row(node.domain, node.op, opset->second)) return "";
  return which_of(scope, node) + "no op of Mithril computes it yet";
}

// "Foo (opset 17): ", or "local.f: " for a function.
std::string Importer::which_of(const Scope& scope, const NodeRecord& node) const {
  if (file_.function_of(node)) return op_of(node) + ": ";
  return op_of(node) + " (opset " + std::to_string(scope.opsets->at(node.domain)) + "): ";
}

void Importer::import(Scope& scope, const NodeRecord& node) {
  count_repeated(scope);
  const bool is_missing =
      std::any_of(node.inputs.begin(), node.inputs.end(), [&](const std::string& input) {
        return !input.empty() && home(scope, input)->values.at(input).is_missing;
      });
  std::string problem = unsupported(scope, node);
  Outputs outputs;
  if (problem.empty() && !is_missing) {
    try {
      outputs = outputs_of(scope, node);
    } catch (const Refusal& refusal) {
      problem = which_of(scope, node) + refusal.reason +
                (refusal.help.empty() ? "" : "; " + refusal.help);
    } catch (const Error& error) {
      if (is_fatal(error)) throw;
      problem = which_of(scope, node) + reason_of(error);
    }
  }
  const std::string label = scope.prefix + label_of(node);
  if (!problem.empty()) note(label, problem, scope.depth);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    Value& made = scope.values[node.outputs[i]];
    if (i < outputs.size()) {
      made = std::move(outputs[i]);
    } else {
      made.is_missing = true;
      if (problem.empty() && !is_missing)
        note(label, op_of(node) + ": its output " + std::to_string(i) + " is not supported",
             scope.depth);
    }
    // A weight keeps its name where an op passes it on.
    if (!made.is_weight || made.name.empty()) made.name = scope.prefix + node.outputs[i];
    if (scope.is_repeated) count_ops(made);
  }
}

Outputs Importer::outputs_of(Scope& scope, const NodeRecord& node) {
  std::vector<Value> inputs;
  for (const std::string& input : node.inputs)
    inputs.push_back(input.empty() ? Value() : visible(scope, input));
  if (const FunctionRecord* function = file_.function_of(node))
    return called(scope, *function, node, std::move(inputs));
  for (const Value& value : inputs)
    if (value.count)
      refuse(
          "the number of elements of its input " + in_quotes(value.name) + " depends on data",
          "make " + in_quotes(value.name) + " an output of the file, and leave out what reads it");
  const std::int64_t opset = scope.opsets->at(node.domain);
  const NodeContext context(*scope.workspace, file_, node, std::move(inputs), opset);
  if (is_graph_node(node)) {
    const Nesting nesting(*this);
    Outputs outputs = outputs_of_graph_node({*this, scope, context});
    refuse_unread(context);
    return outputs;
  }
  const OpRow& row = *find_row(node.domain, node.op, opset);
  for (const Value& value : context.values()) {
    if (!row.takes_sequences && (value.is_sequence || value.is_empty))
      refuse("its input " + in_quotes(value.name) + " is not a tensor");
    if (!row.any_type && value.type != ElementType::undefined && !is_computed(value.type))
      refuse("models do not compute with " + name_of(value.type) + " yet");
  }
  if (row.only_floats && !is_float(context.type()))
    refuse("its input is " + name_of(context.type()) + ", and it computes with floats",
           "put a Cast before it");
  if (row.takes_sequences) {
    Outputs outputs = row.rule(context);
    refuse_unread(context);
    return outputs;
  }
  if (auto sizes = computed_sizes(context)) return *std::move(sizes);
  if (auto sizes = moved_sizes(row, context, file_, room_)) return *std::move(sizes);
  std::optional<Outputs> known = known_outputs(row, context);
  Outputs outputs = known ? *std::move(known) : row.rule(context);
  refuse_unread(context);
  if (known) return outputs;
  for (Value& output : outputs)
    if (output.type == ElementType::undefined) output.type = context.type();
  return outputs;
}

void Importer::add_room(const Value& constant) {
  room_.add(room_per_byte * constant.known.bytes());
  weight_room_.add(weight_room_per_byte * constant.known.bytes());
}

// Calls and steps repeat a constant, and the file has it once.
bool Importer::is_first_use(const NodeContext& constant) {
  const std::vector<AttributeRecord>& attributes = constant.node().attributes;
  return std::any_of(attributes.begin(), attributes.end(), [&](const AttributeRecord& attribute) {
    return attribute.is_read && constants_.insert(attribute.place).second;
  });
}

// Nothing if the model computes the outputs.
std::optional<Outputs> Importer::known_outputs(const OpRow& row, const NodeContext& node) {
  if (!is_foldable(node)) return std::nullopt;
  const bool is_constant = node.node().op == "Constant";
  const bool is_dequantized = node.node().op == "DequantizeLinear";
  std::optional<Outputs> outputs = is_constant      ? row.rule(node)
                                   : is_dequantized ? fold_weights(row, node, file_, weight_room_)
                                                    : fold(row, node, file_, room_);
  if (!outputs) return std::nullopt;
  for (Value& output : *outputs) {
    if (is_constant && is_first_use(node)) add_room(output);
    output.is_weight = (is_constant || is_dequantized) && is_weight(output);
  }
  return outputs;
}

Outputs Importer::called(Scope& scope, const FunctionRecord& function, const NodeRecord& call,
                         std::vector<Value> inputs) {
  if (inputs.size() > function.inputs.size())
    refuse("it has " + std::to_string(inputs.size()) + " inputs, expected at most " +
           std::to_string(function.inputs.size()));
  if (calling_.contains(&function)) refuse("it calls itself");
  const Nesting nesting(*this);
  calling_.insert(&function);
  const GraphRecord body = body_of_call(function, call);
  Scope inner{.graph = &body,
              .workspace = scope.workspace,
              .opsets = &function.opsets,
              .prefix = scope.prefix + name_of_call(call) + "/",
              .is_repeated = true,
              .depth = scope.depth + 1};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!call.inputs[i].empty()) inner.values[function.inputs[i]] = std::move(inputs[i]);
  open(inner);
  Outputs outputs;
  for (std::size_t i = 0; i < std::min(call.outputs.size(), function.outputs.size()); ++i)
    outputs.push_back(call.outputs[i].empty() ? Value() : need(inner, function.outputs[i]));
  calling_.erase(&function);
  return outputs;
}

}  // namespace mithril::onnx
