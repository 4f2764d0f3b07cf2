#include "codegen/jax/function.hpp"

#include <algorithm>
#include <optional>

#include "codegen/jax/branches.hpp"
#include "codegen/jax/loop.hpp"
#include "codegen/jax/python_text.hpp"
#include "codegen/jax/sizes.hpp"
#include "codegen/jax/snippets.hpp"
#include "codegen/jax/spelling.hpp"
#include "mithril/base/error.hpp"
#include "mithril/base/text.hpp"
#include "mithril/graph/cond_node.hpp"
#include "mithril/graph/half_precision.hpp"
#include "mithril/graph/scan_node.hpp"
#include "mithril/graph/while_node.hpp"
#include "mithril/infer/tensor_kind.hpp"
#include "mithril/op/op_def.hpp"

namespace mithril::codegen {
namespace {

constexpr std::string_view unknown_size = "?";

// The values that a later node or an output needs.
std::vector<bool> values_read(const Graph& graph) {
  std::vector<bool> read(graph.values().size());
  for (const Output& output : graph.outputs()) read[index(output.value)] = true;
  for (const Node& node : graph.nodes()) {
    for (const Argument& argument : node.arguments) {
      if (const ValueId* id = tensor_of(argument)) read[index(*id)] = true;
    }
  }
  return read;
}

std::string shape_comment(const Value& value) {
  const std::string dims = value.ranked ? to_string(value.dims) : "[...]";
  return "# " + comment(std::string(name(value.dtype)) + dims);
}

// One node as an expression.
class JaxNodeWriter {
 public:
  JaxNodeWriter(const Graph& graph, const Node& node, const std::vector<std::string>& variables,
                JaxSizes& sizes)
      : graph_(graph), node_(node), variables_(variables), sizes_(sizes) {
    choose_conversions();
    number_ = is_number_with_axis();
  }

  // Functions of JAX, and ours, round to half precision in between. So their arguments are widened
  // to float32, except those of products, which JAX sums in float32.
  std::string write() {
    const std::string text = spelled();
    if (text.find('(') == std::string::npos || !rounds_to_half()) return text;
    wide_ = true;
    return spelled();
  }

  // Whether the text makes floats that are wider than the outputs of the node.
  bool is_wide() const { return wide_; }

 private:
  std::string spelled() {
    const JaxSpellingNode spelled{.is_none =
                                      [&](std::string_view port) {
                                        const Datum* value = value_of(port);
                                        return value && value->is_none();
                                      },
                                  .is_true =
                                      [&](std::string_view port) {
                                        const Datum* value = value_of(port);
                                        return value && value->kind() == kind::bool_value &&
                                               value->flag();
                                      },
                                  .hole = [&](const JaxHole& hole) { return hole_text(hole); }};
    const std::string text = spelled_for_jax(node_.op->spelling("jax")->text, spelled);
    return number_ ? "jnp.reshape(" + text + ", ())" : text;
  }

  bool rounds_to_half() const {
    if (node_.op->cast == CastPolicy::lower || !computes_elements(*node_.op)) return false;
    const auto is_half = [&](ValueId id) { return has_half_precision(graph_.value(id)); };
    return std::any_of(node_.outputs.begin(), node_.outputs.end(), is_half);
  }

  DType computed(DType dtype) const {
    return wide_ && is_floating(dtype) ? promote(dtype, DType::float32) : dtype;
  }

  struct Place {
    size_t first = 0, count = 1;
    bool list = false;
  };

  std::optional<Place> place(std::string_view port) const {
    size_t at = 0;
    for (const PortDef& input : node_.op->inputs) {
      const size_t count = input.list ? node_.list_size() : 1;
      if (input.name == port) return Place{at, count, input.list};
      at += count;
    }
    return std::nullopt;
  }

  const Datum* value_of(std::string_view port) const {
    const auto at = place(port);
    MITHRIL_CHECK(at,
                  "the JAX spelling of " + node_.op->name + " names no port: " + std::string(port));
    return std::get_if<Datum>(&node_.arguments[at->first]);
  }

  const Value& tensor(size_t argument) const {
    return graph_.value(std::get<ValueId>(node_.arguments[argument]));
  }

