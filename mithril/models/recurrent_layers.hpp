// Recurrent layers on sequences of any length, as PyTorch's nn.RNN, nn.LSTM and nn.GRU.
//
// Ports: input [T, N, I]; output [T, N, D H], the states of the last layer; h_n [L D, N, H], the
// last states. T: steps, N: samples, L: num_layers, D: 2 if bidirectional, else 1, H: hidden_size.
// Parameters, for layer k, "_reverse" added for the backward direction: weight_ih_l<k> [G H, I] ([G
// H, D H] after the first layer), weight_hh_l<k> [G H, H], bias_ih_l<k>, bias_hh_l<k> [G H], with G
// gates in PyTorch's order. They begin uniform in +-1/sqrt(H).
// ValueError E0402 for options out of range, ShapeError for inputs of other sizes.
#pragma once
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

enum class Nonlinearity { tanh, relu };
std::string_view name(Nonlinearity nonlinearity);

struct RNNOptions {
  int64_t hidden_size = 0;
  int64_t num_layers = 1;
  Nonlinearity nonlinearity = Nonlinearity::tanh;
  bool use_bias = true;
  bool batch_first = false;        // input [N, T, I], output [N, T, D H]
  double dropout = 0;              // between layers: probability of an element to become zero
  bool bidirectional = false;      // a second direction begins with the last step
  bool use_lengths = false;        // a port lengths [N] (ints): the steps of each sample
  bool use_initial_state = false;  // a port h_0 [L D, N, H] (LSTM: and c_0); else zeros
};
// h' = tanh(W_ih x + b_ih + W_hh h + b_hh) in each step, or relu (Elman 1990). G = 1.
Model RNN(const RNNOptions& options);

struct LSTMOptions {
  int64_t hidden_size = 0;
  int64_t num_layers = 1;
  bool use_bias = true;
  bool batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
  int64_t proj_size = 0;  // P > 0: h' = W_hr h [P], and P takes the place of H in all but c
  bool use_lengths = false;
  bool use_initial_state = false;
};
// Long short-term memory (Hochreiter, Schmidhuber 1997). G = 4: input, forget, cell, output. More
// ports: c_n and, with use_initial_state, c_0 [L D, N, H]; with proj_size weight_hr_l<k> [P, H].
Model LSTM(const LSTMOptions& options);

struct GRUOptions {
  int64_t hidden_size = 0;
  int64_t num_layers = 1;
  bool use_bias = true;
  bool batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
  bool use_lengths = false;
  bool use_initial_state = false;
};
// Gated recurrent units (Cho et al. 2014). G = 3: reset, update, new.
Model GRU(const GRUOptions& options);

}  // namespace mithril
