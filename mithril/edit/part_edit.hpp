// Models that differ from a model in one part: EditableModel has the contracts.
#pragma once
#include <string>
#include <string_view>

#include "mithril/model/model.hpp"

namespace mithril {

// `edit` is the call that errors name.
Model with_replaced(const Model& model, std::string_view path, const Call& part,
                    const char* edit = "replace");
Model with_inserted(const Model& model, std::string_view path, const Call& part, bool after);
Model with_removed(const Model& model, std::string_view path);
Model with_renamed(const Model& model, std::string_view path, const std::string& name);

}  // namespace mithril
