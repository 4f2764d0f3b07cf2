#include "mithril/models/recurrent_cells.hpp"

#include "mithril/models/builder.hpp"
#include "mithril/op/solver.hpp"

namespace mithril {
namespace {

Connection linear(const Connection& input, const Connection& weight, const Binding& bias = none) {
  return apply("linear", {input, weight, bias});
}

Connection concat(std::vector<Binding> items, int axis) {
  return apply("concat", {Binding(std::move(items)), axis});
}

// The rows that go on, of a state of all.
Connection first_rows(const Connection& state, const Connection& input) {
  return state[slice(none, input.shape()[0])];
}
Connection other_rows(const Connection& state, const Connection& input) {
  return state[slice(input.shape()[0], none)];
}

// Uniform in +-1/sqrt(hidden size), as PyTorch's cells begin; `output_weight` is [O, H].
void begin_as_pytorch(Model& model, const std::vector<std::string>& keys,
                      const std::string& output_weight) {
  for (const std::string& key : keys) {
    model.set_initializer(
        key, {.distribution = Initializer::Distribution::uniform_fan_in, .fan_of = output_weight});
  }
}

// States are data by default.
Model finished(Model model, const std::vector<std::string>& states,
               const std::vector<std::pair<std::string, Connection>>& outputs) {
  for (const std::string& state : states) model.set_differentiability({{state, false}});
  model.expose_keys(outputs);
  model.set_cin({"input"}).set_cout({"output"});
  return model;
}

Model build_rnn_cell(const CheckedArguments&) {
  Model model = model_of_class("RNNCell");
  const Connection input = model["input"], previous = model["prev_hidden"], w_ih = model["w_ih"],
                   w_hh = model["w_hh"], w_ho = model["w_ho"], bias_h = model["bias_h"],
                   bias_o = model["bias_o"];
  model.set_shapes({{"input", {"N", 1, "I"}},
                    {"prev_hidden", {"M", 1, "H"}},
                    {"w_ih", {"H", "I"}},
                    {"w_hh", {"H", "H"}},
                    {"w_ho", {"O", "H"}},
                    {"bias_h", {"H"}},
                    {"bias_o", {"O"}}});
  const Connection rest = other_rows(previous, input);
  const Connection hidden =
      apply("tanh", {linear(first_rows(previous, input), w_hh) + linear(input, w_ih) + bias_h});
  const Connection output = linear(hidden, w_ho, bias_o);
  begin_as_pytorch(model, {"w_ih", "w_hh", "w_ho", "bias_h", "bias_o"}, "w_ho");
  model = finished(model, {"prev_hidden"},
                   {{"output", output}, {"hidden", hidden}, {"hidden_compl", rest}});
  return model.set_shapes({{"hidden", {"N", 1, "H"}}});
}

struct LstmState {
  Connection cell, hidden;
};

// Adds the ports of the gates to the model, and returns the new state.
LstmState lstm_step(Model& model, const Connection& input, const Connection& hidden,
                    const Connection& cell) {
  model.set_shapes({{"w_i", {"H", "S"}},
                    {"w_f", {"H", "S"}},
                    {"w_c", {"H", "S"}},
                    {"w_o", {"H", "S"}},
                    {"bias_i", {"H"}},
                    {"bias_f", {"H"}},
                    {"bias_c", {"H"}},
                    {"bias_o", {"H"}}});
  const Connection both = concat({input, hidden}, -1);
  const auto gate = [&](const std::string& name, const char* activation) {
    return apply(activation, {linear(both, model.at("w_" + name), model.at("bias_" + name))});
  };
  const Connection forget = gate("f", "sigmoid"), take = gate("i", "sigmoid"),
                   candidate = gate("c", "tanh"), show = gate("o", "sigmoid");
  const Connection new_cell = cell * forget + take * candidate;
  return {new_cell, apply("tanh", {new_cell}) * show};
}

std::vector<std::string> gate_keys() {
  return {"w_f", "w_i", "w_c", "w_o", "bias_f", "bias_i", "bias_c", "bias_o"};
}

Model build_lstm_cell_body(const CheckedArguments&) {
  Model model = model_of_class("LSTMCellBody");
  const Connection input = model["input"], hidden = model["prev_hidden"], cell = model["prev_cell"];
  for (const std::string& key : gate_keys()) static_cast<void>(model[key]);
  model.set_shapes(
      {{"input", {"N", 1, "I"}}, {"prev_hidden", {"N", 1, "H"}}, {"prev_cell", {"N", 1, "H"}}});
  const LstmState next = lstm_step(model, input, hidden, cell);
  model = finished(model, {"prev_hidden", "prev_cell"},
                   {{"output", concat({next.cell, next.hidden}, 0)}});
  return model.set_cin({"prev_cell"});
}

Model build_lstm_cell(const CheckedArguments&) {
  Model model = model_of_class("LSTMCell");
  const Connection input = model["input"], hidden = model["prev_hidden"], cell = model["prev_cell"];
  for (const std::string& key : gate_keys()) static_cast<void>(model[key]);
  const Connection w_out = model["w_out"], bias_out = model["bias_out"];
  model.set_shapes({{"input", {"N", 1, "I"}},
                    {"prev_hidden", {"M", 1, "H"}},
                    {"prev_cell", {"M", 1, "H"}},
                    {"w_out", {"O", "H"}},
                    {"bias_out", {"O"}}});
  const Connection rest = other_rows(hidden, input);
  const LstmState next =
      lstm_step(model, input, first_rows(hidden, input), first_rows(cell, input));
  const Connection output = linear(next.hidden, w_out, bias_out);
  begin_as_pytorch(model, gate_keys(), "w_out");
  begin_as_pytorch(model, {"w_out", "bias_out"}, "w_out");
  model = finished(
      model, {"prev_hidden", "prev_cell"},
      {{"hidden", next.hidden}, {"cell", next.cell}, {"hidden_compl", rest}, {"output", output}});
  return model.set_shapes({{"hidden", {"N", 1, "H"}}, {"cell", {"N", 1, "H"}}});
}

bool has_three_gates(Solver& s) {
  std::vector<Dim> dims;
  if (!s.shape("w_hh", dims)) return false;
  s.same(dims[0], dims[1] * Dim(3));
  return true;
}

Model build_gru_cell(const CheckedArguments&) {
  Model model = model_of_class("GRUCell");
  const Connection input = model["input"], previous = model["prev_hidden"], w_ih = model["w_ih"],
                   w_hh = model["w_hh"], bias_ih = model["bias_ih"], bias_hh = model["bias_hh"],
                   w_out = model["w_out"], bias_out = model["bias_out"];
  model.set_shapes({{"input", {"N", 1, "I"}},
                    {"prev_hidden", {"M", 1, "H"}},
                    {"w_ih", {"G", "I"}},
                    {"w_hh", {"G", "H"}},
                    {"bias_ih", {"G"}},
                    {"bias_hh", {"G"}},
                    {"w_out", {"O", "H"}},
                    {"bias_out", {"O"}}});
  model.add_constraint(has_three_gates, {"w_hh"});
  const Connection rest = other_rows(previous, input), before = first_rows(previous, input);
  const Connection of_input = linear(input, w_ih, bias_ih),
                   of_state = linear(before, w_hh, bias_hh);
  const Connection size = previous.shape()[2];
  const auto third = [&](const Connection& gates, int k) {
    return gates.at({ellipsis, slice(k * size, (k + 1) * size)});
  };
  const Connection reset = apply("sigmoid", {third(of_input, 0) + third(of_state, 0)});
  const Connection update = apply("sigmoid", {third(of_input, 1) + third(of_state, 1)});
  const Connection candidate = apply("tanh", {third(of_input, 2) + reset * third(of_state, 2)});
  const Connection hidden = (1.0 - update) * candidate + update * before;
  const Connection output = linear(hidden, w_out, bias_out);
  begin_as_pytorch(model, {"w_ih", "w_hh", "bias_ih", "bias_hh", "w_out", "bias_out"}, "w_out");
  model = finished(model, {"prev_hidden"},
                   {{"output", output}, {"hidden", hidden}, {"hidden_compl", rest}});
  return model.set_shapes({{"hidden", {"N", 1, "H"}}});
}

}  // namespace

Model RNNCell() { return make_model("RNNCell"); }
Model LSTMCell() { return make_model("LSTMCell"); }
Model LSTMCellBody() { return make_model("LSTMCellBody"); }
Model GRUCell() { return make_model("GRUCell"); }

ModelDef define_rnn_cell();
ModelDef define_rnn_cell() {
  return {.name = "RNNCell",
          .doc =
              "One step of a recurrent network: hidden = tanh(input @ w_ih.T + prev_hidden @ "
              "w_hh.T + bias_h).",
          .ports = {{"input", "[N, 1, I]"},
                    {"prev_hidden", "[M, 1, H]"},
                    {"w_ih", "[H, I]"},
                    {"w_hh", "[H, H]"},
                    {"w_ho", "[O, H]"},
                    {"bias_h", "[H]"},
                    {"bias_o", "[O]"},
                    {"output", "[N, 1, O]"},
                    {"hidden", "[N, 1, H]"},
                    {"hidden_compl", "[M - N, 1, H]"}},
          .arguments = {},
          .build = build_rnn_cell};
}

ModelDef define_lstm_cell();
ModelDef define_lstm_cell() {
  return {.name = "LSTMCell",
          .doc = "One step of a long short-term memory (LSTM).",
          .ports = {{"input", "[N, 1, I]"},
                    {"prev_hidden", "[M, 1, H]"},
                    {"prev_cell", "[M, 1, H]"},
                    {"w_f", "[H, I + H]"},
                    {"w_i", "[H, I + H]"},
                    {"w_c", "[H, I + H]"},
                    {"w_o", "[H, I + H]"},
                    {"bias_f", "[H]"},
                    {"bias_i", "[H]"},
                    {"bias_c", "[H]"},
                    {"bias_o", "[H]"},
                    {"w_out", "[O, H]"},
                    {"bias_out", "[O]"},
                    {"hidden", "[N, 1, H]"},
                    {"cell", "[N, 1, H]"},
                    {"hidden_compl", "[M - N, 1, H]"},
                    {"output", "[N, 1, O]"}},
          .arguments = {},
          .build = build_lstm_cell};
}

ModelDef define_lstm_cell_body();
ModelDef define_lstm_cell_body() {
  return {.name = "LSTMCellBody",
          .doc = "The gates of LSTMCell.",
          .ports = {{"input", "[N, 1, I]"},
                    {"prev_hidden", "[N, 1, H]"},
                    {"prev_cell", "[N, 1, H]"},
                    {"w_f", "[H, I + H]"},
                    {"w_i", "[H, I + H]"},
                    {"w_c", "[H, I + H]"},
                    {"w_o", "[H, I + H]"},
                    {"bias_f", "[H]"},
                    {"bias_i", "[H]"},
                    {"bias_c", "[H]"},
                    {"bias_o", "[H]"},
                    {"output", "[2 N, 1, H]", "the new cell, then the new hidden state"}},
          .arguments = {},
          .build = build_lstm_cell_body};
}

ModelDef define_gru_cell();
ModelDef define_gru_cell() {
  return {.name = "GRUCell",
          .doc = "One step of a gated recurrent unit (GRU), as torch.nn.GRUCell.",
          .ports = {{"input", "[N, 1, I]"},
                    {"prev_hidden", "[M, 1, H]"},
                    {"w_ih", "[3 H, I]"},
                    {"w_hh", "[3 H, H]"},
                    {"bias_ih", "[3 H]"},
                    {"bias_hh", "[3 H]"},
                    {"w_out", "[O, H]"},
                    {"bias_out", "[O]"},
                    {"output", "[N, 1, O]"},
                    {"hidden", "[N, 1, H]"},
                    {"hidden_compl", "[M - N, 1, H]"}},
          .arguments = {},
          .build = build_gru_cell};
}

}  // namespace mithril
