// The module mithril._server: the HTTP server. Its classes are those of mithril._core.
#include "mithril/server/http_server.hpp"

#include <pybind11/pybind11.h>

#include "mithril/base/interrupt.hpp"

namespace mithril::python {
namespace {

namespace py = pybind11;

using ServerClock = std::chrono::steady_clock;

// Evaluations that end may need the interpreter.
std::shared_ptr<HttpServer> start_server(std::shared_ptr<Engine> engine, const std::string& host,
                                         int port, std::size_t max_request_bytes,
                                         std::size_t max_connections) {
  const auto destroy = [](HttpServer* server) {
    const py::gil_scoped_release free;
    delete server;
  };
  const py::gil_scoped_release free;
  auto* server = new HttpServer(std::move(engine), {.host = host,
                                                    .port = port,
                                                    .max_request_bytes = max_request_bytes,
                                                    .max_connections = max_connections});
  const py::gil_scoped_acquire lock;
  return {server, destroy};
}

void wait_for_server(HttpServer& server) {
  const py::gil_scoped_release free;
  while (!server.wait_until(ServerClock::now() + std::chrono::milliseconds(100))) {
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

}  // namespace
}  // namespace mithril::python

PYBIND11_MODULE(_server, module) {
  using namespace mithril;
  using namespace mithril::python;
  py::module_::import("mithril._core");
  module.doc() = "The HTTP server of Mithril; use mithril.serve.";
  py::class_<HttpServer, std::shared_ptr<HttpServer>>(module, "HttpServer", "Use mithril.serve.")
      .def(py::init(&start_server), py::arg("engine"), py::kw_only(), py::arg("host"),
           py::arg("port"), py::arg("max_request_bytes"), py::arg("max_connections"))
      .def_property_readonly("port", &HttpServer::port)
      .def("stop", &HttpServer::stop, py::call_guard<py::gil_scoped_release>())
      .def("wait", wait_for_server);
}
