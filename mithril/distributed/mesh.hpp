// Processes in rows and columns.
#pragma once

#include <memory>
#include <string>

#include "mithril/distributed/communicator.hpp"

namespace mithril {

// Process r of a group is in row r / model and column r % model. The processes of a row share the
// parameters and compute the same rows of a batch. Those of a column hold the same blocks of
// parameters.
struct Mesh {
  int data = 1, model = 1;  // rows; columns
  bool operator==(const Mesh&) const = default;
};

std::string to_string(const Mesh& mesh);  // "data 2, model 2"

// The column of this process, whose processes share the rows of a batch; the row of this process,
// whose processes share parameters. A column or row of one process is "alone". All processes of the
// group, which has data * model ones, call it.
std::shared_ptr<Communicator> data_axis(const std::shared_ptr<Communicator>& group,
                                        const Mesh& mesh);
std::shared_ptr<Communicator> model_axis(const std::shared_ptr<Communicator>& group,
                                         const Mesh& mesh);

}  // namespace mithril
