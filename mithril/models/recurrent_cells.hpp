// One step of recurrent networks. All take input [N, 1, I] and prev_hidden [M, 1, H] of M >= N
// sequences, with the continuing ones first. Outputs: hidden [N, 1, H], output [N, 1, O], and
// hidden_compl [M - N, 1, H], the states of the sequences that have ended.
#pragma once
#include "mithril/model/model.hpp"

namespace mithril {

// hidden = tanh(input @ w_ih.T + prev_hidden @ w_hh.T + bias_h), output = hidden @ w_ho.T + bias_o
// (Elman 1990). Ports: input, prev_hidden, w_ih [H, I], w_hh [H, H], w_ho [O, H], bias_h, bias_o.
Model RNNCell();
// Long short-term memory (LSTM), a cell with a cell state (Hochreiter, Schmidhuber 1997). Ports:
// those of LSTMCellBody, w_out [O, H], bias_out [O], outputs hidden, cell, hidden_compl, output =
// hidden @ w_out.T + bias_out.
Model LSTMCell();
// The gates of LSTMCell. Ports: input [N, 1, I], prev_hidden [N, 1, H], prev_cell [N, 1, H],
// weights w_f (forget), w_i (input), w_c (cell), w_o (output) [H, I + H], biases bias_f, bias_i,
// bias_c, bias_o [H], output [2 N, 1, H]: the new cell, then the new hidden state.
Model LSTMCellBody();
// Gated recurrent unit (GRU), a cell with gates and no cell state (Cho et al. 2014), computed as by
// PyTorch's nn.GRUCell and in its order (reset, update, new). Ports: input, prev_hidden, w_ih [3 H,
// I], w_hh [3 H, H], bias_ih, bias_hh [3 H], w_out [O, H], bias_out [O].
Model GRUCell();

}  // namespace mithril
