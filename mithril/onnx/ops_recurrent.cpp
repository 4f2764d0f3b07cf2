// Recurrent layers, as loops.
#include <optional>
#include <span>

#include "mithril/base/text.hpp"
#include "mithril/models/scan.hpp"
#include "mithril/onnx/parts.hpp"
#include "mithril/onnx/runtime_activations.hpp"

namespace mithril::onnx {
namespace {

// The block of rows of one gate.
Connection gate_of(const Connection& all, std::int64_t index, std::int64_t hidden) {
  return all.at({ellipsis, slice(index * hidden, (index + 1) * hidden)});
}

// The product of x and a weight of bytes. x is quantised to 8 bits over the range of its elements
// and 0, as DynamicQuantizeLinear does. The weight and the steps of x are whole numbers, so the sum
// is exact.
Connection product_of_bytes(const Connection& x, const Connection& weight,
                            const Connection& scale) {
  const Connection low = apply("minimum", {x.min(), 0.0});
  const Connection width = apply("maximum", {x.max(), 0.0}) - low;
  const Connection step = selected(width.eq(0.0), 1.0, width / 255.0);
  const Connection zero = apply("round", {-low / step});
  const Connection steps = (apply("round", {x / step}) + zero).clamp(0.0, 255.0) - zero;
  return apply("linear", {steps, weight}) * (step * scale);
}

const char* activation_op(const std::string& name) {
  if (name == "Sigmoid") return "sigmoid";
  if (name == "Tanh") return "tanh";
  if (name == "Relu") return "relu";
  refuse("its activation " + name + " is not supported");
}

// What the three layers share: the inputs of one direction, and the loop.
class RecurrentNode {
 public:
  RecurrentNode(const NodeContext& node, std::int64_t gates, std::vector<std::string> activations)
      : node_(node), gates_(gates), is_batch_first_(node.flag("layout")) {
    const std::string direction = node.text("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
      refuse("its direction is " + direction);
    directions_ = direction == "bidirectional" ? 2 : 1;
    begins_reversed_ = direction == "reverse";
    check_shapes();
    for (std::size_t i = 0; i < directions_; ++i)
      activations_.insert(activations_.end(), activations.begin(), activations.end());
    if (node.attribute("activations")) activations_ = node.texts("activations");
    if (activations_.size() != directions_ * activations.size())
      refuse("it has another number of activations than of gates");
    if (node.attribute("activation_alpha") || node.attribute("activation_beta"))
      refuse("parameters of activations are not supported");
    input_ = is_batch_first_ ? transposed(node[0], {1, 0, 2}) : node[0];
  }

  const NodeContext& node() const { return node_; }
  std::int64_t hidden() const { return hidden_; }
  std::size_t directions() const { return directions_; }
  Connection row(std::size_t input, std::size_t direction) const {
    return apply("gather", {node_[input], static_cast<std::int64_t>(direction), 0});
  }
  const char* activation(std::size_t direction, std::size_t i) const {
    return activation_op(activations_[direction * (activations_.size() / directions_) + i]);
  }
  Connection clipped(const Connection& x) const {
    if (!node_.attribute("clip")) return x;
    const double limit = node_.real("clip");
    return x.clamp(-limit, limit);
  }
  // The biases of the input and of the state.
  std::optional<std::pair<Connection, Connection>> biases(std::size_t direction) const {
    if (!node_.has(3)) return std::nullopt;
    const Connection both = row(3, direction);
    const std::int64_t size = gates_ * hidden_;
    return std::pair(sliced(both, 0, 0, size), sliced(both, 0, size, 2 * size));
  }
  Connection of_input(std::size_t direction, const Binding& bias) const {
    return apply("linear", {input_, row(1, direction), bias});
  }
  Connection of_bytes(std::size_t direction, const Connection& scale) const {
    return product_of_bytes(input_, row(1, direction), scale);
  }

  // The state of the input, or zeros.
  Connection first(std::size_t input, std::size_t direction) const {
    if (node_.has(input)) {
      const auto axis = static_cast<std::int64_t>(is_batch_first_ ? 1 : 0);
      return apply("gather", {node_[input], static_cast<std::int64_t>(direction), axis});
    }
    const std::vector<Size> sizes = node_.sizes(0);
    const Connection zeros = reshaped(
        apply("zeros", {Binding({binding_of(sizes[is_batch_first_ ? 0 : 1]), Binding(hidden_)})}),
        {sizes[is_batch_first_ ? 0 : 1], hidden_});
    return node_.workspace().exact(zeros, node_.type());
  }

  // Runs the step over the sequence, and keeps the results of the direction.
  void run(std::size_t direction, const Model& step, Bindings bindings, bool has_cell) {
    ScanOptions options{.carry = {{"h", "h_next"}},
                        .sequences = {"of_input"},
                        .outputs = {"h_next"},
                        .reverse = direction == 1 || begins_reversed_};
    bindings.emplace_back("h", first(5, direction));
    if (has_cell) {
      options.carry.emplace_back("c", "c_next");
      bindings.emplace_back("c", first(6, direction));
    }
    if (node_.has(4)) {
      options.lengths = "lengths";
      bindings.emplace_back("lengths", node_[4]);
    }
    const Model loop = Scan(step, options);
    static_cast<void>(loop.apply(bindings));
    outputs_.push_back(expanded(loop.at("h_next"), {1}));
    last_h_.push_back(expanded(loop.at("h_last"), {0}));
    if (has_cell) last_c_.push_back(expanded(loop.at("c_last"), {0}));
  }

  Outputs results() const {
    const Connection all = joined(outputs_, 1);  // [T, D, N, H]
    const auto state = [&](const std::vector<Connection>& last) {
      const Connection made = joined(last, 0);
      return is_batch_first_ ? transposed(made, {1, 0, 2}) : made;
    };
    Outputs made{is_batch_first_ ? transposed(all, {2, 0, 1, 3}) : all, state(last_h_)};
    if (!last_c_.empty()) made.emplace_back(state(last_c_));
    return made;
  }

 private:
  // [D, gates H, I], [D, gates H, H] and [D, 2 gates H].
  void check_shapes() {
    node_.need_rank(0, 3, 3);
    node_.need_rank(2, 3, 3);
    const auto count = static_cast<std::int64_t>(directions_);
    hidden_ = within("the number of units", node_.known_dims(2)[2], 1);
    check_shape(1, {count, gates_ * hidden_, any_size});
    check_shape(2, {count, gates_ * hidden_, hidden_});
    check_shape(3, {count, 2 * gates_ * hidden_});
    for (const std::size_t state : {5, 6})
      if (node_.has(state)) node_.need_rank(state, 3, 3);
    check_shape(7, {count, 3 * hidden_});
    const std::int64_t stated = node_.integer("hidden_size", hidden_);
    if (stated != hidden_)
      refuse("its attribute 'hidden_size' is " + std::to_string(stated) + ", and R has " +
             std::to_string(hidden_) + " units");
  }

  void check_shape(std::size_t input, const std::vector<std::int64_t>& expected) {
    if (!node_.has(input)) return;
    node_.need_rank(input, expected.size(), expected.size());
    const std::vector<std::int64_t> found = node_.known_dims(input);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] == any_size || found[i] == expected[i]) continue;
      refuse("axis " + std::to_string(i) + " of its input " + in_quotes(node_.value(input).name) +
             " has " + std::to_string(found[i]) + " elements, expected " +
             std::to_string(expected[i]));
    }
  }

