#include "mithril/models/scan.hpp"

#include <algorithm>

#include "mithril/base/error.hpp"
#include "mithril/base/names.hpp"
#include "mithril/models/branch_parts.hpp"
#include "mithril/models/nested_states.hpp"
#include "mithril/models/wrapping.hpp"

namespace mithril {
namespace {

void check_key(const std::vector<std::string>& keys, const std::string& key, const char* what) {
  if (std::find(keys.begin(), keys.end(), key) == keys.end())
    unknown_member(ErrorKind::name, "E0606", "Scan: the body", what, key, "", keys);
}

[[noreturn]] void refuse(std::string message, std::string got, std::string help) {
  raise({.kind = ErrorKind::value,
         .code = "E0402",
         .message = "Scan: " + std::move(message),
         .facts = {{"got", std::move(got), ""}},
         .help = std::move(help)});
}

void check(const Model& body, const ScanOptions& options) {
  const std::vector<std::string> inputs = body.input_keys(), outputs = body.output_keys();
  std::vector<std::string> used;
  const auto use = [&](const std::string& key) {
    check_key(inputs, key, "input");
    if (std::find(used.begin(), used.end(), key) != used.end())
      refuse("an input is given twice", "'" + key + "'",
             "an input is either a carry or a sequence, once");
    used.push_back(key);
  };
  for (const auto& [carry, next] : options.carry) {
    use(carry);
    check_key(outputs, next, "output");
  }
  for (const std::string& key : options.sequences) use(key);
  for (const std::string& key : options.outputs) check_key(outputs, key, "output");
  if (options.sequences.empty() && !options.length)
    refuse("a loop without sequences needs a length", "sequences=[], length=None",
           "give the number of steps: length=10");
  if (options.carry.empty() && options.outputs.empty())
    refuse("a loop without carries and outputs has no result", "carry={}, outputs=[]",
           "name carries, or outputs to stack");
}

std::vector<std::string> keys_of_loop(const ScanOptions& options) {
  std::vector<std::string> keys = options.sequences;
  for (const auto& [carry, next] : options.carry) keys.push_back(carry);
  return keys;
}

Connection only_output(const Model& op, const Bindings& inputs) { return op.apply(inputs).front(); }

// Options are values of ops, which files keep.
Connection steps_of(const ScanOptions& options) {
  Arguments values{{"reverse", options.reverse}};
  Bindings length;
  if (options.length) {
    const Datum* number = std::get_if<Datum>(&options.length->held());
    number ? void(values.emplace_back("length", *number))
           : void(length.emplace_back("length", *options.length));
  }
  return only_output(Model::op("scan_steps", std::move(values)), length);
}

// What a step makes for the samples that have its element, and the others keep.
class EndedSamples {
 public:
  EndedSamples(Model& model, const std::string& lengths, const Connection& steps) {
    if (lengths.empty()) return;
    const Connection given = model.add_input(lengths);
    model.set_types({{lengths, kind::int_tensor}}).set_shapes({{lengths, {any}}});
    const Connection positions = apply("arange", {steps.shape()[0]});
    goes_on_ = apply("greater", {given, apply("scan_item", {positions, steps})});
  }

  Connection value_or_zero(const Connection& made) const {
    return goes_on_ ? chosen(made, apply("zeros_like", {made})) : made;
  }
  Connection next(const Connection& made, const Connection& carry) const {
    return goes_on_ ? chosen(made, carry) : made;
  }

 private:
  // Samples are last while `where` broadcasts the condition.
  Connection chosen(const Connection& made, const Connection& other) const {
    const Connection last =
        apply("where", {*goes_on_, apply("transpose", {made}), apply("transpose", {other})});
    return apply("same_shape", {apply("transpose", {last}), made});
  }

  std::optional<Connection> goes_on_ = {};  // [N]; none: all do
};

}  // namespace

Model Scan(const Model& body, const ScanOptions& options) {
  check(body, options);
  Model model = wrapper_of_class("Scan");
  const Connection steps = steps_of(options);
  Bindings bindings;
  std::vector<Connection> carries;
  for (const auto& [carry, next] : options.carry) {
    carries.push_back(apply("scan_carry", {model[carry], steps}));
    bindings.emplace_back(carry, carries.back());
  }
  for (const std::string& key : options.sequences)
    bindings.emplace_back(key, only_output(Model::op("scan_item", {{"axis", options.axis}}),
                                           {{"sequence", model[key]}, {"steps", steps}}));
  const std::vector<std::string> of_loop = keys_of_loop(options);
  for (const std::string& key : body.input_keys()) {
    const bool known = std::find(of_loop.begin(), of_loop.end(), key) != of_loop.end();
    // Inputs without a name of their own keep their path.
    if (!known && key.find('.') == std::string::npos) bindings.emplace_back(key, key);
  }
  LoopStates states(model, body, steps, bindings);
  model |= body(bindings);
  for (size_t i = 0; i < carries.size(); ++i)
    keep_statements(model, options.carry[i].first, carries[i], 0);
  const EndedSamples ended(model, options.lengths, steps);
  std::vector<Binding> carried;
  std::vector<Connection> nexts;
  for (size_t i = 0; i < carries.size(); ++i) {
    const Connection next = body.at(options.carry[i].second);
    check_carry(options.carry[i].first, carries[i], next);
    nexts.push_back(ended.next(next, carries[i]));
    carried.emplace_back(carries[i]);
    carried.emplace_back(nexts.back());
  }
  states.add_carries(carried);
  std::vector<std::pair<std::string, Connection>> outputs;
  std::vector<std::string> stacks, lasts;
  for (const std::string& key : options.outputs) {
    outputs.emplace_back(key, only_output(Model::op("scan_stack", {{"axis", options.axis}}),
                                          {{"input", ended.value_or_zero(body.at(key))},
                                           {"steps", steps},
                                           {"carried", carried}}));
    stacks.push_back(key);
  }
  for (size_t i = 0; i < carries.size(); ++i) {
    lasts.push_back(options.carry[i].first + "_last");
    outputs.emplace_back(lasts.back(),
                         apply("scan_last", {carries[i], nexts[i], steps, Binding(carried)}));
  }
  expose_results(model, outputs, "Scan");
  states.bind_to_last(carried);
  return model.set_cin(of_loop).set_cout(stacks.empty() ? lasts : stacks);
}

}  // namespace mithril
