#include "backends/torch/device/refusals.hpp"

#include <c10/util/Exception.h>

#include <utility>

#include "mithril/backend/meter.hpp"
#include "mithril/base/error.hpp"

namespace mithril::torch_backend {

namespace {

// A GPU runs kernels later than they are called, and reports a failure at any later call. Torch
// marks what CUDA itself reports; what its operators check in advance is about that operator.
bool is_asynchronous(const std::string& why) {
  return why.find("CUDA error: ") != std::string::npos;
}

[[noreturn]] void refuse_earlier_kernel(const Operation& operation, const std::string& why) {
  const size_t begin = why.find("CUDA error: ");
  std::vector<Fact> facts;
  if (!operation.path.empty()) {
    facts.push_back({"noticed at", operation.path + " (" + operation.op + ")"});
  }
  facts.push_back({"torch says", why});
  raise({.kind = ErrorKind::backend,
         .code = "E1025",
         .message = "the GPU failed in this or an earlier op: " +
                    why.substr(begin, why.find('\n', begin) - begin),
         .facts = std::move(facts),
         .help = "set CUDA_LAUNCH_BLOCKING=1 in the environment and run again, at "
                 "optimization_level=\"default\": then the op that fails is the one noticed"});
}

}  // namespace

void refuse_operation(const Operation& operation, Switches switches, const std::string& why) {
  if (is_asynchronous(why)) refuse_earlier_kernel(operation, why);
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
  std::vector<Fact> facts;
  if (!operation.op.empty()) {
    facts = {{"op", operation.op}, {"spelling", operation.spelling}};
  }
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

void rethrow_after_writing() {
  try {
    try {
      throw;
    } catch (const c10::OutOfMemoryError& error) {
      refuse_memory({}, error.what_without_backtrace());
    }
  } catch (const Error& error) {
    ErrorDetails details = error.details();
    details.wrote_inputs = true;
    raise(std::move(details));
  }
}

}  // namespace mithril::torch_backend
