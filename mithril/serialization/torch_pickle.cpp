#include "mithril/serialization/torch_pickle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <string_view>

#include "mithril/base/error.hpp"
#include "mithril/base/printable.hpp"

namespace mithril {
namespace {

// A few bytes of a pickle can refer to a large value many times. No file of PyTorch comes near
// these.
constexpr std::size_t most_values = 10'000'000;
constexpr std::size_t longest_text = 1000;  // of a type or the key of a storage
constexpr std::size_t most_tensor_dims = 64;

using Kind = PickledValue::Kind;

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> torch_storages = {{
    {"BoolStorage", "bool"},
    {"ByteStorage", "uint8"},
    {"CharStorage", "int8"},
    {"ShortStorage", "int16"},
    {"IntStorage", "int32"},
    {"LongStorage", "int64"},
    {"HalfStorage", "float16"},
    {"BFloat16Storage", "bfloat16"},
    {"FloatStorage", "float32"},
    {"DoubleStorage", "float64"},
    {"UntypedStorage", ""},
}};

// The names of pickletools. Without the opcodes that the reader knows.
std::string opcode_name(unsigned char opcode) {
  static const std::map<unsigned char, const char*> names = {
      {'0', "POP"},          {'1', "POP_MARK"},
      {'2', "DUP"},          {'F', "FLOAT"},
      {'I', "INT"},          {'L', "LONG"},
      {'P', "PERSID"},       {'S', "STRING"},
      {'T', "BINSTRING"},    {'U', "SHORT_BINSTRING"},
      {'V', "UNICODE"},      {'d', "DICT"},
      {'g', "GET"},          {'i', "INST"},
      {'l', "LIST"},         {'o', "OBJ"},
      {'p', "PUT"},          {0x81, "NEWOBJ"},
      {0x82, "EXT1"},        {0x83, "EXT2"},
      {0x84, "EXT4"},        {0x8F, "EMPTY_SET"},
      {0x90, "ADDITEMS"},    {0x91, "FROZENSET"},
      {0x92, "NEWOBJ_EX"},   {0x96, "BYTEARRAY8"},
      {0x97, "NEXT_BUFFER"}, {0x98, "READONLY_BUFFER"}};
  const auto found = names.find(opcode);
  return found == names.end() ? fmt::format("0x{:02x}", opcode) : found->second;
}

std::uint64_t little_endian(std::string_view digits) {
  std::uint64_t value = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(digits[i]);
  }
  return value;
}

class PickleReader {
 public:
  PickleReader(std::span<const std::byte> bytes, const std::string& path)
      : bytes_(bytes), path_(path) {}

  std::vector<PickledTensor> read() {
    for (;;) {
      const auto opcode = static_cast<unsigned char>(unsigned_number(1));
      if (opcode == '.') return name_tensors();
      step(opcode);
    }
  }

 private:
  [[noreturn]] void refuse(const char* code, std::string message, std::string why) const {
    raise({.kind = ErrorKind::parse,
           .code = code,
           .path = path_,
           .message = std::move(message),
           .facts = {{"why", std::move(why), ""}}});
  }
  [[noreturn]] void damaged(std::string why) const {
    refuse("E0751", "the file is not a .pt file", "its pickle is damaged: " + std::move(why));
  }

  std::vector<PickledTensor> name_tensors() try {
    return named_tensors(*pop(), tensors_);
  } catch (const PickleFault& fault) {
    damaged(fault.why);
  }

  std::string bytes(std::uint64_t count) {
    if (count > bytes_.size() - at_) damaged("it ends early");
    std::string text(reinterpret_cast<const char*>(bytes_.data()) + at_, count);
    at_ += count;
    return text;
  }
  void skip(std::uint64_t count) { bytes(count); }
  std::uint64_t unsigned_number(std::size_t count) { return little_endian(bytes(count)); }
  std::string line() {
    std::string text;
    for (char c; (c = static_cast<char>(unsigned_number(1))) != '\n';) text += c;
    return text;
  }

