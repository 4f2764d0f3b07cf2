// The Open Inference Protocol, version 2, for an engine: from a request to its response, without
// the network.
#pragma once

#include "mithril/base/error.hpp"
#include "mithril/engine/engine.hpp"
#include "mithril/server/protocol_message.hpp"

namespace mithril {

// Answers a request. Errors become responses. `ready`: whether the server accepts requests.
ProtocolResponse answer_request(Engine& engine, const ProtocolRequest& request, bool ready);

// The response to an error: its text and its code.
ProtocolResponse error_response(int status, const Error& error);

}  // namespace mithril
