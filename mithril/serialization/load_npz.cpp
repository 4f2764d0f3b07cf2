#include <map>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/mapped_file.hpp"
#include "mithril/serialization/npy.hpp"
#include "mithril/serialization/zip_archive.hpp"

namespace mithril {
namespace {

constexpr std::string_view npy_suffix = ".npy";

class NpzReader {
 public:
  explicit NpzReader(const std::string& path) : path_(path) {}

  TensorMap read() try {
    const ZipArchive archive(MappedFile::open(path_));
    std::vector<TensorMap::Item> items;
    std::map<std::string, std::size_t> places;  // of equal names the last one wins
    for (const ZipEntry& entry : archive.entries()) {
      name_ = entry.name;
      if (name_.ends_with(npy_suffix)) name_.resize(name_.size() - npy_suffix.size());
      if (utf8_bytes(name_) != name_.size()) throw NpyFault{"a name that is not UTF-8"};
      // A compressed entry that is cut cannot be decompressed.
      const bool is_last = &entry == &archive.entries().back();
      if (archive.is_cut() && entry.method != 0) {
        if (is_last) refuse_cut();
        continue;
      }
      TensorMap::Item item(name_, array(archive.read(entry), archive.is_cut()));
      const auto [place, is_new] = places.emplace(name_, items.size());
      if (is_new) {
        items.push_back(std::move(item));
      } else {
        items[place->second].tensor() = std::move(item.tensor());
      }
    }
    if (items.empty() && archive.is_cut()) refuse("it is cut before its first array");
    if (archive.is_cut()) refuse_cut();
    return TensorMap(std::move(items));
  } catch (const ZipFault& fault) {
    refuse(fault.why);
  } catch (const NpyFault& fault) {
    refuse(in_quotes(printable(name_)) + " is " + fault.why);
  }

 private:
  [[noreturn]] void refuse(std::string why) const {
    raise({.kind = ErrorKind::parse,
           .code = "E0750",
           .path = path_,
           .message = "the file is not a .npz file of arrays",
           .facts = {{"why", std::move(why), ""}}});
  }

  [[noreturn]] void refuse_cut() const { NpyReader(path_, name_).refuse_cut(std::nullopt, 0); }

  Tensor array(const ZipBytes& entry, bool may_be_longer) const {
    return NpyReader(path_, name_).read(entry.bytes, entry.owner, may_be_longer);
  }

  const std::string& path_;
  std::string name_;  // of the array that is being read
};

}  // namespace

TensorMap load_npz(const std::string& path) { return NpzReader(path).read(); }

}  // namespace mithril
