// The fields of one protobuf message, read one after the other from bytes in memory.
#pragma once
#include <protozero/pbf_reader.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mithril::onnx {

// The file that is being read, for errors.
struct Source {
  std::string path;
  std::string_view bytes;
};

// ParseError E1301 with the name of the message and the place in the file.
[[noreturn]] void damaged(const Source& source, const char* message, const char* at,
                          const std::string& problem);

// Fields that no caller asks for are skipped. Each getter raises E1301 if the field has another
// wire type than it needs, or ends beyond the message. Example:
//   for (Fields fields(bytes, source, "NodeProto"); fields.next();)
//     if (fields.tag() == node_field::name) name = fields.text();
class Fields {
 public:
  Fields(std::string_view bytes, const Source& source, const char* message)
      : source_(source), message_(message), reader_(bytes.data(), bytes.size()) {}

  // Moves to the next field. A field that was not read is skipped first.
  bool next();
  std::uint32_t tag() const { return tag_; }

  std::string_view bytes();
  std::string text();  // UTF-8; otherwise E1301
  std::int64_t integer();
  float real();
  // Repeated numbers, packed into one field or one by one; appended.
  void add_integers(std::vector<std::int64_t>& numbers);
  void add_reals(std::vector<float>& numbers);
  void add_doubles(std::vector<double>& numbers);

 private:
  template <class Function>
  auto guarded(Function&& read);
  void need(protozero::pbf_wire_type type);
  bool is_packed() const {
    return reader_.has_wire_type(protozero::pbf_wire_type::length_delimited);
  }
  [[noreturn]] void fail(const std::string& problem);

  const Source& source_;
  const char* message_;
  protozero::pbf_reader reader_;
  std::uint32_t tag_ = 0;
  bool is_unread_ = false;
};

}  // namespace mithril::onnx
