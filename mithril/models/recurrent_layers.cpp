#include "mithril/models/recurrent_layers.hpp"

#include <cmath>
#include <functional>

#include "mithril/models/builder.hpp"
#include "mithril/models/scan.hpp"

namespace mithril {
namespace {

// What the layers differ in. Parameters have `gates` blocks of hidden_size rows.
struct RecurrentKind {
  std::string name;
  int64_t gates = 1;
  int64_t projected = 0;          // the size of h; 0: hidden_size
  bool has_cell = false;          // a second state c
  bool adds_state_bias = true;    // bias_hh is only added, so it joins the gates of the input
  std::function<Model()> step{};  // the body of the loop: of_input, h, c, weight_hh, ..., h_next
};

Connection step_input(const char* name) { return Connection(IOKey{.name = name}); }

// The block of rows of one gate.
Connection gate(const Connection& all, int64_t index, int64_t hidden) {
  return all.at({ellipsis, slice(index * hidden, (index + 1) * hidden)});
}

Model plain_step(const std::string& activation) {
  const Connection of_state = apply("linear", {step_input("h"), step_input("weight_hh")});
  return Model::create({{"h_next", apply(activation, {of_state + step_input("of_input")})}});
}

Model lstm_layer_step(int64_t hidden, bool is_projected) {
  const Connection all =
      apply("linear", {step_input("h"), step_input("weight_hh")}) + step_input("of_input");
  const Connection enter = apply("sigmoid", {gate(all, 0, hidden)}),
                   keep = apply("sigmoid", {gate(all, 1, hidden)}),
                   candidate = apply("tanh", {gate(all, 2, hidden)}),
                   leave = apply("sigmoid", {gate(all, 3, hidden)});
  const Connection c = keep * step_input("c") + enter * candidate;
  Connection h = leave * apply("tanh", {c});
  if (is_projected) h = apply("linear", {h, step_input("weight_hr")});
  return Model::create({{"h_next", h}, {"c_next", c}});
}

Model gru_layer_step(int64_t hidden, bool has_bias) {
  const Connection of_input = step_input("of_input"), h = step_input("h");
  const Connection of_state =
      has_bias ? apply("linear", {h, step_input("weight_hh"), step_input("bias_hh")})
               : apply("linear", {h, step_input("weight_hh")});
  const auto sum = [&](int64_t k) { return gate(of_input, k, hidden) + gate(of_state, k, hidden); };
  const Connection reset = apply("sigmoid", {sum(0)}), update = apply("sigmoid", {sum(1)});
  const Connection candidate =
      apply("tanh", {gate(of_input, 2, hidden) + reset * gate(of_state, 2, hidden)});
  return Model::create({{"h_next", candidate + update * (h - candidate)}});
}

class RecurrentBuilder {
 public:
  RecurrentBuilder(const CheckedArguments& arguments, RecurrentKind kind)
      : arguments_(arguments),
        kind_(std::move(kind)),
        hidden_(arguments.integer("hidden_size")),
        layers_(arguments.integer("num_layers")),
        directions_(arguments.flag("bidirectional") ? 2 : 1),
        model_(model_of_class(kind_.name)) {
    if (hidden_ < 1) arguments.reject("hidden_size", "at least 1");
    if (layers_ < 1) arguments.reject("num_layers", "at least 1");
    const double dropout = arguments.real("dropout");
    if (!(dropout >= 0.0 && dropout < 1.0)) arguments.reject("dropout", "at least 0 and below 1");
  }

  Model build() {
    Connection x = input();
    for (int64_t layer = 0; layer < layers_; ++layer) x = output_of(layer, x);
    if (arguments_.flag("batch_first")) x = x.transpose({1, 0, 2});
    std::vector<std::pair<std::string, Connection>> outputs{{"output", x},
                                                            {"h_n", stacked(last_h_)}};
    if (kind_.has_cell) outputs.emplace_back("c_n", stacked(last_c_));
    model_.expose_keys(outputs);
    return model_.set_cin(data_).set_cout({"output"});
  }

