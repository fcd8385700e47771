// The violations that a check of a value finds, each with the JSON pointer of the violating part.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/json_schema/input_schema.h"

namespace band {

// The path from the root to a value: a linked list whose elements are in the stack frames of the check. Only pointer()
// converts the path to text, because most checks find no violation.
class Path {
 public:
  Path() = default;
  Path(const Path& parent, std::string_view key) : parent_(&parent), depth_(parent.depth_ + 1), key_(key) {}
  Path(const Path& parent, std::size_t index)
      : parent_(&parent), depth_(parent.depth_ + 1), index_(index), is_index_(true) {}

  std::size_t depth() const { return depth_; }
  std::string pointer() const;  // the JSON pointer for messages: escaped (json_text.h), with long names cut

 private:
  const Path* parent_ = nullptr;
  std::size_t depth_ = 0;
  std::string_view key_;
  std::size_t index_ = 0;
  bool is_index_ = false;
};

class Report {
 public:
  explicit Report(std::size_t limit) : limit_(limit) {}

  void add(const Path& path, std::string rule, std::string message);  // no effect if full()
  bool full() const { return violations_.size() >= limit_; }
  std::size_t deepest() const { return deepest_; }  // the depth of the deepest path with a violation
  const std::vector<Violation>& violations() const { return violations_; }
  std::vector<Violation> release() { return std::move(violations_); }

 private:
  std::size_t limit_, deepest_ = 0;
  std::vector<Violation> violations_;
};

// Returns the message: "there is no property \"nmae\"; did you mean \"name\"?"
std::string unexpected_property(std::string_view name, std::vector<std::string_view> allowed);

bool is_of_type(const Json& value, std::string_view type);  // as in draft-07: 1.0 is an integer, and 1 is a number
std::size_t characters_of(const Json& value);               // number of code points of a string; 0 for other types

}  // namespace band
