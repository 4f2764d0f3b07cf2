// Recurrent networks: a cell for each step, all with the same parameters. A cell is a model with
// input, output, hidden and hidden_compl, and for each state x an input prev_x and an output x:
// RNNCell, LSTMCell, GRUCell. Sequences of a batch may differ in length; the longest come first.
#pragma once
#include "mithril/models/part_argument.hpp"

namespace mithril {

struct OneToManyOptions {
  PartArgument cell_type;
  int64_t max_sequence_length = 1;
  bool teacher_forcing = false;  // a step reads the target of the one before, not its output
};
// Maps one input to a sequence. Ports: input, initial_x for each state, the parameters of the cell,
// target1, target2, ... (their rows say how many sequences continue; with teacher forcing target0,
// too), output0, output1, ...
Model OneToMany(const OneToManyOptions& options);

struct SequenceOptions {
  PartArgument cell_type;
  int64_t max_sequence_length = 1;
};
// Maps one input to a sequence. Each step reads the output of the step before. Ports: those of
// OneToMany, without targets.
Model OneToManyInference(const SequenceOptions& options);
struct ManyToOneOptions {
  PartArgument cell_type;
  int64_t max_sequence_length = 1;
  bool use_lengths = false;
  bool reverse = false;  // with use_lengths: a sequence is read from its end
};
// Maps a sequence to its last hidden state. Ports: input0, input1, ..., initial_x for each state,
// the parameters of the cell, output0, output1, ..., hidden_concat: the last hidden state of each
// sequence. With use_lengths all inputs have the rows [N, 1, I] of all sequences, in any order, and
// the port lengths [N] says how many steps each has: beyond them its output is 0, and its states
// stay, as those of PyTorch's packed sequences.
Model ManyToOne(const ManyToOneOptions& options);

struct EncoderDecoderOptions {
  PartArgument cell_type;
  int64_t max_input_sequence_length = 1, max_target_sequence_length = 1;
  bool teacher_forcing = false;
};
// A ManyToOne whose hidden states start a OneToMany. Ports: the ports of the encoder; of the
// decoder decoder_input, its parameters as decoder_w_ih and so on, target1, ..., output0, output1,
// ...; indices [N]: the order of the target sequences among the input sequences.
Model EncoderDecoder(const EncoderDecoderOptions& options);

struct EncoderDecoderInferenceOptions {
  PartArgument cell_type;
  int64_t max_input_sequence_length = 1, max_target_sequence_length = 1;
};
// The same with OneToManyInference, and without indices.
Model EncoderDecoderInference(const EncoderDecoderInferenceOptions& options);

}  // namespace mithril
