// The module mithril._server: the HTTP server. Its classes are those of mithril._core.
#include "mithril/server/http_server.hpp"

#include <pybind11/pybind11.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace mithril::python {
namespace {

namespace py = pybind11;

using ServerClock = std::chrono::steady_clock;

std::chrono::milliseconds milliseconds_of(double seconds) {
  // Out of range for the checks of the server, rather than for the type.
  constexpr double most = 1e9;
  if (std::isnan(seconds)) return std::chrono::milliseconds(-1);
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::clamp(std::ceil(seconds * 1e3), -most * 1e3, most * 1e3)));
}

// Evaluations that end may need the interpreter.
std::shared_ptr<HttpServer> start_server(std::shared_ptr<Engine> engine, const std::string& host,
                                         int port, std::size_t max_request_bytes,
                                         std::size_t max_header_bytes,
                                         std::size_t max_buffered_bytes,
                                         std::size_t max_connections, std::size_t max_requests,
                                         double request_timeout, double idle_timeout,
                                         double stop_timeout, double arrival_timeout) {
  const auto destroy = [](HttpServer* server) {
    const py::gil_scoped_release free;
    delete server;
  };
  const py::gil_scoped_release free;
  auto* server =
      new HttpServer(std::move(engine), {.host = host,
                                         .port = port,
                                         .max_request_bytes = max_request_bytes,
                                         .max_header_bytes = max_header_bytes,
                                         .max_buffered_bytes = max_buffered_bytes,
                                         .max_connections = max_connections,
                                         .max_requests = max_requests,
                                         .request_timeout = milliseconds_of(request_timeout),
                                         .idle_timeout = milliseconds_of(idle_timeout),
                                         .stop_timeout = milliseconds_of(stop_timeout),
                                         .arrival_timeout = milliseconds_of(arrival_timeout)});
  const py::gil_scoped_acquire lock;
  return {server, destroy};
}

// A signal handler that raises an exception ends the waiting.
void wait_for_server(HttpServer& server) {
  const py::gil_scoped_release free;
  while (!server.wait_until(ServerClock::now() + std::chrono::milliseconds(100))) {
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

bool stop_server(HttpServer& server) {
  server.begin_stop();
  wait_for_server(server);
  return server.has_answered_all();
}

}  // namespace
}  // namespace mithril::python

PYBIND11_MODULE(_server, module) {
  using namespace mithril;
  using namespace mithril::python;
  py::module_::import("mithril._core");
  module.doc() = "The HTTP server of Mithril. Use `mithril.serve`.";
  py::class_<HttpServer, std::shared_ptr<HttpServer>>(
      module, "HttpServer", "Implements `mithril.HttpServer`. Use `mithril.serve`.")
      .def(py::init(&start_server), py::arg("engine"), py::kw_only(), py::arg("host"),
           py::arg("port"), py::arg("max_request_bytes"), py::arg("max_header_bytes"),
           py::arg("max_buffered_bytes"), py::arg("max_connections"), py::arg("max_requests"),
           py::arg("request_timeout"), py::arg("idle_timeout"), py::arg("stop_timeout"),
           py::arg("arrival_timeout"))
      .def_property_readonly("port", &HttpServer::port, "The port on which the server listens.")
      .def("stop", stop_server, "Stops the server. Returns whether all requests were answered.")
      .def("wait", wait_for_server, "Waits until the server has stopped.");
}