  PickledValue* add(PickledValue value) {
    if (values_.size() == most_values) damaged("it has too many values");
    values_.push_back(std::move(value));
    return &values_.back();
  }
  void push(PickledValue value) { stack_.push_back(add(std::move(value))); }
  void push_integer(std::int64_t value) { push({.kind = Kind::integer, .integer = value}); }
  PickledValue* top() const {
    if (stack_.empty()) damaged("a value is missing");
    return stack_.back();
  }
  PickledValue* pop() {
    PickledValue* value = top();
    if (value->kind == Kind::mark) damaged("a value is missing");
    stack_.pop_back();
    return value;
  }
  std::vector<PickledValue*> pop_items(std::size_t count) {
    std::vector<PickledValue*> items;
    for (std::size_t i = 0; i < count; ++i) items.push_back(pop());
    std::reverse(items.begin(), items.end());
    return items;
  }
  std::vector<PickledValue*> pop_to_mark() {
    std::vector<PickledValue*> items;
    while (top()->kind != Kind::mark) items.push_back(pop());
    stack_.pop_back();
    std::reverse(items.begin(), items.end());
    return items;
  }
  void push_tuple(std::vector<PickledValue*> items) {
    push({.kind = Kind::tuple, .items = std::move(items)});
  }
  void add_items(Kind kind, const std::vector<PickledValue*>& items) {
    if (top()->kind != kind || (kind == Kind::dict && items.size() % 2 != 0)) {
      damaged("items of a value that has none");
    }
    auto& to = top()->items;
    to.insert(to.end(), items.begin(), items.end());
  }
  void remember(std::uint64_t index) { memo_[index] = top(); }
  void get(std::uint64_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) damaged("a memo is missing");
    stack_.push_back(found->second);
  }

  void step(unsigned char opcode) {
    switch (opcode) {
      case 0x80:
        return skip(1);  // PROTO
      case 0x95:
        return skip(8);  // FRAME
      case '(':
        return push({.kind = Kind::mark});
      case 'N':
      case 0x88:
      case 0x89:
        return push({});  // None, True, False
      case 'J':
        return push_integer(static_cast<std::int32_t>(unsigned_number(4)));
      case 'K':
        return push_integer(static_cast<std::int64_t>(unsigned_number(1)));
      case 'M':
        return push_integer(static_cast<std::int64_t>(unsigned_number(2)));
      case 0x8A:
        return push_long(unsigned_number(1));
      case 0x8B:
        return push_long(unsigned_number(4));
      case 'G':
        return push_other(8);
      case 'X':
        return push_text(4);
      case 0x8C:
        return push_text(1);
      case 0x8D:
        return push_text(8);
      case 'B':
        return push_other(unsigned_number(4));
      case 'C':
        return push_other(unsigned_number(1));
      case 0x8E:
        return push_other(unsigned_number(8));
      case '}':
        return push({.kind = Kind::dict});
      case ']':
        return push({.kind = Kind::list});
      case ')':
        return push_tuple({});
      case 't':
        return push_tuple(pop_to_mark());
      case 0x85:
        return push_tuple(pop_items(1));
      case 0x86:
        return push_tuple(pop_items(2));
      case 0x87:
        return push_tuple(pop_items(3));
      case 'a':
        return add_items(Kind::list, pop_items(1));
      case 'e':
        return add_items(Kind::list, pop_to_mark());
      case 's':
        return add_items(Kind::dict, pop_items(2));
      case 'u':
        return add_items(Kind::dict, pop_to_mark());
      case 'q':
        return remember(unsigned_number(1));
      case 'r':
        return remember(unsigned_number(4));
      case 0x94:
        return remember(memo_.size());
      case 'h':
        return get(unsigned_number(1));
      case 'j':
        return get(unsigned_number(4));
      case 'c': {
        const std::string module = line();
        return push({.kind = Kind::global, .text = module + " " + line()});
      }
      case 0x93: {  // STACK_GLOBAL
        const auto names = pop_items(2);
        return push(
            {.kind = Kind::global, .text = short_text(names[0]) + " " + short_text(names[1])});
      }
      case 'R':
        return reduce();
      case 'b':
        return build();
      case 'Q':
        return push_storage();
      default:
        refuse("E0752", "the pickle has the opcode " + opcode_name(opcode), "it is not plain data");
    }
  }

  void push_other(std::uint64_t count) {  // floats and bytes
    bytes(count);
    push({});
  }
  void push_text(std::size_t length_bytes) {
    std::string text = bytes(unsigned_number(length_bytes));
    if (utf8_bytes(text) != text.size()) damaged("a string that is not UTF-8");
    push({.kind = Kind::text, .text = std::move(text)});
  }

  // Integers of more than 64 bits are not sizes.
  void push_long(std::uint64_t count) {
    const std::string digits = bytes(count);
    if (count > 8) return push({});
    std::uint64_t value = little_endian(digits);
    const bool is_negative = count > 0 && digits.back() < 0;
    if (is_negative && count < 8) value |= ~std::uint64_t{0} << (8 * count);
    push_integer(static_cast<std::int64_t>(value));
  }

