// Nodes as their records spell them for ONNX:
//   "bias == None ? MatMul(input, Transpose(weight)) : Gemm(input, weight, bias, transB=1)"
// A name that begins with a capital is an op of ONNX: arguments by position are its inputs, and
// those by name its attributes. The others are forms. `port.raw` is a tensor that is not converted
// to the dtype of the result. A spelling for "onnx<20" is that of older opsets.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

#include "mithril/base/error.hpp"
#include "mithril/onnx/element_type.hpp"
#include "mithril/onnx/export/form.hpp"
#include "mithril/onnx/export/opsets.hpp"
#include "mithril/op/op_def.hpp"
#include "mithril/op/spelling.hpp"

namespace mithril::onnx {
namespace {

using Kind = SpelledExpression::Kind;

FormFunction find_form(const std::string& name) {
  for (const auto rows : {element_forms(), shape_forms(), reduction_forms(), gathering_forms(),
                          window_forms(), matrix_forms(), norm_forms(), scan_forms()}) {
    for (const FormRow& row : rows)
      if (row.name == name) return row.form;
  }
  MITHRIL_CHECK(false, "there is no ONNX form " + name);
}

bool makes_bools(const std::string& op) {
  static const std::set<std::string> ops = {"And",  "Equal", "Greater",     "GreaterOrEqual",
                                            "Less", "IsNaN", "LessOrEqual", "Not",
                                            "Or",   "Xor"};
  return ops.contains(op);
}

bool is_order(const std::string& op) { return op.starts_with("Greater") || op.starts_with("Less"); }

class Speller {
 public:
  explicit Speller(const FormContext& context) : context_(context), builder_(context.builder()) {}

  Item evaluate(const SpelledExpression& expression) {
    switch (expression.kind) {
      case Kind::port:
        return context_.argument(expression.text);
      case Kind::call:
        return std::isupper(static_cast<unsigned char>(expression.text.front()))
                   ? call_op(expression)
                   : call_form(expression);
      case Kind::list:
        return list_of(expression);
      case Kind::item:
        return item_of(expression);
      case Kind::member:
        return member_of(expression);
      case Kind::number:
        return {number_of(expression.text)};
      case Kind::text:
        return {Datum(expression.text)};
      case Kind::flag:
        return {Datum(expression.number != 0)};
      case Kind::none:
        return {Datum()};
      case Kind::equal:
        return {Datum(is_equal(expression))};
      case Kind::choice:
        return evaluate(expression.children[holds(expression.children[0]) ? 1 : 2]);
      case Kind::unsupported:
        no_form(expression.text.empty() ? "ONNX has no such op" : expression.text);
    }
    MITHRIL_CHECK(false, "an unknown kind of expression");
  }

 private:
  bool holds(const SpelledExpression& condition) {
    return std::get<Datum>(evaluate(condition).held).flag();
  }

  bool is_equal(const SpelledExpression& expression) {
    const Item left = evaluate(expression.children[0]), right = evaluate(expression.children[1]);
    const auto* a = std::get_if<Datum>(&left.held);
    const auto* b = std::get_if<Datum>(&right.held);
    return a && b && same(*a, *b);
  }

  static Datum number_of(const std::string& text) {
    std::int64_t whole = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, whole);
    if (error == std::errc() && at == end) return Datum(whole);
    double number = 0;
    std::from_chars(text.data(), end, number);
    return Datum(number);
  }

  Item list_of(const SpelledExpression& expression) {
    std::vector<Item> items;
    Tuple values;
    for (const SpelledExpression& child : expression.children) {
      items.push_back(evaluate(child));
      if (const auto* value = std::get_if<Datum>(&items.back().held)) values.push_back(*value);
    }
    if (values.size() == items.size()) return {Datum(std::move(values))};
    return {std::move(items)};
  }

  Item item_of(const SpelledExpression& expression) {
    const Item list = evaluate(expression.children.front());
    const auto at = static_cast<std::size_t>(expression.number);
    if (const auto* items = std::get_if<std::vector<Item>>(&list.held)) return items->at(at);
    return {std::get<Datum>(list.held).tuple().at(at)};
  }

  Item member_of(const SpelledExpression& expression) {
    const std::string& of = expression.children.front().text;
    if (expression.text == "raw") return context_.argument(of, false);
    Operand tensor;
    if (context_.has_port(of)) {
      tensor = context_.operand(context_.argument(of, false), context_.output().dtype);
    } else {
      const Value& value = context_.output(output_of(of));
      tensor.dtype = value.dtype;
      if (value.ranked) tensor.dims = value.dims;
    }
    if (expression.text == "shape") return {Datum::dims(tensor.known_dims())};
    if (expression.text == "ndim") return {Datum(tensor.rank())};
    if (expression.text == "dtype") return {Datum(tensor.dtype)};
    if (expression.text == "dtype_name") return {Datum(std::string(name(tensor.dtype)))};
    MITHRIL_CHECK(expression.text == "kind", "an unknown member: " + expression.text);
    if (tensor.dtype == DType::boolean) return {Datum("bool")};
    return {Datum(is_floating(tensor.dtype) ? "float" : "int")};
  }