  static constexpr std::int64_t any_size = -1;
  const NodeContext& node_;
  std::int64_t gates_, hidden_ = 0;
  bool is_batch_first_, begins_reversed_ = false;
  std::size_t directions_ = 1;
  std::vector<std::string> activations_;
  Connection input_;
  std::vector<Connection> outputs_, last_h_, last_c_;
};

Binding sum_of(const std::optional<std::pair<Connection, Connection>>& biases) {
  return biases ? Binding(biases->first + biases->second) : Binding(none);
}

Outputs rnn(const NodeContext& node) {
  RecurrentNode layer(node, 1, {"Tanh"});
  for (std::size_t d = 0; d < layer.directions(); ++d) {
    const Connection all = apply("linear", {port("h"), port("weight_hh")}) + port("of_input");
    const Model step =
        Model::create({{"h_next", apply(layer.activation(d, 0), {layer.clipped(all)})}});
    layer.run(
        d, step,
        {{"weight_hh", layer.row(2, d)}, {"of_input", layer.of_input(d, sum_of(layer.biases(d)))}},
        false);
  }
  return layer.results();
}

Outputs gru(const NodeContext& node) {
  RecurrentNode layer(node, 3, {"Sigmoid", "Tanh"});
  const std::int64_t hidden = layer.hidden();
  const bool resets_last = node.flag("linear_before_reset");
  for (std::size_t d = 0; d < layer.directions(); ++d) {
    const auto biases = layer.biases(d);
    const Connection of_input = port("of_input"), h = port("h"), weight = port("weight_hh");
    const Connection both = apply("linear", {h, sliced(weight, 0, 0, 2 * hidden)}) +
                            of_input.at({ellipsis, slice(0, 2 * hidden)});
    const Connection update =
        apply(layer.activation(d, 0), {layer.clipped(gate_of(both, 0, hidden))});
    const Connection reset =
        apply(layer.activation(d, 0), {layer.clipped(gate_of(both, 1, hidden))});
    const Connection last = sliced(weight, 0, 2 * hidden, 3 * hidden);
    Connection of_state;
    if (resets_last) {
      of_state = apply("linear", {h, last});
      if (biases) of_state = of_state + port("bias_hh");
      of_state = reset * of_state;
    } else {
      of_state = apply("linear", {reset * h, last});
    }
    const Connection candidate =
        apply(layer.activation(d, 1), {layer.clipped(gate_of(of_input, 2, hidden) + of_state)});
    const Model step = Model::create({{"h_next", (1.0 - update) * candidate + update * h}});
    Bindings bindings{{"weight_hh", layer.row(2, d)}};
    Binding bias = sum_of(biases);
    if (resets_last && biases) {
      // The bias of the last gate of the state is reset, too.
      const Connection begin = sliced(biases->first + biases->second, 0, 0, 2 * hidden);
      bias = joined({begin, sliced(biases->first, 0, 2 * hidden, 3 * hidden)}, 0);
      bindings.emplace_back("bias_hh", sliced(biases->second, 0, 2 * hidden, 3 * hidden));
    }
    bindings.emplace_back("of_input", layer.of_input(d, bias));
    layer.run(d, step, bindings, false);
  }
  return layer.results();
}