  // The attributes of an OrderedDict, such as the _metadata of a state dict, are left out.
  void build() {
    pop();
    if (top()->kind != Kind::dict) {
      refuse("E0752", "the pickle has the opcode BUILD", "it is not plain data");
    }
  }

  const std::string& short_text(const PickledValue* value) const {
    if (value->text.size() > longest_text) damaged("the name of a type or a storage is too long");
    return value->text;
  }

  static std::string dotted(std::string name) {
    std::replace(name.begin(), name.end(), ' ', '.');
    return printable(name);
  }

  void reduce() {
    const PickledValue* arguments = pop();
    const PickledValue* function = pop();
    const std::string name = function->kind == Kind::global ? function->text : "a value";
    if (arguments->kind != Kind::tuple) damaged("arguments that are not a tuple");
    const auto& given = arguments->items;
    if (name == "collections OrderedDict" && given.empty()) return push({.kind = Kind::dict});
    if (name == "torch._utils _rebuild_parameter" && !given.empty()) {
      return stack_.push_back(given[0]);
    }
    if (name == "torch._utils _rebuild_tensor_v2" || name == "torch._utils _rebuild_tensor_v3") {
      return push_tensor(given);
    }
    // Plain data besides tensors.
    if (name == "torch Size" || name == "torch device" || name == "_codecs encode") return push({});
    refuse("E0753", "the pickle calls " + dotted(name), "no code of a file runs");
  }

  // ("storage", type, key, device, size)
  void push_storage() {
    const PickledValue* given = pop();
    if (given->kind != Kind::tuple || given->items.size() != 5 ||
        given->items[0]->text != "storage" || given->items[1]->kind != Kind::global ||
        given->items[2]->kind != Kind::text) {
      damaged("a reference to a value that is not a storage");
    }
    const std::string& type = given->items[1]->text;
    for (const auto& [name, dtype] : torch_storages) {
      if (type != fmt::format("torch {}", name) && type != fmt::format("torch.storage {}", name)) {
        continue;
      }
      return push({.kind = Kind::storage,
                   .text = short_text(given->items[2]),
                   .dtype = std::string(dtype)});
    }
    refuse_type(type);
  }

  [[noreturn]] void refuse_type(const std::string& name) const {
    refuse("E0753", "the pickle names " + dotted(name), "Mithril has no elements of this type");
  }

  std::uint64_t size(const PickledValue* value) const {
    if (value->kind != Kind::integer || value->integer < 0) damaged("a size that is not one");
    return static_cast<std::uint64_t>(value->integer);
  }
  std::vector<std::uint64_t> sizes(const PickledValue* value) const {
    if (value->kind != Kind::tuple) damaged("sizes that are not a tuple");
    if (value->items.size() > most_tensor_dims) damaged("a tensor has too many sizes");
    std::vector<std::uint64_t> made;
    for (const PickledValue* item : value->items) made.push_back(size(item));
    return made;
  }

  // (storage, offset, dims, strides, requires_grad, hooks), and the dtype of an untyped storage.
  void push_tensor(const std::vector<PickledValue*>& given) {
    constexpr std::size_t dtype_index = 6;
    if (given.size() < 4 || given[0]->kind != Kind::storage) damaged("a tensor without a storage");
    PickledTensor tensor{.name = {},
                         .storage = given[0]->text,
                         .dtype = given[0]->dtype,
                         .offset = size(given[1]),
                         .dims = sizes(given[2]),
                         .strides = sizes(given[3])};
    if (tensor.dims.size() != tensor.strides.size()) damaged("a tensor of two ranks");
    if (tensor.dtype.empty()) {
      if (given.size() <= dtype_index) damaged("a tensor without a dtype");
      const std::string& dtype = given[dtype_index]->text;
      if (!dtype.starts_with("torch ")) refuse_type(dtype);
      tensor.dtype = dtype.substr(std::string_view("torch ").size());
    }
    push({.kind = Kind::tensor, .integer = static_cast<std::int64_t>(tensors_.size())});
    tensors_.push_back(std::move(tensor));
  }

  std::span<const std::byte> bytes_;
  const std::string& path_;
  std::size_t at_ = 0;
  std::deque<PickledValue> values_;
  std::vector<PickledValue*> stack_;
  std::map<std::uint64_t, PickledValue*> memo_;
  std::vector<PickledTensor> tensors_;
};

}  // namespace

std::vector<PickledTensor> read_torch_pickle(std::span<const std::byte> pickle,
                                             const std::string& path) {
  return PickleReader(pickle, path).read();
}

}  // namespace mithril
