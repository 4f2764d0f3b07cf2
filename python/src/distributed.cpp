// Groups of processes. mithril/distributed makes the Group of users of a communicator.
#include <pybind11/stl.h>

#include "convert.hpp"
#include "mithril/backend/plugin.hpp"
#include "mithril/distributed/agree.hpp"
#include "mithril/distributed/communicator.hpp"

namespace mithril::python {
namespace {

std::span<std::byte> writable_bytes(const py::buffer& buffer) {
  const py::buffer_info info = buffer.request(true);
  return {static_cast<std::byte*>(info.ptr), static_cast<std::size_t>(info.size * info.itemsize)};
}

void all_reduce(Communicator& group, const py::buffer& data, const std::string& dtype,
                const std::string& reduction) {
  const std::span<std::byte> bytes = writable_bytes(data);
  const DType type = parse_dtype(dtype);
  const auto count = static_cast<std::int64_t>(bytes.size() / size_of(type));
  const Reduction by = parse_reduction(reduction);
  const InterpreterUnlocked unlocked;
  group.start_all_reduce(bytes.data(), type, count, by)->wait();
}

std::vector<py::bytes> all_gather(Communicator& group, const py::bytes& mine) {
  const std::string text = mine;
  std::vector<std::string> texts;
  {
    const InterpreterUnlocked unlocked;
    texts = all_gather_text(group, text);
  }
  return {texts.begin(), texts.end()};
}

}  // namespace

void bind_distributed(py::module_& module) {
  py::class_<Communicator, std::shared_ptr<Communicator>>(module, "_Communicator",
                                                          "The transport of a group of processes.")
      .def_property_readonly("rank", &Communicator::rank, "The number of this process, from 0.")
      .def_property_readonly("size", &Communicator::size, "The number of processes.")
      .def_property_readonly("name", &Communicator::name, "The name of the group.")
      .def("all_reduce", all_reduce, py::arg("data"), py::arg("dtype"), py::arg("reduction"),
           "Reduces the elements of a writable buffer in place.")
      .def("all_gather", all_gather, py::arg("mine"), "The bytes of all processes, by rank.")
      .def(
          "broadcast",
          [](Communicator& group, const py::buffer& data, int root) {
            const std::span<std::byte> bytes = writable_bytes(data);
            const InterpreterUnlocked unlocked;
            group.broadcast(bytes, root);
          },
          py::arg("data"), py::arg("root"), "Replaces the bytes of a writable buffer.")
      .def(
          "barrier",
          [](Communicator& group) {
            const InterpreterUnlocked unlocked;
            group.barrier();
          },
          "Returns when every process has called it.")
      .def(
          "abandon",
          [](Communicator& group, const std::string& reason) {
            const InterpreterUnlocked unlocked;
            group.abandon(reason);
          },
          py::arg("reason"), "Breaks the group: collectives of all processes quote the reason.")
      .def(
          "agree",
          [](Communicator& group, const std::string& what, const AgreementEntries& entries) {
            const InterpreterUnlocked unlocked;
            agree(group, what, entries);
          },
          py::arg("what"), py::arg("entries"),
          "Raises a DistributedError on all processes if their entries differ.");
  module.def("_single_process", single_process, "The communicator of this process alone.");
  module.def(
      "_torch_communicator",
      [](const std::string& group, double timeout, bool share_gpus) {
        std::shared_ptr<Communicator> made =
            load_communicator(plugin_path("mithril_torch"),
                              {{"group", group}, {"timeout", timeout}, {"share_gpus", share_gpus}});
        register_communicator(made);
        return made;
      },
      py::arg("group"), py::arg("timeout"), py::arg("share_gpus"),
      "The communicator of a process group of torch. Graphs find it by the name of the group.");
}

}  // namespace mithril::python
