#include <fmt/format.h>

#include <map>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"
#include "mithril/base/text.hpp"
#include "mithril/serialization/load_arrays.hpp"
#include "mithril/serialization/mapped_file.hpp"
#include "mithril/serialization/stored_elements.hpp"
#include "mithril/serialization/torch_pickle.hpp"
#include "mithril/serialization/zip_archive.hpp"

namespace mithril {
namespace {

constexpr std::string_view pickle_suffix = "/data.pkl";

std::optional<StorageType> torch_type(std::string_view dtype) {
  static const std::map<std::string_view, StorageType> types = {
      {"bool", StorageType::boolean},
      {"uint8", StorageType::uint8},
      {"int8", StorageType::int8},
      {"int16", StorageType::int16},
      {"uint16", StorageType::uint16},
      {"int32", StorageType::int32},
      {"uint32", StorageType::uint32},
      {"int64", StorageType::int64},
      {"float16", StorageType::float16},
      {"bfloat16", StorageType::bfloat16},
      {"float32", StorageType::float32},
      {"float64", StorageType::float64},
      {"float8_e4m3fn", StorageType::float8_e4m3},
      {"float8_e5m2", StorageType::float8_e5m2},
      {"float8_e8m0fnu", StorageType::float8_e8m0},
      {"float8_e4m3fnuz", StorageType::float8_e4m3fnuz},
      {"float8_e5m2fnuz", StorageType::float8_e5m2fnuz}};
  const auto found = types.find(dtype);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

class TorchReader {
 public:
  explicit TorchReader(const std::string& path) : path_(path) {}

  TensorMap read() try {
    const ZipArchive archive(MappedFile::open(path_));
    const ZipEntry* pickle = nullptr;
    for (const ZipEntry& entry : archive.entries()) {
      if (!entry.name.ends_with(pickle_suffix)) continue;
      if (pickle) refuse("it has two entries data.pkl");
      pickle = &entry;
    }
    if (!pickle) refuse("it has no entry data.pkl");
    const std::string folder = pickle->name.substr(0, pickle->name.size() - pickle_suffix.size());
    if (const ZipEntry* order = archive.find(folder + "/byteorder")) {
      const std::span<std::byte> text = archive.read(*order).bytes;
      if (!text.empty() && text.front() != std::byte{'l'}) refuse("its byte order is not little");
    }
    std::vector<TensorMap::Item> items;
    Storages storages;
    for (const PickledTensor& stored : read_torch_pickle(archive.read(*pickle).bytes, path_)) {
      const bool is_tied = storages.contains(stored.storage);
      if (is_tied) count_copy(archive, stored);
      // Tied weights get elements of their own: a training step writes to each.
      Tensor made = tensor(archive, folder, stored, storages);
      items.emplace_back(stored.name, is_tied ? made.copy() : std::move(made));
    }
    if (archive.is_cut()) refuse("it is cut after its last tensor");
    return TensorMap(std::move(items));
  } catch (const ZipFault& fault) {
    refuse(fault.why);
  }

 private:
  using Storages = std::map<std::string, ZipBytes>;  // that were read, by their keys

  // A small file could name one storage any number of times.
  void count_copy(const ZipArchive& archive, const PickledTensor& stored) {
    constexpr std::uint64_t free_bytes = 1U << 28U, times = 64, bytes_of_element = 8;
    const std::optional<Dims> dims = countable_dims(stored.dims);
    if (!dims) return;
    std::uint64_t bytes = bytes_of_element;
    for (const std::int64_t dim : *dims) bytes *= static_cast<std::uint64_t>(dim);
    copied_bytes_ += bytes;
    if (copied_bytes_ > free_bytes + times * archive.bytes())
      refuse("its tensors share their storages too often");
  }

  [[noreturn]] void refuse(std::string why) const {
    raise({.kind = ErrorKind::parse,
           .code = "E0751",
           .path = path_,
           .message = "the file is not a .pt file",
           .facts = {{"why", std::move(why), ""}}});
  }

  Tensor tensor(const ZipArchive& archive, const std::string& folder, const PickledTensor& stored,
                Storages& storages) const {
    const auto type = torch_type(stored.dtype);
    const std::optional<Dims> dims = countable_dims(stored.dims);
    if (!type || !dims) {
      raise({.kind = ErrorKind::parse,
             .code = "E0748",
             .path = path_,
             .message = fmt::format("no tensor of Mithril can hold '{}'", stored.name),
             .facts = {{"stored", shown(stored), ""}},
             .help = "store it with another dtype or shape"});
    }
    auto known = storages.find(stored.storage);
    if (known == storages.end()) {
      const ZipEntry* entry = archive.find(fmt::format("{}/data/{}", folder, stored.storage));
      if (!entry && !archive.is_cut()) {
        refuse(fmt::format("it has no elements of the tensor '{}'", stored.name));
      }
      known = storages.emplace(stored.storage, entry ? archive.read(*entry) : ZipBytes()).first;
    }
    const ZipBytes& storage = known->second;
    const std::size_t element_bytes = static_cast<std::size_t>(bits_of(*type)) / 8;
    const std::optional<std::uint64_t> extent = strided_extent(*dims, stored.strides);
    const std::uint64_t there = storage.bytes.size() / element_bytes;
    const bool is_inside =
        extent && (*extent == 0 || (stored.offset <= there && *extent <= there - stored.offset));
    if (!is_inside) refuse_place(archive, stored, storage.bytes.size());
    if (*extent == 0) return Tensor::empty(*same_dtype(*type), *dims);
    const std::span<std::byte> elements =
        storage.bytes.subspan(stored.offset * element_bytes, *extent * element_bytes);
    if (is_row_major(*dims, stored.strides)) {
      return tensor_of_elements(*type, *dims, elements, storage.owner);
    }
    check_count(*dims, there, stored, archive, storage);
    const auto owner = std::make_shared<std::vector<std::byte>>(
        row_major_copy(elements, element_bytes, *dims, stored.strides));
    return tensor_of_elements(*type, *dims, *owner, owner);
  }

  // Expanded tensors would be larger than the file.
  void check_count(const Dims& dims, std::uint64_t most, const PickledTensor& stored,
                   const ZipArchive& archive, const ZipBytes& storage) const {
    std::uint64_t count = 1;
    for (const std::int64_t dim : dims) count *= static_cast<std::uint64_t>(dim);
    if (count > most) refuse_place(archive, stored, storage.bytes.size());
  }

  // The stride of an axis with one index does not count.
  static bool is_row_major(const Dims& dims, const Strides& strides) {
    const Strides expected = row_major_strides(dims);
    for (std::size_t axis = 0; axis < dims.size(); ++axis) {
      if (dims[axis] != 1 && strides[axis] != expected[axis]) return false;
    }
    return true;
  }

  static std::string shown(const PickledTensor& stored) {
    return fmt::format("{}[{}]", printable(stored.dtype), join(stored.dims, ", "));
  }

  [[noreturn]] void refuse_place(const ZipArchive& archive, const PickledTensor& stored,
                                 std::uint64_t bytes) const {
    const bool is_cut = archive.is_cut();
    raise({.kind = ErrorKind::parse,
           .code = is_cut ? "E0745" : "E0754",
           .path = path_,
           .message =
               is_cut ? fmt::format("the file is cut in the tensor '{}'", stored.name)
                      : fmt::format("the tensor '{}' is not inside of its storage", stored.name),
           .facts = {{"stored",
                      fmt::format("{} with the strides [{}] at the element {}", shown(stored),
                                  join(stored.strides, ", "), stored.offset),
                      ""},
                     {"got", fmt::format("{} bytes", bytes), ""}},
           .help = "copy or download the file again"});
  }

  const std::string& path_;
  std::uint64_t copied_bytes_ = 0;  // at most, of tied weights
};

}  // namespace

TensorMap load_torch(const std::string& path) { return TorchReader(path).read(); }

}  // namespace mithril