  std::size_t output_of(const std::string& port) const {
    const std::vector<PortDef>& outputs = context_.node().op->outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].name == port) return i;
    MITHRIL_CHECK(port == "output",
                  "the ONNX spelling of " + context_.node().op->name + " names no port: " + port);
    return 0;
  }

  Item call_form(const SpelledExpression& expression) {
    std::vector<Item> items;
    for (const SpelledExpression& child : expression.children) items.push_back(evaluate(child));
    return find_form(expression.text)(context_, FormArguments(context_, items));
  }

  Item call_op(const SpelledExpression& expression) {
    const std::string& op = expression.text;
    std::vector<Item> items;
    Attributes attributes;
    std::size_t outputs = 1;
    for (std::size_t i = 0; i < expression.children.size(); ++i) {
      const std::string& keyword = expression.keywords[i];
      Item item = evaluate(expression.children[i]);
      if (keyword.empty()) {
        add_items(items, std::move(item));
      } else if (keyword == "outputs") {
        outputs = static_cast<std::size_t>(std::get<Datum>(item.held).integer());
      } else {
        attributes.emplace_back(keyword, attribute_of(keyword, std::get<Datum>(item.held)));
      }
    }
    std::vector<Operand> inputs;
    const DType numbers = dtype_of_numbers(items, op == "Where" ? 1 : 0);
    for (const Item& item : items) {
      inputs.push_back(context_.operand(item, numbers));
      if (is_order(op) && numbers == DType::boolean)
        inputs.back() = builder_.cast(inputs.back(), DType::int32);
    }
    const DType made = makes_bools(op) ? DType::boolean
                       : op == "Cast"  ? std::get<Datum>(evaluate(to_of(expression)).held).dtype()
                                       : numbers;
    if (outputs == 1) return {builder_.call(op, inputs, std::move(attributes), made)};
    std::vector<Item> results;
    for (Operand& result : builder_.call_several(op, inputs, std::move(attributes),
                                                 std::vector<DType>(outputs, made)))
      results.push_back({std::move(result)});
    return {std::move(results)};
  }

  static void add_items(std::vector<Item>& items, Item item) {
    if (auto* list = std::get_if<std::vector<Item>>(&item.held)) {
      for (Item& each : *list) items.push_back(std::move(each));
      return;
    }
    items.push_back(std::move(item));
  }

  static const SpelledExpression& to_of(const SpelledExpression& call) {
    const auto at = std::find(call.keywords.begin(), call.keywords.end(), "to");
    MITHRIL_CHECK(at != call.keywords.end(), "Cast has the attribute `to`");
    return call.children[static_cast<std::size_t>(at - call.keywords.begin())];
  }

  // Numbers have the dtype of the first tensor beside them.
  DType dtype_of_numbers(const std::vector<Item>& items, std::size_t first) const {
    for (std::size_t i = first; i < items.size(); ++i)
      if (const auto* operand = std::get_if<Operand>(&items[i].held)) return operand->dtype;
    return context_.output().dtype;
  }

  static AttributeValue attribute_of(const std::string& keyword, const Datum& value) {
    if (keyword == "alpha" || keyword == "epsilon") return value.real();
    if (value.kind() == kind::float_value) return value.real();
    if (value.kind() == kind::string) return value.text();
    if (value.kind() == kind::dtype)
      return static_cast<std::int64_t>(element_type_of(value.dtype()));
    if (value.kind() != kind::tuple) return value.integer();
    std::vector<std::int64_t> numbers;
    for (const Datum& number : value.tuple()) numbers.push_back(number.integer());
    return numbers;
  }

  const FormContext& context_;
  GraphBuilder& builder_;
};

// "onnx<20" is for opsets below 20; of several the one with the lowest limit.
const Spelling* spelling_of(const OpDef& op, std::int64_t opset) {
  const Spelling* best = op.spelling("onnx");
  std::int64_t best_limit = newest_written_opset + 1;
  for (const Spelling& spelling : op.spell) {
    if (!spelling.target.starts_with("onnx<")) continue;
    const std::int64_t limit = std::stoll(spelling.target.substr(5));
    if (opset >= limit || limit >= best_limit) continue;
    best = &spelling;
    best_limit = limit;
  }
  return best;
}

}  // namespace

std::vector<Operand> spell_node(const FormContext& context) {
  const OpDef& op = *context.node().op;
  const Spelling* spelling = spelling_of(op, context.builder().opset());
  if (!spelling) no_form("ONNX has no such op");
  const Item made = Speller(context).evaluate(parse_spelling(spelling->text));
  std::vector<Operand> results;
  if (const auto* items = std::get_if<std::vector<Item>>(&made.held)) {
    for (std::size_t i = 0; i < items->size() && i < context.node().outputs.size(); ++i)
      results.push_back(context.operand((*items)[i], context.output(i).dtype));
  } else {
    results.push_back(context.operand(made, context.output().dtype));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].is_missing())
      results[i] = context.builder().cast(results[i], context.output(i).dtype);
  }
  return results;
}

}  // namespace mithril::onnx
