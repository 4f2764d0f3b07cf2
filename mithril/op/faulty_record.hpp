// The error about a faulty record of an op, which may be a user's.
#pragma once
#include <string>

namespace mithril {

struct OpDef;

// ValueError E0475.
[[noreturn]] void faulty_record(const OpDef& op, const std::string& fault);

}  // namespace mithril
