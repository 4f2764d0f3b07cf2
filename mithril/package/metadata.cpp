#include "mithril/package/metadata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "mithril/base/printable.hpp"
#include "mithril/base/sha256.hpp"
#include "mithril/base/text.hpp"
#include "mithril/base/version.hpp"
#include "mithril/json/fields.hpp"
#include "mithril/json/guarded_parse.hpp"
#include "mithril/package/paths.hpp"

namespace mithril {

const std::vector<std::string> package_families = {"EncoderOnly", "DecoderOnly", "EncoderDecoder",
                                                   "Vision", "Multimodal"};

namespace {

constexpr const char* unknown_run = "...";

[[noreturn]] void refuse_value(const Place& place, std::string expected, std::string got) {
  refuse_package("E0768", place.pointer(), "the format of packages does not have this value",
                 {{"expected", std::move(expected), ""}, {"got", std::move(got), ""}});
}

bool is_checksum(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

PackageFile read_file_entry(const std::string& name, const Json& json, const Place& place) {
  if (!is_package_path(name)) {
    refuse_package("E0761", place.pointer(),
                   fmt::format("'{}' is not a path inside of the package", printable(name)),
                   {{"expected", "a relative path without '.', '..', backslashes and colons", ""}});
  }
  const Fields fields(json, place, {"size", "sha256"});
  const Place at_size = place.at("size"), at_sum = place.at("sha256");
  const std::int64_t size = integer_of(fields.need("size"), at_size);
  if (size < 0) refuse_value(at_size, "a number of bytes", std::to_string(size));
  const std::string& sum = text_of(fields.need("sha256"), at_sum);
  if (!is_checksum(sum)) refuse_value(at_sum, "64 hexadecimal digits", in_quotes(printable(sum)));
  return {name, static_cast<std::uint64_t>(size), sum};
}

std::string optional_text(const Fields& fields, const Place& place, const char* name) {
  const Json* json = fields.find(name);
  return json ? text_of(*json, place.at(name)) : "";
}

Json::Array json_of_names(const std::vector<std::string>& names) {
  return Json::Array(names.begin(), names.end());
}

void add_dims(Json::Array& items, const std::vector<KnownDim>& dims) {
  for (const KnownDim& dim : dims) {
    const auto number = dim.number();
    items.push_back(number ? Json(*number) : Json(to_string(dim)));
  }
}

Json json_of_port(const PackagePort& port) {
  Json::Object fields = {{"name", port.name}, {"dtype", std::string(name(port.dtype))}};
  if (!port.shape) return fields;
  Json::Array dims;
  add_dims(dims, port.shape->head());
  if (port.shape->has_run()) dims.emplace_back(unknown_run);
  add_dims(dims, port.shape->tail());
  fields.emplace_back("dims", std::move(dims));
  return fields;
}

Json::Array json_of_ports(const std::vector<PackagePort>& ports) {
  Json::Array items;
  for (const PackagePort& port : ports) items.push_back(json_of_port(port));
  return items;
}

KnownDim dim_of(const Json& json, const Place& place) {
  if (const auto* number = json.as<std::int64_t>()) {
    if (*number < 0) refuse_value(place, "a size of 0 or more", std::to_string(*number));
    return *number;
  }
  const std::string& text = text_of(json, place);
  if (text.empty() || utf8_bytes(text) != text.size() || printable(text) != text)
    refuse_value(place, "a number or the name of a size", in_quotes(printable(text)));
  return {text, !text.starts_with('?')};
}

KnownShape shape_of_dims(const Json& json, const Place& place) {
  const Json::Array& items = array_of(json, place);
  std::vector<KnownDim> head, tail;
  bool has_run = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto* text = items[i].as<std::string>();
    if (text && *text == unknown_run) {
      if (has_run) refuse_value(place.at(i), "at most one run of sizes", in_quotes(unknown_run));
      has_run = true;
      continue;
    }
    (has_run ? tail : head).push_back(dim_of(items[i], place.at(i)));
  }
  return has_run ? KnownShape(std::move(head), std::move(tail)) : KnownShape(std::move(head));
}

std::vector<PackagePort> read_ports(const Json& json, const Place& place) {
  std::vector<PackagePort> ports;
  std::set<std::string> names;
  const Json::Array& items = array_of(json, place);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Place here = place.at(i), at_dtype = here.at("dtype"), at_dims = here.at("dims");
    const Fields fields(items[i], here, {"name", "dtype", "dims"});
    PackagePort port{.name = text_of(fields.need("name"), here.at("name"))};
    if (!names.insert(port.name).second)
      refuse_value(here.at("name"), "each name once", in_quotes(printable(port.name)));
    const std::string& dtype = text_of(fields.need("dtype"), at_dtype);
    const auto* found = std::find_if(std::begin(all_dtypes), std::end(all_dtypes),
                                     [&](DType candidate) { return name(candidate) == dtype; });
    if (found == std::end(all_dtypes)) {
      std::vector<std::string_view> known;
      for (const DType candidate : all_dtypes) known.push_back(name(candidate));
      refuse_value(at_dtype, join(known, ", "), in_quotes(printable(dtype)));
    }
    port.dtype = *found;
    if (const Json* dims = fields.find("dims")) port.shape = shape_of_dims(*dims, at_dims);
    ports.push_back(std::move(port));
  }
  return ports;
}

}  // namespace