 private:
  int64_t width() const { return kind_.projected > 0 ? kind_.projected : hidden_; }

  // The data, as [T, N, I]. Elements beyond the length of a sample are 0: what they were has no
  // effect, also on gradients.
  Connection input() {
    const bool is_batch_first = arguments_.flag("batch_first");
    Connection x = model_["input"];
    model_.set_shapes(
        {{"input", is_batch_first ? ShapeSpec{"N", "T", "I"} : ShapeSpec{"T", "N", "I"}}});
    if (is_batch_first) x = x.transpose({1, 0, 2});
    if (arguments_.flag("use_initial_state")) {
      state("h_0", width());
      if (kind_.has_cell) state("c_0", hidden_);
    }
    if (!arguments_.flag("use_lengths")) return x;
    const Connection lengths = model_["lengths"];
    model_.set_types({{"lengths", kind::int_tensor}}).set_shapes({{"lengths", {"N"}}});
    const Connection steps = apply("arange", {x.shape()[0]}).reshape({-1, 1, 1});
    return apply("where", {steps < lengths.reshape({-1, 1}), x, 0.0});
  }

  void state(const std::string& key, int64_t size) {
    static_cast<void>(model_[key]);
    model_.set_shapes({{key, {layers_ * directions_, "N", size}}});
    data_.push_back(key);
  }

  // The outputs of all directions of a layer, [T, N, directions * width].
  Connection output_of(int64_t layer, Connection x) {
    if (layer > 0 && arguments_.real("dropout") > 0)
      x = make_model("Dropout", {{"p", arguments_["dropout"]}})(x);
    std::vector<Binding> outputs;
    for (int64_t direction = 0; direction < directions_; ++direction)
      outputs.emplace_back(output_of(layer, direction, x));
    if (directions_ == 1) return std::get<Connection>(outputs.front().held());
    return apply("concat", {Binding(std::move(outputs)), -1});
  }

  Connection output_of(int64_t layer, int64_t direction, const Connection& x) {
    const std::string suffix = "l" + std::to_string(layer) + (direction == 1 ? "_reverse" : "");
    const auto parameter = [&](const std::string& prefix, std::vector<DimSpec> dims) {
      return add_parameter(prefix + "_" + suffix, std::move(dims));
    };
    const int64_t rows = kind_.gates * hidden_;
    const DimSpec columns = layer == 0 ? DimSpec("I") : DimSpec(directions_ * width());
    const Connection weight_ih = parameter("weight_ih", {rows, columns});
    Bindings bindings{{"weight_hh", parameter("weight_hh", {rows, width()})}};
    Binding bias = none;
    if (arguments_.flag("use_bias")) {
      const Connection bias_ih = parameter("bias_ih", {rows}),
                       bias_hh = parameter("bias_hh", {rows});
      bias = kind_.adds_state_bias ? bias_ih + bias_hh : bias_ih;
      if (!kind_.adds_state_bias) bindings.emplace_back("bias_hh", bias_hh);
    }
    if (kind_.projected > 0)
      bindings.emplace_back("weight_hr", parameter("weight_hr", {width(), hidden_}));
    bindings.emplace_back("of_input", apply("linear", {x, weight_ih, bias}));
    ScanOptions options{.carry = {{"h", "h_next"}},
                        .sequences = {"of_input"},
                        .outputs = {"h_next"},
                        .reverse = direction == 1};
    const int64_t index = layer * directions_ + direction;
    bindings.emplace_back("h", first("h_0", index, width(), x));
    if (kind_.has_cell) {
      options.carry.emplace_back("c", "c_next");
      bindings.emplace_back("c", first("c_0", index, hidden_, x));
    }
    if (arguments_.flag("use_lengths")) {
      options.lengths = "lengths";
      bindings.emplace_back("lengths", model_["lengths"]);
    }
    const Model loop = Scan(kind_.step(), options).named(suffix);
    model_ |= loop(bindings);
    last_h_.push_back(loop.at("h_last"));
    if (kind_.has_cell) last_c_.push_back(loop.at("c_last"));
    return loop.at("h_next");
  }

