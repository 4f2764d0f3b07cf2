#include "mithril/models/recurrent.hpp"

#include <algorithm>

#include "mithril/models/builder.hpp"
#include "mithril/models/repetitions.hpp"

namespace mithril {
namespace {

bool has_key(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// The shared parts of the steps of a network.
class Cells {
 public:
  Cells(Model& model, const CheckedArguments& arguments) : model_(model), arguments_(arguments) {
    const Model cell = arguments.part("cell_type");
    const std::vector<std::string> inputs = cell.input_keys(), outputs = cell.output_keys();
    for (const char* output : {"output", "hidden", "hidden_compl"}) {
      if (!has_key(outputs, output) || !has_key(inputs, "input"))
        arguments.reject("cell_type", "a cell: RNNCell, LSTMCell or GRUCell");
    }
    for (const std::string& key : inputs) {
      const bool state = key.starts_with("prev_") && has_key(outputs, key.substr(5));
      if (key != "input") (state ? states_ : shared_).push_back(state ? key.substr(5) : key);
    }
  }

  // Adds a step, which reads `input` and has the next output.
  Model add(const Binding& input) {
    Model cell = arguments_.part("cell_type");
    Bindings bindings{{"input", input}, {"output", "output" + std::to_string(steps_.size())}};
    for (const std::string& state : states_) {
      bindings.emplace_back("prev_" + state, steps_.empty() ? Binding("initial_" + state)
                                                            : Binding(steps_.back().at(state)));
    }
    for (const std::string& key : shared_) bindings.emplace_back(key, key);
    model_ |= cell(bindings);
    steps_.push_back(cell);
    return cell;
  }

  // The step with this number, for sequences that all have rows at each step. Those whose length is
  // not above the number keep their states, and their output is 0.
  void add_until(const Connection& lengths, int64_t number) {
    const std::string suffix = std::to_string(number);
    const Model cell = arguments_.part("cell_type");
    Bindings bindings{{"input", "input" + suffix}};
    for (size_t i = 0; i < states_.size(); ++i) {
      if (steps_.empty()) kept_.push_back(model_["initial_" + states_[i]]);
      bindings.emplace_back("prev_" + states_[i], kept_[i]);
    }
    for (const std::string& key : shared_) bindings.emplace_back(key, key);
    model_ |= cell(bindings);
    steps_.push_back(cell);
    const Connection is_longer = apply("greater", {lengths, number});
    const Connection goes_on =
        apply("expand_dims", {apply("expand_dims", {is_longer, -1}), -1});  // [N, 1, 1]
    for (size_t i = 0; i < states_.size(); ++i)
      kept_[i] = apply("where", {goes_on, cell.at(states_[i]), kept_[i]});
    const Connection output = apply("where", {goes_on, cell.at("output"), 0.0});
    model_.expose_keys({{"output" + suffix, output}});
  }

  // After `add_until`: the state that each sequence had at its end.
  Connection kept(const std::string& state) const {
    const auto at = std::find(states_.begin(), states_.end(), state);
    return kept_[static_cast<size_t>(at - states_.begin())];
  }

  const std::vector<std::string>& states() const { return states_; }
  const std::vector<Model>& steps() const { return steps_; }
  std::string last_output() const { return "output" + std::to_string(steps_.size() - 1); }

 private:
  Model& model_;
  const CheckedArguments& arguments_;
  std::vector<std::string> states_, shared_;
  std::vector<Connection> kept_;  // one for each state
  std::vector<Model> steps_;
};

Model finished(Model model, const Cells& cells, const std::string& input) {
  std::vector<std::string> outputs;
  for (size_t i = 0; i < cells.steps().size(); ++i) outputs.push_back("output" + std::to_string(i));
  model.expose_keys(outputs);
  return model.set_cin({input}).set_cout({cells.last_output()});
}

Model build_one_to_many(const CheckedArguments& arguments) {
  Model model = model_of_class("OneToMany");
  const int64_t length = repetitions(arguments, "max_sequence_length");
  const bool forcing = arguments.flag("teacher_forcing");
  Cells cells(model, arguments);
  Model step = cells.add("input");
  for (int64_t i = 1; i < length; ++i) {
    const std::string target = "target" + std::to_string(i);
    const Connection rows = model[target].shape()[0];
    const Connection source = forcing ? model["target" + std::to_string(i - 1)] : step.at("output");
    step = cells.add(source[slice(none, rows)]);
    model.set_differentiability({{target, false}});
  }
  if (forcing && length > 1) model.set_differentiability({{"target0", false}});
  return finished(model, cells, "input");
}

Model build_one_to_many_inference(const CheckedArguments& arguments) {
  Model model = model_of_class("OneToManyInference");
  const int64_t length = repetitions(arguments, "max_sequence_length");
  Cells cells(model, arguments);
  Model step = cells.add("input");
  for (int64_t i = 1; i < length; ++i) step = cells.add(step.at("output"));
  return finished(model, cells, "input");
}

Model build_with_lengths(Model model, const CheckedArguments& arguments, int64_t length) {
  const Connection lengths = model["lengths"];
  model.set_types({{"lengths", kind::int_tensor}});
  Cells cells(model, arguments);
  for (int64_t i = 0; i < length; ++i)
    cells.add_until(lengths, arguments.flag("reverse") ? length - 1 - i : i);
  model.set_shapes({{"lengths", {"N"}}, {"input0", {"N", 1, "I"}}});
  for (const std::string& state : cells.states()) {
    const std::string initial = "initial_" + state;
    model.set_shapes({{"lengths", {"N"}}, {initial, {"N", 1, "H"}}});
    model.set_differentiability({{initial, false}});
  }
  for (int64_t i = 1; i < length; ++i)  // the first is canonical
    model.set_differentiability({{"input" + std::to_string(i), false}});
  model.expose_keys({{"hidden_concat", cells.kept("hidden")}});
  return model.set_cin({"input0"}).set_cout({"hidden_concat"});
}

Model build_many_to_one(const CheckedArguments& arguments) {
  Model model = model_of_class("ManyToOne");
  const int64_t length = repetitions(arguments, "max_sequence_length");
  if (arguments.flag("use_lengths")) return build_with_lengths(std::move(model), arguments, length);
  if (arguments.flag("reverse")) arguments.reject("reverse", "False without use_lengths");
  Cells cells(model, arguments);
  for (int64_t i = 0; i < length; ++i) {
    const std::string input = "input" + std::to_string(i);
    cells.add(input);
    if (i > 0) model.set_differentiability({{input, false}});  // the first is canonical
  }
  std::vector<Binding> states{cells.steps().back().at("hidden")};
  for (size_t i = cells.steps().size(); i-- > 1;)
    states.emplace_back(cells.steps()[i].at("hidden_compl"));
  const Connection hidden = apply("concat", {Binding(std::move(states)), 0});
  model = finished(model, cells, "input0");
  model.expose_keys({{"hidden_concat", hidden}});
  return model.set_cout({"hidden_concat"});
}

// Keys of the decoder that the whole has, too.
std::string decoder_key(const std::string& key) {
  return key.starts_with("target") ? key : "decoder_" + key;
}

Model encoder_and_decoder(const char* name, const CheckedArguments& arguments,
                          const char* decoder_name, Arguments more) {
  Model model = model_of_class(name);
  const int64_t inputs = repetitions(arguments, "max_input_sequence_length");
  const int64_t targets = repetitions(arguments, "max_target_sequence_length");
  const Datum& cell = arguments["cell_type"];
  const Model encoder =
      make_model("ManyToOne", {{"cell_type", cell}, {"max_sequence_length", inputs}});
  Bindings bindings;
  for (const std::string& key : encoder.input_keys()) bindings.emplace_back(key, key);
  model |= encoder(bindings);
  Connection state = encoder.at("hidden_concat");
  const bool permutes = std::string_view(name) == "EncoderDecoder";
  if (permutes) state = apply("permute_tensor", {state, model["indices"]});
  more.insert(more.begin(), {{"cell_type", cell}, {"max_sequence_length", targets}});
  const Model decoder = make_model(decoder_name, more);
  Bindings of_decoder{{"initial_hidden", state}};
  for (const std::string& key : decoder.input_keys()) {
    if (key != "initial_hidden") of_decoder.emplace_back(key, decoder_key(key));
  }
  const std::vector<std::string> outputs = decoder.output_keys();
  for (const std::string& key : outputs) of_decoder.emplace_back(key, key);
  model |= decoder(of_decoder);
  model.expose_keys(outputs);
  return model.set_cin({"input0", "decoder_input"}).set_cout({outputs.back()});
}

std::vector<ArgumentDef> lengths_and(std::vector<ArgumentDef> more) {
  more.insert(more.begin(), {"cell_type", "model", {}, "RNNCell, LSTMCell or GRUCell"});
  return more;
}

ArgumentDef length_argument() { return {"max_sequence_length", "int", {}, "number of steps"}; }
ArgumentDef forcing_argument() {
  return {"teacher_forcing", "bool", false,
          "whether a step reads the target of the step before instead of its output"};
}
ArgumentDef use_lengths_argument() {
  return {"use_lengths", "bool", false,
          "all inputs have the rows of all sequences, in any order; the port lengths says how many "
          "steps a sequence has: beyond them its output is 0, and its states stay"};
}
ArgumentDef reverse_argument() {
  return {"reverse", "bool", false, "whether a sequence is read from its end; needs use_lengths"};
}
ArgumentDef input_length() {
  return {"max_input_sequence_length", "int", {}, "number of steps of the encoder"};
}
ArgumentDef target_length() {
  return {"max_target_sequence_length", "int", {}, "number of steps of the decoder"};
}

}  // namespace

Model OneToMany(const OneToManyOptions& options) {
  return make_model("OneToMany", {{"cell_type", options.cell_type.datum()},
                                  {"max_sequence_length", options.max_sequence_length},
                                  {"teacher_forcing", options.teacher_forcing}});
}

Model OneToManyInference(const SequenceOptions& options) {
  return make_model("OneToManyInference", {{"cell_type", options.cell_type.datum()},
                                           {"max_sequence_length", options.max_sequence_length}});
}

Model ManyToOne(const ManyToOneOptions& options) {
  return make_model("ManyToOne", {{"cell_type", options.cell_type.datum()},
                                  {"max_sequence_length", options.max_sequence_length},
                                  {"use_lengths", options.use_lengths},
                                  {"reverse", options.reverse}});
}

Model EncoderDecoder(const EncoderDecoderOptions& options) {
  return make_model("EncoderDecoder",
                    {{"cell_type", options.cell_type.datum()},
                     {"max_input_sequence_length", options.max_input_sequence_length},
                     {"max_target_sequence_length", options.max_target_sequence_length},
                     {"teacher_forcing", options.teacher_forcing}});
}

Model EncoderDecoderInference(const EncoderDecoderInferenceOptions& options) {
  return make_model("EncoderDecoderInference",
                    {{"cell_type", options.cell_type.datum()},
                     {"max_input_sequence_length", options.max_input_sequence_length},
                     {"max_target_sequence_length", options.max_target_sequence_length}});
}

ModelDef define_one_to_many();
ModelDef define_one_to_many() {
  return {.name = "OneToMany",
          .doc =
              "Maps one input to a sequence. Each step reads the output of the step before, or its "
              "target with teacher_forcing.",
          .ports = {{"input", "[N, 1, I]"},
                    {"initial_hidden", "[M, 1, H]", "and the other ports of the cell"},
                    {"target1", "[N, 1, O]", "and so on"},
                    {"output0", "[N, 1, O]"},
                    {"output1", "[N, 1, O]", "and so on"}},
          .arguments = lengths_and({length_argument(), forcing_argument()}),
          .build = build_one_to_many};
}

ModelDef define_one_to_many_inference();
ModelDef define_one_to_many_inference() {
  return {.name = "OneToManyInference",
          .doc = "Maps one input to a sequence. Each step reads the output of the step before.",
          .ports = {{"input", "[N, 1, I]"},
                    {"initial_hidden", "[M, 1, H]", "and the other ports of the cell"},
                    {"output0", "[N, 1, I]"},
                    {"output1", "[N, 1, I]", "and so on"}},
          .arguments = lengths_and({length_argument()}),
          .build = build_one_to_many_inference};
}

ModelDef define_many_to_one();
ModelDef define_many_to_one() {
  return {.name = "ManyToOne",
          .doc = "Maps a sequence to its last hidden state, which is `hidden_concat`.",
          .ports = {{"input0", "[N, 1, I]"},
                    {"input1", "[N1, 1, I]", "and so on"},
                    {"initial_hidden", "[M, 1, H]", "and the other ports of the cell"},
                    {"output0", "[N, 1, O]"},
                    {"output1", "[N1, 1, O]", "and so on"},
                    {"hidden_concat", "[N, 1, H]"},
                    {"lengths", "[N]", "int, with use_lengths"}},
          .arguments = lengths_and({length_argument(), use_lengths_argument(), reverse_argument()}),
          .build = build_many_to_one};
}

ModelDef define_encoder_decoder();
ModelDef define_encoder_decoder() {
  return {.name = "EncoderDecoder",
          .doc = "Maps a sequence to a sequence.",
          .ports = {{"input0", "[N, 1, I]", "and so on"},
                    {"initial_hidden", "[M, 1, H]", "and the other ports of the cell"},
                    {"indices", "[N]", "int"},
                    {"decoder_input", "[N, 1, J]",
                     "and the other ports of the decoder as decoder_w_ih and so on"},
                    {"target1", "[N, 1, O]", "and so on"},
                    {"output0", "[N, 1, O]"},
                    {"output1", "[N, 1, O]", "and so on"}},
          .arguments = lengths_and({input_length(), target_length(), forcing_argument()}),
          .build = [](const CheckedArguments& arguments) {
            return encoder_and_decoder("EncoderDecoder", arguments, "OneToMany",
                                       {{"teacher_forcing", arguments["teacher_forcing"]}});
          }};
}

ModelDef define_encoder_decoder_inference();
ModelDef define_encoder_decoder_inference() {
  return {.name = "EncoderDecoderInference",
          .doc =
              "Maps a sequence to a sequence. Each step of the decoder reads the output of the "
              "step before.",
          .ports = {{"input0", "[N, 1, I]", "and so on"},
                    {"initial_hidden", "[M, 1, H]", "and the other ports of the cell"},
                    {"decoder_input", "[N, 1, J]",
                     "and the other ports of the decoder as decoder_w_ih and so on"},
                    {"output0", "[N, 1, J]"},
                    {"output1", "[N, 1, J]", "and so on"}},
          .arguments = lengths_and({input_length(), target_length()}),
          .build = [](const CheckedArguments& arguments) {
            return encoder_and_decoder("EncoderDecoderInference", arguments, "OneToManyInference",
                                       {});
          }};
}

}  // namespace mithril
