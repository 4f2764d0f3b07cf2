// Backends in separate libraries, opened on request.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mithril/backend/backend.hpp"
#include "mithril/distributed/communicator.hpp"

namespace mithril {

// The description of a library with a backend. The library's only exported symbol returns it:
//   extern "C" const mithril::BackendPlugin* mithril_backend();
struct BackendPlugin {
  std::uint32_t version;  // plugin_version of the headers that it was built with
  const char* needs;      // the library that it was built for: "torch 2.11.0"; null: none
  // Returns null if the installed library fits, otherwise the name of the installed library ("torch
  // 2.15.0"). Called before `make`. A null pointer means that every library fits.
  const char* (*misfit)();
  // Options by name: NameError E0616 for an unknown one, and the backend's own errors.
  std::shared_ptr<Backend> (*make)(const Arguments& options);
  // A group of processes that the library knows: "group", its name there, "timeout" in seconds, and
  // "share_gpus". Null: the library has no groups.
  std::shared_ptr<Communicator> (*make_communicator)(const Arguments& options) = nullptr;
};
inline constexpr std::uint32_t plugin_version = 5;

// Opens the library (once; it stays open) and makes its backend. BackendError E1006 if it cannot be
// opened, E1003 if it was built for another Mithril, E1004 for another version of a dependency,
// E1050 if the library or its `make` returns null.
std::shared_ptr<Backend> load_backend(const std::string& path, const Arguments& options = {});

// Opens the library and makes a communicator from options. The errors of load_backend, and those of
// the library.
std::shared_ptr<Communicator> load_communicator(const std::string& path, const Arguments& options);

// The path of a library in the folder of the core library: "mithril_torch" for libmithril_torch.so.
std::string plugin_path(const std::string& name);

}  // namespace mithril
