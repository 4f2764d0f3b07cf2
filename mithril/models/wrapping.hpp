// For models around another one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mithril/model/model.hpp"

namespace mithril {

// An empty model of this class. Its JSON form has its parts, unlike that of a model of the library,
// which names the class and its arguments.
Model wrapper_of_class(const std::string& name);

std::vector<Binding> as_bindings(const std::vector<Connection>& connections);

// The names of those that are keys.
std::vector<std::string> names_among(const std::vector<Connection>& connections,
                                     const std::vector<std::string>& keys);

// ConnectionError E0103 for a part of a model, which has no keys of its own any more.
void refuse_part(const Model& model);

// The keys that match one of the patterns, in the order of the patterns. NameError E0623 for a
// pattern without a match. `what` they are the keys of.
std::vector<std::string> keys_matching(const std::vector<std::string>& patterns,
                                       const std::vector<std::string>& keys, const char* what);

// Makes these values the outputs of a model. NameError E0607 for a name that an input or another
// result has. `who`: the class of the model.
void expose_results(Model& model, const std::vector<std::pair<std::string, Connection>>& results,
                    const std::string& who);

// The key begins and is trained as the input of the inner model that `inside` is bound to: what is
// stated of its first values, its interval and its gradient holds for the key. The key has
// `stacked` axes before the dims of this input (Initializer::stacked).
void keep_statements(Model& model, const std::string& key, const Connection& inside,
                     std::int64_t stacked);

}  // namespace mithril
