// The files of a package on the disk: in a folder, or in a .zip file.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mithril/package/package.hpp"

namespace mithril {

class Descriptor;  // base/descriptor.hpp

// Bytes that live as long as their owner. They may be written to: the file does not change.
struct StoredBytes {
  std::span<std::byte> bytes;
  std::shared_ptr<void> owner;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

// All files of a package, mapped. Whatever happens to the folder later, these stay readable.
class PackageFiles {
 public:
  // InputError E0830 for files that cannot be read; E0860 for something else than a package;
  // ParseError E0761, E0762 and E0767.
  static PackageFiles open(const std::string& path);

  const std::string& path() const { return path_; }
  bool is_folder() const { return is_folder_; }
  // "minilm/model.json": for messages.
  std::string where(std::string_view name) const { return path_ + "/" + std::string(name); }
  const StoredBytes* find(std::string_view name) const;  // null for an unknown name

  // Compares names and sizes with what metadata.json lists, sorted by name. ParseError E0763,
  // E0764, E0765.
  void check_listed(const std::vector<PackageFile>& listed) const;
  // ParseError E0766.
  void check_sum(const PackageFile& file) const;
  // A copy of a listed file, after its checksum was compared: later changes of the file on disk can
  // be seen in the mapping, but not in the copy. ParseError E0766.
  std::string verified_copy(const PackageFile& file) const;

 private:
  void check_sum(const PackageFile& file, std::span<const std::byte> bytes) const;
  bool has_read_folder();
  void add_folder(const Descriptor& folder, const std::string& prefix, int depth);
  void add_archive();

  std::string path_;
  bool is_folder_ = true;
  std::map<std::string, StoredBytes, std::less<>> files_;
};

}  // namespace mithril
