// metadata.json and model_info.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mithril/package/package.hpp"

namespace mithril {

inline constexpr std::int64_t package_format_version = 1;
extern const std::vector<std::string> package_families;

// metadata.json, with the name, the revision and the time of `info`.
std::string metadata_text(const PackageInfo& info, const std::vector<PackageFile>& files);
// Sets these three of `info` and returns the files. ParseError E0760 for another format version,
// E0761 for paths that lead out of the package, E0768 for a checksum or a size that is not one, and
// those of guarded_parse and Fields.
std::vector<PackageFile> read_metadata(std::string_view text, PackageInfo& info);

std::string info_text(const PackageInfo& info);
// Sets the rest. ParseError E0768 for an unknown family or dtype, or dims that are none.
void read_info(std::string_view text, PackageInfo& info);

// A revision that depends on the contents of the files only.
std::string revision_of(const std::vector<PackageFile>& files);

}  // namespace mithril
