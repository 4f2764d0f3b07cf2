// The errors of an engine, each in one place.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/base/error.hpp"

namespace mithril {

// NameError E1201 with the registered names, nearest first.
[[noreturn]] void unknown_model(std::string_view name, std::vector<std::string> registered);
// NameError E1202.
[[noreturn]] void unknown_session(const std::string& model, const std::string& id);
// BackendError E1203.
[[noreturn]] void refuse_full_queue(const std::string& model, std::size_t max_queue);
// BackendError E1204.
[[noreturn]] void refuse_session(const std::string& model, std::size_t max_sessions);
// OutOfMemoryError E1209.
[[noreturn]] void refuse_model(const std::string& model, std::int64_t bytes, std::int64_t in_use,
                               std::int64_t limit);
// Raises the error of a loader again, with a fact that names the model.
[[noreturn]] void raise_while_loading(const std::string& model, const Error& error);
// Whether the error says that a model cannot be loaded. No request is at fault then.
bool is_of_loading(const Error& error);
// BackendError E1211.
[[noreturn]] void refuse_without_threads(const std::string& why);
// BackendError E1212.
[[noreturn]] void refuse_request_of_parent(const std::string& model);
// StateError E1210.
[[noreturn]] void refuse_stateless(const std::string& model);

// BackendErrors for requests that wait: E1205, E1206, E1207 and E1208.
std::exception_ptr deadline_error(const std::string& model);
std::exception_ptr cancelled_error(const std::string& model);
std::exception_ptr unloaded_error(const std::string& model);
std::exception_ptr shut_down_error();

}  // namespace mithril