  // Operands of a lower kind than the result (the mean of ints) are converted to its dtype. JAX
  // promotes widths as Mithril does.
  void choose_conversions() {
    const DType made = graph_.value(node_.outputs.front()).dtype;
    const Kinds wanted = tensor_kind(made);
    std::vector<size_t> admitted;
    for (size_t port = 0, at = 0; port < node_.op->inputs.size(); ++port) {
      const size_t count = node_.op->inputs[port].list ? node_.list_size() : 1;
      for (size_t n = count; n > 0; --n, ++at) {
        if (!tensor_of(node_.arguments[at]) || !(kinds_of_port(port) & wanted)) continue;
        if (tensor_kind(tensor(at).dtype) >= wanted) return;
        admitted.push_back(at);
      }
    }
    converted_.insert(admitted.begin(), admitted.end());
  }

  Kinds kinds_of_port(size_t port) const {
    const CompiledPorts& compiled = node_.op->compiled;
    const CompiledPorts::Port& pattern = compiled.ports[port];
    const auto kinds = [&](int type) { return compiled.type_kinds[static_cast<size_t>(type)]; };
    if (pattern.left >= 0) return kinds(pattern.left) | kinds(pattern.right);
    return pattern.type >= 0 ? kinds(pattern.type) : pattern.kinds;
  }

  // JAX has no axis 0 of a number, so that the op is computed for vectors of one element.
  bool is_number_with_axis() const {
    const Value& output = graph_.value(node_.outputs.front());
    if (!place("axis") || !output.ranked || !output.dims.empty()) return false;
    const ValueId* first = tensor_of(node_.arguments.front());
    return first && graph_.value(*first).ranked && graph_.value(*first).dims.empty();
  }

  std::string hole_text(const JaxHole& hole) {
    const auto at = place(hole.port);
    if (!at) return output_member(hole);
    if (!at->list) return argument_text(at->first, hole);
    std::string items;
    for (size_t i = 0; i < at->count; ++i)
      items += (i == 0 ? "" : ", ") + argument_text(at->first + i, {hole.port, hole.member, ""});
    return "[" + items + "]";
  }

  std::string argument_text(size_t at, const JaxHole& hole) {
    const ValueId* id = tensor_of(node_.arguments[at]);
    if (!id) return value_text(std::get<Datum>(node_.arguments[at]), hole);
    const std::string& variable = variables_[index(*id)];
    if (!hole.member.empty()) return tensor_member(variable, *id, hole.member);
    std::string text = number_ ? variable + "[None]" : variable;
    if (converted_.contains(at) && !hole.rest.starts_with(".astype(")) {
      const DType made = graph_.value(node_.outputs.front()).dtype;
      return text + ".astype(" + jax_dtype(computed(made)) + ")";
    }
    const DType given = graph_.value(*id).dtype;
    if (computed(given) != given) text += ".astype(" + jax_dtype(computed(given)) + ")";
    return text;
  }

  std::string tensor_member(const std::string& variable, ValueId id,
                            std::string_view member) const {
    if (member == "dtype") return jax_dtype(computed(graph_.value(id).dtype));
    if (!number_) return variable + "." + std::string(member);
    return member == "shape" ? "(1,)" : "1";
  }

  // In parentheses, unless it is an argument of a call or one word.
  std::string value_text(const Datum& datum, const JaxHole& hole) {
    const std::string text = python_value(datum, [&](const Dim& dim) { return sizes_.text(dim); });
    const bool argument = hole.rest.empty() || hole.rest.front() == ',' || hole.rest.front() == ')';
    const bool word = text.front() != '-' && text.find(' ') == std::string::npos;
    const bool closed = text.front() == '(' || text.front() == '"' || text.starts_with("slice(");
    return (argument && !hole.rest.empty()) || word || closed ? text : "(" + text + ")";
  }

  std::string output_member(const JaxHole& hole) {
    size_t output = 0;
    while (output < node_.op->outputs.size() && node_.op->outputs[output].name != hole.port)
      ++output;
    if (hole.port == "output") output = 0;
    MITHRIL_CHECK(output < node_.outputs.size(), "the JAX spelling of " + node_.op->name +
                                                     " names no port: " + std::string(hole.port));
    const Value& value = graph_.value(node_.outputs[output]);
    if (hole.member == "dtype") return jax_dtype(computed(value.dtype));
    MITHRIL_CHECK(hole.member == "shape", "an output has a shape and a dtype");
    return shape_text(value);
  }

