// The request of a run as text, with the features that the server must have to accept it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/wire/features.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Because the text contains the secrets, the destructor overwrites its bytes.
class RequestText {
 public:
  explicit RequestText(const ExecRequest& request) : RequestText(body_of(request)) {}
  explicit RequestText(RequestBody body) : text_(std::move(body.text)), needs_(std::move(body.needs)) {}
  RequestText(RequestText&& other) noexcept : text_(std::exchange(other.text_, "")), needs_(std::move(other.needs_)) {}
  RequestText& operator=(RequestText&&) = delete;
  ~RequestText();
  std::string_view text() const { return text_; }
  const std::vector<Feature>& needs() const { return needs_; }

 private:
  std::string text_;
  std::vector<Feature> needs_;
};

}  // namespace band::client