  Connection add_parameter(const std::string& key, std::vector<DimSpec> dims) {
    const double bound = 1.0 / std::sqrt(static_cast<double>(hidden_));
    const Connection made = model_[key];
    model_.set_shapes({{key, ShapeSpec(std::move(dims))}});
    model_.set_initializer(
        key, {.distribution = Initializer::Distribution::uniform, .a = -bound, .b = bound});
    return made;
  }

  Connection first(const std::string& key, int64_t index, int64_t size, const Connection& x) {
    if (arguments_.flag("use_initial_state")) return model_[key][index];
    return narrowed(apply("zeros", {{x.shape()[1], size}}), {x});
  }

  static Connection stacked(const std::vector<Connection>& states) {
    std::vector<Binding> rows;
    for (const Connection& state : states) rows.emplace_back(apply("expand_dims", {state, 0}));
    return apply("concat", {Binding(std::move(rows)), 0});
  }

  const CheckedArguments& arguments_;
  const RecurrentKind kind_;
  const int64_t hidden_, layers_, directions_;
  Model model_;
  std::vector<std::string> data_{"input"};
  std::vector<Connection> last_h_, last_c_;
};

Model build_rnn(const CheckedArguments& arguments) {
  const std::string activation = arguments.text("nonlinearity");
  return RecurrentBuilder(arguments,
                          {.name = "RNN", .step = [=] { return plain_step(activation); }})
      .build();
}

Model build_lstm(const CheckedArguments& arguments) {
  const int64_t hidden = arguments.integer("hidden_size"),
                projected = arguments.integer("proj_size");
  if (projected < 0 || (projected > 0 && projected >= hidden))
    arguments.reject("proj_size", "0, or at least 1 and below hidden_size");
  return RecurrentBuilder(arguments,
                          {.name = "LSTM",
                           .gates = 4,
                           .projected = projected,
                           .has_cell = true,
                           .step = [=] { return lstm_layer_step(hidden, projected > 0); }})
      .build();
}

Model build_gru(const CheckedArguments& arguments) {
  const int64_t hidden = arguments.integer("hidden_size");
  const bool has_bias = arguments.flag("use_bias");
  return RecurrentBuilder(arguments, {.name = "GRU",
                                      .gates = 3,
                                      .adds_state_bias = false,
                                      .step = [=] { return gru_layer_step(hidden, has_bias); }})
      .build();
}

// The arguments of all layers, and those of one after `num_layers`, in PyTorch's order.
std::vector<ArgumentDef> recurrent_arguments(std::vector<ArgumentDef> own) {
  std::vector<ArgumentDef> all{
      {"hidden_size", "int", {}, "H, the size of a state"},
      {"num_layers", "int", 1, "each reads the outputs of the one before"}};
  all.insert(all.end(), own.begin(), own.end());
  const std::vector<ArgumentDef> shared{
      {"use_bias", "bool", true, "whether there are biases"},
      {"batch_first", "bool", false, "input [N, T, I] and output [N, T, D H]"},
      {"dropout", "int|float", 0.0, "between layers: probability that an element is zeroed"},
      {"bidirectional", "bool", false, "whether a second direction begins with the last step"},
      {"use_lengths", "bool", false,
       "a port lengths [N] (ints): the steps of each sample. Its outputs beyond them are 0"},
      {"use_initial_state", "bool", false,
       "ports for the first states, which are zeros otherwise"}};
  all.insert(all.end(), shared.begin(), shared.end());
  return all;
}

template <typename Options>
Arguments shared_options(const Options& options) {
  return {{"hidden_size", options.hidden_size}, {"num_layers", options.num_layers},
          {"use_bias", options.use_bias},       {"batch_first", options.batch_first},
          {"dropout", options.dropout},         {"bidirectional", options.bidirectional},
          {"use_lengths", options.use_lengths}, {"use_initial_state", options.use_initial_state}};
}

}  // namespace

std::string_view name(Nonlinearity nonlinearity) {
  return nonlinearity == Nonlinearity::tanh ? "tanh" : "relu";
}

Model RNN(const RNNOptions& options) {
  Arguments arguments = shared_options(options);
  arguments.emplace_back("nonlinearity", std::string(name(options.nonlinearity)));
  return make_model("RNN", arguments);
}

Model LSTM(const LSTMOptions& options) {
  Arguments arguments = shared_options(options);
  arguments.emplace_back("proj_size", options.proj_size);
  return make_model("LSTM", arguments);
}

Model GRU(const GRUOptions& options) { return make_model("GRU", shared_options(options)); }

ModelDef define_rnn();
ModelDef define_rnn() {
  return {
      .name = "RNN",
      .doc =
          "A recurrent network on sequences of any length T, as torch.nn.RNN: h = tanh(weight_ih x "
          "+ bias_ih + weight_hh h + bias_hh) in each step. The names of parameters end with the "
          "layer and the direction, as weight_ih_l1_reverse. There are L layers of D directions.",
      .ports = {{"input", "[T, N, I]"},
                {"h_0", "[L D, N, H]"},
                {"lengths", "[N]"},
                {"weight_ih_l0", "[H, I]"},
                {"weight_hh_l0", "[H, H]"},
                {"bias_ih_l0", "[H]"},
                {"bias_hh_l0", "[H]"},
                {"output", "[T, N, D H]"},
                {"h_n", "[L D, N, H]"}},
      .arguments =
          recurrent_arguments({{"nonlinearity", "str", "tanh", "tanh or relu", {"tanh", "relu"}}}),
      .build = build_rnn};
}

ModelDef define_lstm();
ModelDef define_lstm() {
  return {.name = "LSTM",
          .doc =
              "Long short-term memory on sequences of any length T, as torch.nn.LSTM. The names of "
              "parameters end with the layer and the direction, as weight_ih_l1_reverse. There are "
              "L layers of D directions; P is proj_size, or H without a projection.",
          .ports = {{"input", "[T, N, I]"},
                    {"h_0", "[L D, N, P]"},
                    {"c_0", "[L D, N, H]"},
                    {"lengths", "[N]"},
                    {"weight_ih_l0", "[4 H, I]"},
                    {"weight_hh_l0", "[4 H, P]"},
                    {"bias_ih_l0", "[4 H]"},
                    {"bias_hh_l0", "[4 H]"},
                    {"weight_hr_l0", "[P, H]"},
                    {"output", "[T, N, D P]"},
                    {"h_n", "[L D, N, P]"},
                    {"c_n", "[L D, N, H]"}},
          .arguments = recurrent_arguments(
              {{"proj_size", "int", 0, "P, the size of projected states; 0: no projection"}}),
          .build = build_lstm};
}

ModelDef define_gru();
ModelDef define_gru() {
  return {.name = "GRU",
          .doc =
              "Gated recurrent units on sequences of any length T, as torch.nn.GRU. The names of "
              "parameters end with the layer and the direction, as weight_ih_l1_reverse. There are "
              "L layers of D directions.",
          .ports = {{"input", "[T, N, I]"},
                    {"h_0", "[L D, N, H]"},
                    {"lengths", "[N]"},
                    {"weight_ih_l0", "[3 H, I]"},
                    {"weight_hh_l0", "[3 H, H]"},
                    {"bias_ih_l0", "[3 H]"},
                    {"bias_hh_l0", "[3 H]"},
                    {"output", "[T, N, D H]"},
                    {"h_n", "[L D, N, H]"}},
          .arguments = recurrent_arguments({}),
          .build = build_gru};
}

}  // namespace mithril
