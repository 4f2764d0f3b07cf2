#include "mithril/onnx/importer.hpp"

#include "mithril/base/text.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/fold.hpp"
#include "mithril/onnx/tensor.hpp"

namespace mithril::onnx {
namespace {

std::string label_of(const NodeRecord& node) {
  if (!node.name.empty()) return node.name;
  for (const std::string& output : node.outputs)
    if (!output.empty()) return "node of " + output;
  return "a node without outputs";
}

std::string op_of(const NodeRecord& node) {
  return node.domain.empty() ? node.op : node.domain + "." + node.op;
}

// Floats with an axis are weights, and other tensors constants.
bool is_weight(const Value& value) {
  return value.known && is_float(value.type) && value.known->rank() > 0;
}

Value known_value(const std::string& name, Tensor elements, ElementType type) {
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

constexpr std::int64_t folded_per_byte = 16;  // bytes of folded constants per byte of the file's
constexpr int most_branches = 200;            // that are imported inside each other

std::int64_t bytes_of(const Tensor& tensor) {
  return tensor.size() * static_cast<std::int64_t>(size_of(tensor.dtype()));
}

}  // namespace

void Importer::refuse_name(const std::string& name, const std::string& problem) const {
  raise({.kind = ErrorKind::parse,
         .code = "E1308",
         .path = file_.path,
         .message = "the graph of the file is wrong: " + problem,
         .facts = {{"name", in_quotes(name)}}});
}

void Importer::open(Scope& scope) {
  for (const TensorRecord& record : scope.graph->initializers) {
    // The name of an input that is a constant has its value already.
    if (scope.values.contains(record.name)) continue;
    Value& value = scope.values[record.name];
    value = known_value(record.name, read_tensor(record, file_, record.name), record.type);
    room_ += folded_per_byte * bytes_of(*value.known);
  }
  for (const NodeRecord& node : scope.graph->nodes) {
    for (const std::string& output : node.outputs) {
      if (output.empty()) continue;
      if (scope.values.contains(output) || !scope.makers.emplace(output, &node).second)
        refuse_name(output, "two of its inputs, initializers and nodes have one name");
    }
  }
}

Scope* Importer::home(Scope& scope, const std::string& name) const {
  for (Scope* each = &scope; each; each = each->around)
    if (each->values.contains(name) || each->makers.contains(name)) return each;
  return nullptr;
}

const Value& Importer::need(Scope& scope, const std::string& name) {
  Scope* start = home(scope, name);
  if (!start) refuse_name(name, "nothing makes a value that is read");
  // The nodes that wait for others, the innermost one last: no recursion along the graph.
  std::vector<const NodeRecord*> waiting;
  const auto push = [&](const std::string& wanted) {
    const NodeRecord* maker = start->makers.at(wanted);
    if (!open_.insert(maker).second) refuse_name(wanted, "a value depends on itself");
    waiting.push_back(maker);
  };
  if (!start->values.contains(name)) push(name);
  while (!waiting.empty()) {
    const NodeRecord& node = *waiting.back();
    const std::string* missing = nullptr;
    for (const std::string& input : node.inputs) {
      if (input.empty()) continue;
      Scope* at = home(*start, input);
      if (!at) refuse_name(input, "nothing makes a value that is read");
      if (at->values.contains(input)) continue;
      if (at != start) {
        need(*at, input);
        continue;
      }
      missing = &input;
      break;
    }
    if (missing) {
      push(*missing);
      continue;
    }
    import(*start, node);
    open_.erase(&node);
    waiting.pop_back();
  }
  return start->values.at(name);
}

void Importer::import(Scope& scope, const NodeRecord& node) {
  std::vector<Value> inputs;
  bool is_missing = false;
  for (const std::string& input : node.inputs) {
    inputs.push_back(input.empty() ? Value() : home(scope, input)->values.at(input));
    is_missing = is_missing || inputs.back().is_missing;
  }
  const auto opset = file_.opsets.find(node.domain);
  const std::string op = op_of(node);
  std::string problem;
  Outputs outputs;
  if (opset == file_.opsets.end()) {
    problem = op + ": the file states no opset of its domain";
  } else {
    const std::string which = op + " (opset " + std::to_string(opset->second) + "): ";
    const bool is_choice = op == "If";
    if (!is_choice && !find_row(node.domain, node.op, opset->second)) {
      problem = which + "no op of Mithril computes it yet";
    } else if (!is_missing) {
      try {
        outputs = outputs_of(scope, node, std::move(inputs));
      } catch (const Refusal& refusal) {
        problem = which + refusal.reason + (refusal.help.empty() ? "" : "; " + refusal.help);
      } catch (const Error& error) {
        if (error.code() == "E1308") throw;  // a branch whose graph is wrong
        problem = which + reason_of(error);
      }
    }
  }
  if (!problem.empty()) note(label_of(node), problem);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    Value& made = scope.values[node.outputs[i]];
    if (i < outputs.size()) {
      made = std::move(outputs[i]);
    } else {
      made.is_missing = true;
      if (problem.empty() && !is_missing)
        note(label_of(node), op + ": its output " + std::to_string(i) + " is not supported");
    }
    // A weight keeps its name where an op passes it on.
    if (!made.is_weight || made.name.empty()) made.name = node.outputs[i];
  }
}

Outputs Importer::outputs_of(Scope& scope, const NodeRecord& node, std::vector<Value> inputs) {
  const std::int64_t opset = file_.opsets.at(node.domain);
  const NodeContext context(workspace_, file_, node, std::move(inputs), opset);
  if (node.domain.empty() && node.op == "If") return branch(scope, context);
  const OpRow& row = *find_row(node.domain, node.op, opset);
  for (const Value& value : context.values()) {
    if (!row.any_type && value.type != ElementType::undefined && !is_computed(value.type))
      refuse("models do not compute with " + name_of(value.type) + " yet");
  }
  if (row.only_floats && !is_float(context.type()))
    refuse("its input is " + name_of(context.type()) + ", and it computes with floats",
           "put a Cast before it");
  if (auto sizes = computed_sizes(context)) return *std::move(sizes);
  Outputs outputs;
  if (is_foldable(context)) {
    outputs = fold(row, context, file_, room_);
    for (const Value& output : outputs)
      room_ += (node.op == "Constant" ? folded_per_byte : -1) * bytes_of(*output.known);
    const bool is_constant = node.op == "Constant" || node.op == "DequantizeLinear";
    for (Value& output : outputs) output.is_weight = is_constant && is_weight(output);
    return outputs;
  }
  outputs = row.rule(context);
  for (Value& output : outputs)
    if (output.type == ElementType::undefined) output.type = context.type();
  return outputs;
}

Outputs Importer::branch(Scope& scope, const NodeContext& node) {
  if (!node.is_known(0) || node.known(0).size() != 1) {
    refuse("its condition " + in_quotes(node.value(0).name) + " depends on data",
           "constants= fixes an input of the model, and shapes= its sizes");
  }
  const char* name = node.number(0) != 0 ? "then_branch" : "else_branch";
  const AttributeRecord* chosen = node.attribute(name);
  if (!chosen || !chosen->g) refuse(std::string("it has no ") + name);
  // Branches that read the result of another `If` are imported inside of each other.
  if (branches_ == most_branches)
    refuse("more than " + std::to_string(most_branches) + " nodes If depend on each other");
  Scope inner{.graph = chosen->g.get(), .around = &scope};
  open(inner);
  ++branches_;
  Outputs outputs;
  for (const ValueRecord& output : inner.graph->outputs)
    outputs.push_back(need(inner, output.name));
  --branches_;
  return outputs;
}

}  // namespace mithril::onnx
