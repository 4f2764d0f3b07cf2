// Inference requests of the protocol.
#pragma once

#include <string>

#include "mithril/engine/engine.hpp"
#include "mithril/server/protocol_message.hpp"

namespace mithril {

// Reads the request, runs it and writes the response. Errors of parsing JSON; InputError E1230 for
// binary data that does not fit the body, E1235 for an unknown output, E1231 and E1233; TypeError
// E1232; errors of the engine.
ProtocolResponse infer_from_message(Engine& engine, const std::string& name,
                                    const ProtocolRequest& request);

}  // namespace mithril
