// Checks that all processes of a group have the same program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mithril/distributed/communicator.hpp"

namespace mithril {

// The settings of a process, by name, in an order that all processes share: {"dtype", "float32"}.
// Long texts, such as graphs, may be given as checksums.
using AgreementEntries = std::vector<std::pair<std::string, std::string>>;

// Returns if all processes call it with the same entries. Otherwise DistributedError E0964 on all
// of them, which names the first entry that differs and shows it for two processes. `what` is the
// subject of the message: "compile". One small collective if they agree.
void agree(Communicator& group, const std::string& what, const AgreementEntries& entries);

// The texts of all processes, by rank.
std::vector<std::string> all_gather_text(Communicator& group, const std::string& text);

}  // namespace mithril