std::string metadata_text(const PackageInfo& info, const std::vector<PackageFile>& files) {
  Json::Object listed;
  for (const PackageFile& file : files) {
    listed.emplace_back(file.name, Json::Object{{"size", static_cast<std::int64_t>(file.bytes)},
                                                {"sha256", file.sha256}});
  }
  return to_text(Json::Object{{"format_version", package_format_version},
                              {"name", info.name},
                              {"revision", info.revision},
                              {"created_at", info.created_at},
                              {"mithril_version", std::string(version())},
                              {"files", std::move(listed)}}) +
         "\n";
}

std::vector<PackageFile> read_metadata(std::string_view text, PackageInfo& info) {
  const Json json = guarded_parse(text);
  const Place root;
  const Place at_version = root.at("format_version"), at_files = root.at("files");
  const std::int64_t format = integer_of(Fields(json, root).need("format_version"), at_version);
  if (format != package_format_version) {
    refuse_package("E0760", "", fmt::format("the package has format version {}", format),
                   {{"expected", std::to_string(package_format_version), ""}},
                   "load it with the Mithril that wrote it, or with a newer one");
  }
  const Fields fields(
      json, root, {"format_version", "name", "revision", "created_at", "mithril_version", "files"});
  info.name = text_of(fields.need("name"), root.at("name"));
  info.revision = text_of(fields.need("revision"), root.at("revision"));
  info.created_at = text_of(fields.need("created_at"), root.at("created_at"));
  std::vector<PackageFile> files;
  for (const auto& [name, entry] : object_of(fields.need("files"), at_files)) {
    const Place here = at_files.at(name);
    if (name == metadata_name) refuse_value(here, "the other files", in_quotes(name));
    files.push_back(read_file_entry(name, entry, here));
  }
  std::sort(files.begin(), files.end(),
            [](const PackageFile& a, const PackageFile& b) { return a.name < b.name; });
  return files;
}

std::string info_text(const PackageInfo& info) {
  Json::Object fields = {{"model_type", info.model_type}};
  if (!info.family.empty()) fields.emplace_back("architecture_family", info.family);
  fields.emplace_back("supported_backends", json_of_names(info.backends));
  fields.emplace_back("inputs", json_of_ports(info.inputs));
  fields.emplace_back("outputs", json_of_ports(info.outputs));
  if (!info.licence.empty()) fields.emplace_back("licence", info.licence);
  if (!info.source.empty()) fields.emplace_back("source", info.source);
  Json::Object sizes;
  for (const auto& [name, size] : info.sizes) sizes.emplace_back(name, size);
  if (!sizes.empty()) fields.emplace_back("sizes", std::move(sizes));
  return to_text(fields) + "\n";
}

void read_info(std::string_view text, PackageInfo& info) {
  const Json json = guarded_parse(text);
  const Place root;
  const Place at_backends = root.at("supported_backends"), at_sizes = root.at("sizes");
  const Fields fields(json, root,
                      {"model_type", "architecture_family", "supported_backends", "inputs",
                       "outputs", "licence", "source", "sizes"});
  info.model_type = text_of(fields.need("model_type"), root.at("model_type"));
  info.family = optional_text(fields, root, "architecture_family");
  if (!info.family.empty() && std::find(package_families.begin(), package_families.end(),
                                        info.family) == package_families.end()) {
    refuse_value(root.at("architecture_family"), join(package_families, ", "),
                 in_quotes(printable(info.family)));
  }
  info.backends = names_of(fields.need("supported_backends"), at_backends);
  info.inputs = read_ports(fields.need("inputs"), root.at("inputs"));
  info.outputs = read_ports(fields.need("outputs"), root.at("outputs"));
  info.licence = optional_text(fields, root, "licence");
  info.source = optional_text(fields, root, "source");
  if (const Json* sizes = fields.find("sizes")) {
    for (const auto& [name, size] : object_of(*sizes, at_sizes))
      info.sizes[name] = integer_of(size, at_sizes.at(name));
  }
}

std::string revision_of(const std::vector<PackageFile>& files) {
  constexpr std::size_t digits = 12;
  Sha256 hash;
  for (const PackageFile& file : files) {
    const std::string line = fmt::format("{} {}\n", file.name, file.sha256);
    hash.add(std::as_bytes(std::span(line)));
  }
  return hash.hex_digest().substr(0, digits);
}

}  // namespace mithril
