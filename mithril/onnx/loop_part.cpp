#include "mithril/onnx/loop_part.hpp"

#include "mithril/base/text.hpp"
#include "mithril/onnx/parts.hpp"

namespace mithril::onnx {

LoopPart::LoopPart(const GraphNode& at, const GraphRecord& body)
    : at_(at), inside_(*at.scope.workspace, inputs_), scope_(at.inner(body, inside_)) {
  scope_.is_repeated = true;  // a loop whose body is not a part is imported in another way
}

void LoopPart::add_known(const ValueRecord& input, Value value) {
  scope_.values[input.name] = std::move(value);
}

void LoopPart::add_carry(const ValueRecord& input, const ValueRecord& next, const Value& initial) {
  if (initial.is_sequence || initial.is_empty)
    refuse("its input " + in_quotes(initial.name) + " is not a tensor");
  const Connection first = at_.scope.workspace->connection(initial);
  const std::string key = inputs_.add_key(input.name);
  carries_.push_back({key, inputs_.add_key(key + "_next"), &next, initial.type});
  scope_.values[input.name] = Value(inside_.add_input(key, first, initial.type), initial.type);
  bindings_.emplace_back(key, first);
}

void LoopPart::add_sequence(const ValueRecord& input, const Connection& sequence,
                            ElementType type) {
  const std::string key = inputs_.add_key(input.name);
  scope_.values[input.name] = Value(inside_.add_input(key, sequence, type, true), type);
  sequences_.push_back(key);
  bindings_.emplace_back(key, sequence);
}

Connection LoopPart::add_counter(const ValueRecord& input) {
  const Connection first = constant(Tensor::of({}, std::vector<std::int64_t>{0}));
  counter_ = inputs_.add_key(input.name);
  carries_.push_back({counter_, inputs_.add_key(counter_ + "_next"), nullptr, ElementType::int64});
  const Connection now = inside_.add_input(counter_, first, ElementType::int64);
  scope_.values[input.name] = Value(now, ElementType::int64);
  bindings_.emplace_back(counter_, first);
  made_.emplace_back(carries_.back().next_key, now + 1);
  return now;
}

void LoopPart::add_flag(const ValueRecord& next, const Connection& initial) {
  flag_ = inputs_.add_key("goes_on");
  const std::string next_key = inputs_.add_key(flag_ + "_next");
  carries_.push_back({flag_, next_key, nullptr, ElementType::boolean});
  static_cast<void>(inside_.add_input(flag_, initial, ElementType::boolean));
  bindings_.emplace_back(flag_, initial);
  const Value value = output(next);
  if (value.is_missing) return;
  need_type("its condition", value.type, ElementType::boolean);
  made_.emplace_back(next_key, apply("buffer", {as_scalar(inside_.connection(value))}));
}

Value LoopPart::output(const ValueRecord& output) {
  if (scope_.makers.empty()) at_.importer.open(scope_);
  Value value = at_.importer.need(scope_, output.name);
  is_missing_ = is_missing_ || value.is_missing;
  return value;
}

void LoopPart::add_output(const std::string& key, const ValueRecord& of, ElementType type) {
  const Value value = output(of);
  if (value.is_missing) return;
  if (type != ElementType::undefined)
    need_type("the next value " + in_quotes(of.name), value.type, type);
  made_.emplace_back(key, part_output(inside_, value));
}

void LoopPart::finish_carries() {
  for (const Carry& carry : carries_)
    if (carry.next) add_output(carry.next_key, *carry.next, carry.type);
}

// Inference would make the sizes of a carry before and after a step equal: n and n + k give k = 0.
void LoopPart::finish_body() {
  inside_.model().expose_keys(made_);
  const std::map<std::string, KnownShape> shapes = inside_.model().get_shapes();
  for (const Carry& carry : carries_) {
    const KnownShape &before = shapes.at(carry.key), &after = shapes.at(carry.next_key);
    if (before.rank() != after.rank()) continue;
    for (std::size_t axis = 0; axis < before.head().size(); ++axis) {
      const std::string size = to_string(after.head()[axis]);
      const bool is_computed = size.find_first_of("+-*/ ") != std::string::npos;
      if (is_computed && size != to_string(before.head()[axis]))
        refuse("a step changes the size of " + in_quotes(carry.key));
    }
  }
}

std::map<std::string, Connection> LoopPart::applied(const Model& loop) const {
  Bindings bindings = inputs_.bindings();
  bindings.insert(bindings.end(), bindings_.begin(), bindings_.end());
  const std::vector<std::string> keys = loop.output_keys();
  const std::vector<Connection> outputs = loop.apply(bindings);
  std::map<std::string, Connection> made;
  for (std::size_t i = 0; i < keys.size(); ++i) made.emplace(keys[i], outputs[i]);
  return made;
}

Outputs LoopPart::lasts(const std::map<std::string, Connection>& loop) const {
  Outputs outputs;
  for (const Carry& carry : carries_)
    if (carry.next) outputs.emplace_back(loop.at(carry.key + "_last"), carry.type);
  return outputs;
}

std::optional<Outputs> LoopPart::scanned(const std::vector<const ValueRecord*>& stacks,
                                         const std::optional<Size>& length, bool is_reversed) {
  finish_carries();
  ScanOptions options{.sequences = sequences_, .reverse = is_reversed};
  std::vector<ElementType> types;
  for (const ValueRecord* stack : stacks) {
    options.outputs.push_back(inputs_.add_key(stack->name));
    types.push_back(output(*stack).type);
    add_output(options.outputs.back(), *stack, ElementType::undefined);
  }
  if (is_missing_) return std::nullopt;
  for (const Carry& carry : carries_) options.carry.emplace_back(carry.key, carry.next_key);
  if (length) options.length = binding_of(*length);
  finish_body();
  const auto loop = applied(Scan(inside_.model(), options));
  Outputs outputs = lasts(loop);
  for (std::size_t i = 0; i < stacks.size(); ++i)
    outputs.emplace_back(loop.at(options.outputs[i]), types[i]);
  return outputs;
}

std::optional<Outputs> LoopPart::repeated(const std::optional<Value>& trips,
                                          std::optional<std::int64_t> most_steps) {
  finish_carries();
  if (is_missing_) return std::nullopt;
  WhileOptions options{.max_steps = most_steps};
  for (const Carry& carry : carries_) options.carry.emplace_back(carry.key, carry.next_key);
  Workspace testing(*at_.scope.workspace, inputs_);
  std::optional<Connection> goes_on;
  if (!flag_.empty())
    goes_on = testing.add_input(flag_, inside_.model()[flag_], ElementType::boolean);
  if (trips) {
    const Connection done =
        testing.add_input(counter_, inside_.model()[counter_], ElementType::int64);
    const Value most = testing.entered(*trips, *at_.scope.workspace);
    const Connection is_below = done < as_scalar(testing.connection(most));
    goes_on = goes_on ? *goes_on & is_below : is_below;
  }
  testing.model().expose_keys({{inputs_.add_key("is_on"), apply("buffer", {*goes_on})}});
  finish_body();
  return lasts(applied(While(testing.model(), inside_.model(), options)));
}

}  // namespace mithril::onnx
