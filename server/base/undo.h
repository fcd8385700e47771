// A scope guard: the destructor runs a function, unless now() has already run the function or keep() was called.
#pragma once

#include <functional>
#include <utility>

namespace band::base {

class Undo {
 public:
  Undo() = default;
  explicit Undo(std::function<void()> act) : act_(std::move(act)) {}
  Undo(Undo&& other) noexcept : act_(std::exchange(other.act_, nullptr)) {}
  Undo& operator=(Undo&& other) noexcept {
    if (this != &other) {
      now();
      act_ = std::exchange(other.act_, nullptr);
    }
    return *this;
  }
  ~Undo() { now(); }

  void now() {
    if (auto act = std::exchange(act_, nullptr)) act();
  }
  void keep() { act_ = nullptr; }

 private:
  std::function<void()> act_;
};

}  // namespace band::base
