#include "mithril/serialization/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "mithril/base/descriptor.hpp"
#include "mithril/base/file_errors.hpp"

namespace mithril {

std::shared_ptr<MappedFile> MappedFile::open(const std::string& path) {
  if (path.find('\0') != std::string::npos) cannot_read(path, reason_of(EINVAL));
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file) cannot_read(path, reason_of(errno));
  return of(file.get(), path);
}

std::shared_ptr<MappedFile> MappedFile::of(int descriptor, const std::string& path) {
  struct stat about;
  if (::fstat(descriptor, &about) != 0) cannot_read(path, reason_of(errno));
  if (S_ISDIR(about.st_mode)) cannot_read(path, reason_of(EISDIR));
  if (!S_ISREG(about.st_mode)) cannot_read(path, "Not a regular file");
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size == 0) return std::shared_ptr<MappedFile>(new MappedFile(nullptr, 0));
  void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
  if (data == MAP_FAILED) cannot_read(path, reason_of(errno));
  ::madvise(data, size, MADV_WILLNEED);  // only a hint
  return std::shared_ptr<MappedFile>(new MappedFile(static_cast<std::byte*>(data), size));
}

void MappedFile::stay_unwritten() {
  if (data_ && !pages_) pages_.emplace(bytes());
}

MappedFile::~MappedFile() {
  pages_.reset();
  if (data_) ::munmap(data_, size_);
}

}  // namespace mithril
