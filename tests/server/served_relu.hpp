// An engine with a small model "net", for servers.
#pragma once

#include <memory>
#include <utility>

#include "backends/cpu/cpu.hpp"
#include "mithril/compile/compile.hpp"
#include "mithril/engine/engine.hpp"
#include "mithril/models/ops/functions_of_one_element.hpp"

namespace mithril::tests {

inline std::shared_ptr<Engine> served_relu(ServingOptions options = {}) {
  auto engine = std::make_shared<Engine>();
  engine->register_model("net", compile(Relu(), cpu(), {.shapes = {{"input", {"N"}}}}), {},
                         std::move(options));
  return engine;
}

}  // namespace mithril::tests
