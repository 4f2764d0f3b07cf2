// Pages that show profiles.
#pragma once

#include <string>
#include <string_view>

#include "mithril/profile/profile.hpp"

namespace mithril {

// The steps of a profile as a page: each once, in the groups of its layer, with its time and bytes.
// It needs no model, which view_page shows with ViewOptions::measured. StateError E0971 while the
// profile runs.
std::string profile_page(const Profile& profile, std::string_view title = "profile");

}  // namespace mithril
