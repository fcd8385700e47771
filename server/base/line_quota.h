// Limits how many lines one kind of event adds to a log in a period of one second. A period begins with the first line
// after the end of the previous period. When the limit of a period is reached, its further lines are not written, only
// counted; the caller later writes one line with their number.
#pragma once

#include <cstdint>

namespace band::base {

// Not thread-safe. Times are monotonic_us().
class LineQuota {
 public:
  explicit LineQuota(int lines_per_second) : most_(lines_per_second) {}

  // Call it for each line. Returns true when the caller must write the line, and false when the line was only counted.
  bool spend(std::int64_t now_us) {
    if (now_us - began_us_ >= kSecondUs) {
      began_us_ = now_us;
      taken_ = 0;
    }
    if (taken_ < most_) return ++taken_, true;
    if (left_out_++ == 0) counted_from_us_ = now_us;
    return false;
  }

  // Returns true when the current period has ended and pending() is false.
  bool idle(std::int64_t now_us) const { return left_out_ == 0 && now_us - began_us_ >= kSecondUs; }
  // Returns true when lines were counted since left_out() last returned a number above 0.
  bool pending() const { return left_out_ > 0; }
  // Returns the number of lines that were only counted, and resets it to 0. Returns 0 while the first of these lines is
  // less than one second old.
  std::uint64_t left_out(std::int64_t now_us) {
    if (left_out_ == 0 || now_us - counted_from_us_ < kSecondUs) return 0;
    const std::uint64_t count = left_out_;
    left_out_ = 0;
    return count;
  }

 private:
  static constexpr std::int64_t kSecondUs = 1'000'000;

  const int most_;
  int taken_ = 0;
  std::int64_t began_us_ = -kSecondUs, counted_from_us_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace band::base