// What a layer of bytes has besides its weights, by direction.
struct ByteScales {
  std::vector<Connection> input, state;
};

// `scales`: of a layer that rounds its input and its state to bytes. Its sums and activations have
// the order and the bits of ONNX Runtime.
Outputs lstm_of(const NodeContext& node, const ByteScales* scales = nullptr) {
  if (node.flag("input_forget")) refuse("input_forget is not supported");
  RecurrentNode layer(node, 4, {"Sigmoid", "Tanh", "Tanh"});
  const std::int64_t hidden = layer.hidden();
  const bool has_peepholes = node.has(7);
  for (std::size_t d = 0; d < layer.directions(); ++d) {
    const auto activated = [&](std::size_t i, const Connection& x) {
      const std::string op = layer.activation(d, i);
      if (scales && op == "sigmoid") return runtime_sigmoid(x);
      if (scales && op == "tanh") return runtime_tanh(x);
      return apply(op, {x});
    };
    const auto biases = layer.biases(d);
    const Connection h = port("h"), weight = port("weight_hh"), cell = port("c");
    Connection all = scales ? port("of_input") + product_of_bytes(h, weight, port("scale_hh"))
                            : apply("linear", {h, weight}) + port("of_input");
    if (scales && biases) all = all + port("bias");
    // Of bytes: the activations are many nodes.
    std::optional<Connection> gates;
    if (scales && !has_peepholes) gates = activated(0, layer.clipped(gate_of(all, 0, 3 * hidden)));
    const auto gate = [&](std::int64_t index, std::int64_t peephole, const Connection& state) {
      if (gates) return gate_of(*gates, index, hidden);
      Connection made = gate_of(all, index, hidden);
      if (has_peepholes) made = made + gate_of(port("peepholes"), peephole, hidden) * state;
      return activated(0, layer.clipped(made));
    };
    const Connection enter = gate(0, 0, cell), keep = gate(2, 2, cell);
    const Connection candidate = activated(1, layer.clipped(gate_of(all, 3, hidden)));
    const Connection next = keep * cell + enter * candidate;
    const Connection leave = gate(1, 1, next);
    const Model step = Model::create({{"h_next", leave * activated(2, next)}, {"c_next", next}});
    Bindings bindings{{"weight_hh", layer.row(2, d)}};
    if (scales) {
      bindings.emplace_back("of_input", layer.of_bytes(d, scales->input[d]));
      bindings.emplace_back("scale_hh", scales->state[d]);
      if (biases) bindings.emplace_back("bias", sum_of(biases));
    } else {
      bindings.emplace_back("of_input", layer.of_input(d, sum_of(biases)));
    }
    if (has_peepholes) bindings.emplace_back("peepholes", layer.row(7, d));
    layer.run(d, step, bindings, true);
  }
  return layer.results();
}

