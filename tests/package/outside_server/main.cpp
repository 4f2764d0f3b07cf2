// Serves a model at a free port, and stops.
#include <cstdio>
#include <memory>

#include "mithril/mithril.hpp"
#include "mithril/server/http_server.hpp"

namespace ml = mithril;

int main() {
  const auto compiled = ml::compile(ml::Relu(), ml::cpu(), {.shapes = {{"input", {"N", 3}}}});
  const auto engine = std::make_shared<ml::Engine>();
  engine->register_model("relu", compiled);
  ml::HttpServer server(engine, {.port = 0});
  std::puts(server.port() > 0 ? "serving" : "no port");
  server.stop();
}
