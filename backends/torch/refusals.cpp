#include "backends/torch/refusals.hpp"

#include "mithril/backend/meter.hpp"
#include "mithril/base/error.hpp"

namespace mithril::torch_backend {

void refuse_operation(const Operation& operation, Switches switches, const std::string& why) {
  const bool is_of_bits = why.find("eterministic") != std::string::npos;
  if (switches == Switches::deterministic && is_of_bits) {
    raise({.kind = ErrorKind::backend,
           .code = "E1024",
           .path = operation.path,
           .message = "torch cannot run " + operation.op + " deterministically",
           .facts = {{"spelling", operation.spelling}, {"torch says", why}},
           .help = "make the backend without deterministic"});
  }
  const size_t line = why.find('\n');
  std::vector<Fact> facts{{"op", operation.op}, {"spelling", operation.spelling}};
  if (line != why.npos) facts.push_back({"torch says", why});
  raise({.kind = ErrorKind::backend,
         .code = "E1012",
         .path = operation.path,
         .message = "torch refused: " + why.substr(0, line),
         .facts = std::move(facts)});
}

void refuse_memory(const Operation& operation, const std::string& why) {
  const MeterScope* scope = MeterScope::current();
  if (scope && scope->refusal()) out_of_memory(*scope->refusal(), operation.path, operation.op);
  raise({.kind = ErrorKind::out_of_memory,
         .code = "E1102",
         .path = operation.path,
         .message = "there is not enough memory",
         .facts = {{"torch says", why}}});
}

}  // namespace mithril::torch_backend