Outputs lstm(const NodeContext& node) { return lstm_of(node); }

// The numbers of a scale or zero point: one for each direction, or for each of its columns.
Tensor of_columns(const NodeContext& node, std::size_t i, const Dims& weight) {
  const Tensor each = node.known(i).to(DType::float32);
  const std::int64_t directions = weight[0], columns = weight[2];
  if (each.size() != directions)
    need_count("a scale or zero point of its weights", static_cast<std::size_t>(each.size()),
               static_cast<std::size_t>(directions * columns));
  return each;
}

std::span<const float> of_direction(const Tensor& all, std::int64_t directions, std::size_t d) {
  const auto count = static_cast<std::size_t>(all.size() / directions);
  return all.values<float>().subspan(d * count, count);
}

// The scales of the weights of each direction.
std::vector<Connection> scales_of(const NodeContext& node, std::size_t weight, std::size_t scale) {
  node.need_rank(weight, 3, 3);
  const Dims& dims = node.known(weight).dims();
  const Tensor all = of_columns(node, scale, dims);
  std::vector<Connection> scales;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dims[0]); ++d) {
    const std::span<const float> own = of_direction(all, dims[0], d);
    scales.push_back(constant(Tensor::of({static_cast<std::int64_t>(own.size())}, own)));
  }
  return scales;
}

// The weights [D, I, 4 H] of bytes above their zero points, as whole floats [D, 4 H, I].
Value weight_of_bytes(const NodeContext& node, std::size_t weight, std::size_t zero) {
  const Dims& dims = node.known(weight).dims();
  const std::int64_t directions = dims[0], rows = dims[1], columns = dims[2];
  const Tensor numbers = node.known(weight).to(DType::float32);
  const Tensor zeros = of_columns(node, zero, dims);
  std::vector<float> made;
  for (std::int64_t d = 0; d < directions; ++d) {
    const std::span<const float> own = of_direction(zeros, directions, static_cast<std::size_t>(d));
    for (std::int64_t column = 0; column < columns; ++column) {
      const float point = own[own.size() == 1 ? 0 : static_cast<std::size_t>(column)];
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto i = static_cast<std::size_t>((d * rows + row) * columns + column);
        made.push_back(numbers.values<float>()[i] - point);
      }
    }
  }
  Value value(Tensor::of({directions, columns, rows}, made), ElementType::float32);
  value.name = node.value(weight).name;
  value.is_weight = true;
  return value;
}

Outputs lstm_of_bytes(const NodeContext& node) {
  const ByteScales scales{scales_of(node, 1, 8), scales_of(node, 2, 10)};
  std::vector<Value> inputs = node.values();
  inputs[1] = weight_of_bytes(node, 1, 9);
  inputs[2] = weight_of_bytes(node, 2, 11);
  return lstm_of(node.with_inputs(std::move(inputs)), &scales);
}

}  // namespace

std::vector<OpRow> recurrent_rows() {
  const std::string_view limits = "activations beside Sigmoid, Tanh and Relu";
  return {
      of_microsoft(of_floats({"DynamicQuantizeLSTM", 1, lstm_of_bytes, "Scan",
                              "weights that depend on data; the limits of LSTM", true})),
      of_floats({"GRU", 7, gru, "Scan", limits}),
      of_floats(
          {"LSTM", 7, lstm, "Scan", "input_forget; activations beside Sigmoid, Tanh and Relu"}),
      of_floats({"RNN", 7, rnn, "Scan", limits}),
  };
}

}  // namespace mithril::onnx