  // A single size that follows from no value is -1, as in a reshape.
  std::string shape_text(const Value& value) {
    std::vector<std::string> sizes;
    bool open = false;
    for (const Dim& dim : value.dims) {
      sizes.push_back(sizes_.text(dim));
      if (open || sizes.back().find(unknown_size) == std::string::npos) continue;
      sizes.back() = "-1";
      open = true;
    }
    return value.ranked ? python_tuple(sizes) : std::string(unknown_size);
  }

  const Graph& graph_;
  const Node& node_;
  const std::vector<std::string>& variables_;
  JaxSizes& sizes_;
  std::set<size_t> converted_;
  bool number_ = false, wide_ = false;
};

class JaxFunctionWriter {
 public:
  JaxFunctionWriter(const Graph& graph, const JaxFunctionOptions& options)
      : graph_(graph),
        options_(options),
        read_(values_read(graph)),
        variables_(graph.values().size()),
        locals_(jax_reserved_names()),
        sizes_(locals_) {}

  JaxFunction write() {
    refuse_unspelled(graph_);
    for (size_t i = 0; i < graph_.inputs().size(); ++i) add_input(i);
    for (size_t i = 0; i < graph_.constants().size(); ++i) add_constant(i);
    for (const Node& node : graph_.nodes()) add(node);
    refuse_unknown_sizes();
    for (const Output& output : graph_.outputs())
      made_.outputs.push_back(variables_[index(output.value)]);
    return std::move(made_);
  }

 private:
  void refuse_unknown_sizes() const {
    if (unknown_.empty()) return;
    raise({.kind = ErrorKind::backend,
           .code = "E1034",
           .path = unknown_.front(),
           .message = "a size that the JAX of this node needs follows from no input",
           .help = "state the shapes of the inputs: shapes={...}"});
  }

  std::string& variable(ValueId id) { return variables_[index(id)]; }

  void line(const std::string& text, const std::string& remark) {
    made_.body += statement_line(text, remark);
  }

  void add_input(size_t i) {
    const ValueId id = graph_.inputs()[i];
    const Value& value = graph_.value(id);
    variable(id) = locals_.add(value.name);
    const std::string& from = options_.inputs[i];
    const std::string converted = "jnp.asarray(" + from + ", " + jax_dtype(value.dtype) + ")";
    line(variable(id) + " = " + (options_.convert_inputs ? converted : from), shape_comment(value));
    sizes_.know(value, variable(id));
  }

  void add_constant(size_t i) {
    const Constant& constant = graph_.constants()[i];
    if (!read_[index(constant.value)]) return;
    const Value& value = graph_.value(constant.value);
    variable(constant.value) = locals_.add(value.name);
    line(variable(constant.value) + " = " +
             (i < options_.constants.size() ? options_.constants[i]
                                            : jax_constant(constant.tensor.host(), 8)),
         shape_comment(value));
  }

  void add_loop(const Node& node) {
    const ScanLoop scan = scan_of(node);
    JaxLoop loop{.name = locals_.add("step"), .reverse = scan.reverse};
    const JaxFunction step = nested_function(scan.body, inputs_of_step(scan));
    for (const ValueId id : scan.arguments) loop.arguments.push_back(variable(id));
    if (scan.sequences == 0) loop.length = sizes_.text(scan.length.dim());
    if (loop.length.find(unknown_size) != std::string::npos)
      unknown_.push_back(graph_.value(node.outputs.front()).name);
    for (const std::string& size : sizes_.take_definitions()) line(size, "");
    loop.results = result_variables(node);
    made_.body += jax_loop_text(scan, loop, step.body, step.outputs);
    know_sizes(node);
  }

  JaxFunction nested_function(const Graph& graph, std::vector<std::string> inputs) {
    JaxFunction made = jax_function(graph, {.inputs = std::move(inputs), .convert_inputs = false});
    made_.snippets.insert(made.snippets.begin(), made.snippets.end());
    return made;
  }

