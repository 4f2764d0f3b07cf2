#include "mithril/op/registry.hpp"
#include "mithril/op/op_def.hpp"

#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/base/text.hpp"
#include "mithril/op/faulty_record.hpp"
#include "mithril/op/patterns.hpp"

namespace mithril {

void define_builtin_ops();  // mithril/ops/registry.cpp: the records are above this layer

namespace {

// "leaky_relu" -> "LeakyRelu"
std::string camel(std::string_view name) {
  std::string result;
  bool start = true;
  for (const char c : name) {
    if (c != '_')
      result += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = c == '_';
  }
  return result;
}

struct OpTable {
  std::recursive_mutex mutex;  // recursive: the first look-up registers the built-in ops
  std::deque<OpDef> ops;       // a deque: records keep their addresses
  std::map<std::string, const OpDef*, std::less<>> by_name, by_model;
  size_t built_in = 0;  // how many of the ops are not of users
  bool filled = false;

  void fill() {
    if (filled) return;
    filled = true;
    define_builtin_ops();
    built_in = ops.size();
  }
  bool is_of_user(const OpDef& op) const {
    const auto is_it = [&](const OpDef& each) { return &each == &op; };
    return std::any_of(ops.begin() + static_cast<long>(built_in), ops.end(), is_it);
  }
  const OpDef* taker_of(const OpDef& record) const {
    if (const auto at = by_name.find(record.name); at != by_name.end()) return at->second;
    const auto at = by_model.find(record.label);
    return at == by_model.end() ? nullptr : at->second;
  }
};

OpTable& table() {
  static OpTable instance;
  return instance;
}

void validate(const OpDef& op) {
  std::set<std::string> names;
  for (size_t i = 0; i < op.port_count(); ++i) {
    if (!names.insert(op.port(i).name).second)
      faulty_record(op, "it has two ports named '" + op.port(i).name + "'");
  }
  if (op.name.empty()) faulty_record(op, "it has no name");
  if (op.outputs.empty()) faulty_record(op, "it has no output");
  if (op.doc.empty()) faulty_record(op, "it has no doc line");
  for (const std::string& name : op.separable) {
    const auto names = [&](const std::vector<std::string>& all) {
      return std::find(all.begin(), all.end(), name) != all.end();
    };
    if (!names(op.compiled.dims) && !names(op.compiled.runs))
      faulty_record(op, "its separable variable '" + name + "' is in no pattern");
  }
  const bool makes_tensors = std::any_of(
      op.compiled.ports.begin() + static_cast<long>(op.inputs.size()), op.compiled.ports.end(),
      [](const CompiledPorts::Port& port) { return !port.value; });
  if (!makes_tensors) {
    if (!op.solve) faulty_record(op, "it makes only values and has no solve to fold them");
    return;
  }
  // A transform without either is replaced together with the nodes that another one transforms.
  if (!op.eval == !op.expand && !op.transform) faulty_record(op, "it needs either eval or expand");
  if (op.expand) return;
  if (!op.grad == op.not_differentiable.empty())
    faulty_record(op, "it needs either grad or not_differentiable");
}

// Passes let a port `like` read another value of this shape, and pass it no gradient.
void refuse_like(const OpDef& op) {
  const bool has_like = std::any_of(op.inputs.begin(), op.inputs.end(),
                                    [](const PortDef& port) { return port.name == "like"; });
  if (has_like) {
    faulty_record(op,
                  "it has an input named 'like', a name for inputs of Mithril's own ops that are "
                  "read for their shapes only; give the input another name");
  }
}

}  // namespace

void faulty_record(const OpDef& op, const std::string& fault) {
  raise({.kind = ErrorKind::value,
         .code = "E0475",
         .message = "the record of op '" + op.name + "' is faulty: " + fault});
}

const OpDef* try_find_op(std::string_view name) {
  OpTable& b = table();
  const std::lock_guard lock(b.mutex);
  b.fill();
  if (auto at = b.by_name.find(name); at != b.by_name.end()) return at->second;
  if (auto at = b.by_model.find(lower_case(name)); at != b.by_model.end()) return at->second;
  return nullptr;
}

const OpDef& find_op(std::string_view name) {
  if (const OpDef* op = try_find_op(name)) return *op;
  std::vector<std::string> names;
  for (const OpDef* op : all_ops()) names.push_back(op->name);
  unknown_name(ErrorKind::name, "E0602", "op", name, "", names);
}

const OpDef& add_op(OpDef record, std::string model_name, bool replace) {
  compile_patterns(record);
  validate(record);
  record.model_name = model_name.empty() ? camel(record.name) : std::move(model_name);
  record.label = lower_case(record.model_name);
  OpTable& b = table();
  const std::lock_guard lock(b.mutex);
  b.fill();
  if (b.built_in > 0) refuse_like(record);
  if (const OpDef* taken = b.taker_of(record)) {
    const auto classed = b.by_model.find(record.label);
    const bool replaceable = b.is_of_user(*taken) && taken->name == record.name &&
                             (classed == b.by_model.end() || classed->second == taken);
    if (!replace || !replaceable) {
      raise({.kind = ErrorKind::name,
             .code = "E0603",
             .message = "an op named '" + record.name + "' exists already",
             .help = replaceable ? "pass replace=True to replace it in new models" : ""});
    }
    b.by_model.erase(taken->label);
  }
  const OpDef& kept = b.ops.emplace_back(std::move(record));
  b.by_name[kept.name] = &kept;
  b.by_model[kept.label] = &kept;
  return kept;
}

std::vector<const OpDef*> all_ops() {
  OpTable& b = table();
  const std::lock_guard lock(b.mutex);
  b.fill();
  std::vector<const OpDef*> result;
  for (const OpDef& op : b.ops) {
    if (b.by_name.at(op.name) == &op) result.push_back(&op);  // not one that was replaced
  }
  return result;
}

}  // namespace mithril
