// Answers of engines that are not there yet.
#include "convert.hpp"
#include "durations.hpp"
#include "mithril/engine/engine.hpp"

namespace mithril::python {
namespace {

py::dict read_answer(PendingAnswer& answer) {
  const TensorMap outputs = [&] {
    const InterpreterUnlocked free;
    return answer.result();
  }();
  return dict_of(outputs);
}

bool wait_for_answer(PendingAnswer& answer, double timeout) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + duration_of<Clock::duration>(timeout, "timeout");
  const InterpreterUnlocked free;
  return answer.wait_until(until);
}

}  // namespace

void bind_pending_answer(py::module_& module) {
  py::class_<PendingAnswer>(module, "PendingAnswer",
                            R"(The answer to a request of `Engine.infer_async`.

Example:
    engine = ml.Engine()
    engine.register_model("digits", compiled, params)
    answer = engine.infer_async("digits", {"x": data["x"]})
    outputs = answer.result()

See docs/serving.md.)")
      .def("result", read_answer,
           R"(Waits for the outputs and returns them once, or raises the error of the request.

Example:
    answer = engine.infer_async("digits", {"x": data["x"]})
    outputs = answer.result())")
      .def("done", &PendingAnswer::done, R"(Returns whether the request was answered or has failed.

Example:
    answer = engine.infer_async("digits", {"x": data["x"]})
    print(answer.done()))")
      .def("wait", wait_for_answer, py::arg("timeout"),
           R"(Waits for at most `timeout` seconds, and returns `done()`.

Example:
    answer = engine.infer_async("digits", {"x": data["x"]})
    if answer.wait(timeout=1.0):
        outputs = answer.result())")
      .def("cancel", &PendingAnswer::cancel,
           R"(Cancels the request unless it is done. `result()` then raises BackendError.

Example:
    answer = engine.infer_async("digits", {"x": data["x"]})
    answer.cancel())")
      .def("__repr__", [](const PendingAnswer& answer) {
        return std::string("PendingAnswer(done=") + (answer.done() ? "True)" : "False)");
      });
}

}  // namespace mithril::python