  std::vector<std::string> result_variables(const Node& node) {
    std::vector<std::string> results;
    for (const ValueId id : node.outputs) {
      if (read_[index(id)]) variable(id) = locals_.add(graph_.value(id).name);
      results.push_back(read_[index(id)] ? variable(id) : "_");
    }
    return results;
  }

  void know_sizes(const Node& node) {
    for (const ValueId id : node.outputs) {
      if (read_[index(id)]) sizes_.know(graph_.value(id), variable(id));
    }
  }

  JaxNested nested(const Graph& graph, const char* name, std::vector<std::string> inputs) {
    JaxFunction made = nested_function(graph, std::move(inputs));
    return {.name = locals_.add(name),
            .body = std::move(made.body),
            .outputs = std::move(made.outputs)};
  }

  void add_branches(const Node& node) {
    const CondNode cond = cond_of(node);
    const std::vector<std::string> inputs = inputs_of_branch(cond.arguments.size());
    JaxPair pair{.first = nested(cond.then, "then", inputs),
                 .second = nested(cond.otherwise, "otherwise", inputs)};
    for (const ValueId id : cond.arguments) pair.arguments.push_back(variable(id));
    pair.results = result_variables(node);
    made_.body += jax_cond_text(pair, variable(cond.condition), cond.then);
    know_sizes(node);
  }

  void add_while(const Node& node) {
    const WhileNode loop = while_of(node);
    const auto inputs = inputs_of_while(loop.arguments.size(), loop.carries());
    JaxPair pair{.first = nested(loop.condition, "goes_on", inputs),
                 .second = nested(loop.body, "step", inputs)};
    for (const ValueId id : loop.arguments) pair.arguments.push_back(variable(id));
    pair.results = result_variables(node);
    made_.body += jax_while_text(pair, loop.body);
    know_sizes(node);
  }

  void add(const Node& node) {
    const bool needed = std::any_of(node.outputs.begin(), node.outputs.end(),
                                    [&](ValueId id) { return read_[index(id)]; });
    if (!needed) return;
    if (is_scan(node)) return add_loop(node);
    if (is_cond(node)) return add_branches(node);
    if (is_while(node)) return add_while(node);
    JaxNodeWriter writer(graph_, node, variables_, sizes_);
    std::string text = writer.write();
    if (text.find(unknown_size) != std::string::npos)
      unknown_.push_back(graph_.value(node.outputs.front()).name);
    for (const std::string& size : sizes_.take_definitions()) line(size, "");
    for (const std::string& name : snippets_called(text)) made_.snippets.insert(name);
    std::string targets, remark;
    for (const ValueId id : node.outputs) {
      const Value& value = graph_.value(id);
      if (read_[index(id)]) variable(id) = locals_.add(value.name);
      targets += (targets.empty() ? "" : ", ") + (read_[index(id)] ? variable(id) : "_");
      if (remark.empty() && read_[index(id)]) remark = shape_comment(value);
    }
    const bool several = node.op->outputs.size() > 1 || node.op->list_output() >= 0;
    if (several && node.outputs.size() == 1) targets = "(" + targets + ",)";
    if (writer.is_wide() && !several)
      text = "(" + text + ").astype(" + jax_dtype(graph_.value(node.outputs.front()).dtype) + ")";
    line(targets + " = " + text, remark);
    for (const ValueId id : node.outputs) {
      const Value& value = graph_.value(id);
      if (!read_[index(id)] || !several || !writer.is_wide() || !has_half_precision(value))
        continue;
      line(variable(id) + " = " + variable(id) + ".astype(" + jax_dtype(value.dtype) + ")", "");
    }
    know_sizes(node);
  }

  const Graph& graph_;
  const JaxFunctionOptions& options_;
  std::vector<bool> read_;
  std::vector<std::string> variables_;
  Identifiers locals_;
  JaxSizes sizes_;
  std::vector<std::string> unknown_;
  JaxFunction made_;
};

}  // namespace

JaxFunction jax_function(const Graph& graph, const JaxFunctionOptions& options) {
  return JaxFunctionWriter(graph, options).write();
}

}  // namespace mithril::codegen
