// Whether the library makes a model that its user could have composed.
#pragma once

namespace mithril {

// Whether a builder works for make_opened: then statements are recorded.
bool is_opening();

// While a builder runs. The models that it makes of records are not opened.
class Building {
 public:
  explicit Building(bool opened);
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;
  ~Building();

 private:
  bool outer_;
};

}  // namespace mithril
