// Packages: any files are refused with an error that names the package, or make a model that is
// written and read back, and a copy with the same files.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <vector>

#include "mithril/base/sha256.hpp"
#include "mithril/package/metadata.hpp"
#include "mithril/package/package.hpp"
#include "mithril/package/paths.hpp"
#include "mithril/serialization/write_zip.hpp"
#include "tests/fuzz/model_json.hpp"

namespace {

using namespace mithril;

// A new folder in memory. Its path is the same in every process, because libFuzzer puts texts that
// are compared into inputs.
class MemoryFolder {
 public:
  MemoryFolder() {
    fuzz::require(::mkdtemp(name_.data()) != nullptr, "a folder is made");
    descriptor_ = ::open(name_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  }
  ~MemoryFolder() { ::rmdir(name_.c_str()); }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  std::string name_ = "/dev/shm/mithril_fuzz_XXXXXX";
  int descriptor_ = -1;
};

struct InputFile {
  std::string name, bytes;
};

std::string as_tensor_file(std::string_view text) {
  const size_t end = std::min(text.find('\x01'), text.size());
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(end >> (8 * i) & 0xFF);
  bytes += text.substr(0, end);
  return bytes += text.substr(std::min(end + 1, text.size()));
}

// Names and contents in turn, each up to a NUL. The contents of a file of tensors are its header, a
// byte 1 and the data: the length in front is added.
std::vector<InputFile> files_of(std::string_view input) {
  std::vector<InputFile> files;
  const auto piece = [&] {
    const std::string_view text = input.substr(0, input.find('\0'));
    input.remove_prefix(std::min(input.size(), text.size() + 1));
    return text;
  };
  while (!input.empty()) {
    const std::string name(piece());
    const std::string_view text = piece();
    const bool has_head = is_tensor_file(name) && name.ends_with(".safetensors");
    files.push_back({name, has_head ? as_tensor_file(text) : std::string(text)});
  }
  return files;
}

// Adds metadata.json with the checksums of the files, so that changes get past the checksums. Adds
// nothing if the files include it, or have names that it cannot hold.
void add_metadata(std::vector<InputFile>& files) {
  std::vector<PackageFile> listed;
  for (const InputFile& file : files) {
    if (file.name == metadata_name || !is_package_path(file.name)) return;
    listed.push_back(
        {file.name, file.bytes.size(), sha256_of(std::as_bytes(std::span(file.bytes)))});
  }
  files.push_back({metadata_name, metadata_text({.name = "p", .revision = "1"}, listed)});
}

void check_named(const Error& error, const std::string& path) {
  fuzz::require(std::string(error.what()).find(path) != std::string::npos,
                std::string("an error names the package: ") + error.what());
}

// Works as unless_refused, for an action that reads the package.
template <typename Action>
auto unless_named(const std::string& path, Action action) {
  return fuzz::unless_refused([&] {
    try {
      return action();
    } catch (const Error& error) {
      check_named(error, path);
      throw;
    }
  });
}

void check_copy(const Package& package, const std::string& path) {
  copy_package(package.path(), path);
  const Package copy = load_package(path, {.allow_native_code = true});
  fuzz::require(copy.files().size() == package.files().size(), "a copy has the same files");
  for (const PackageFile& file : package.files()) {
    fuzz::require(copy.file(file.name) == package.file(file.name), "a copy has the same bytes");
  }
  ::unlink(path.c_str());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::set_small_limits();
  std::vector<InputFile> files = files_of(fuzz::text_of(data, size));
  add_metadata(files);
  std::vector<ZipInput> entries;
  for (const InputFile& file : files) entries.push_back({file.name, file.bytes});
  static const MemoryFolder folder;
  static const std::string path = folder.path() + "/p.zip", copied = folder.path() + "/copy.zip";
  const std::string why = write_zip(path, entries);
  fuzz::require(why.empty(), "the archive is written: " + why);
  for (const PackageChecks checks : {PackageChecks::full, PackageChecks::lazy}) {
    const auto package = unless_named(
        path, [&] { return load_package(path, {.verify = checks, .allow_native_code = true}); });
    if (!package) continue;
    const auto model = unless_named(path, [&] { return package->make_model(); });
    if (model) fuzz::check_model(*model);
    unless_named(path, [&] { return package->params().size() + package->state().size(); });
    if (checks == PackageChecks::full) check_copy(*package, copied);
  }
  ::unlink(path.c_str());
  return 0;
}
