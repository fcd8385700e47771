#include "server/http1/body.h"

#include <algorithm>

namespace band::http1 {

BodyFrame::BodyFrame(BodyPlan plan, std::uint64_t max_content) : max_(max_content) {
  switch (plan.kind) {
    case BodyPlan::Kind::None:
      return;
    case BodyPlan::Kind::Length:
      left_ = plan.length;
      state_ = left_ > max_ ? State::TooLarge : left_ == 0 ? State::Done : State::Length;
      return;
    case BodyPlan::Kind::Chunked:
      state_ = State::SizeStart;
      return;
  }
}

std::size_t BodyFrame::consume(std::string_view bytes, std::string_view& content) {
  std::size_t taken = 0;
  content = {};
  while (taken < bytes.size() && !done() && !failed()) {
    if (state_ == State::Length || state_ == State::Data) {
      const auto n = std::min<std::uint64_t>(left_, bytes.size() - taken);
      content = bytes.substr(taken, static_cast<std::size_t>(n));
      left_ -= n;
      if (left_ == 0) state_ = state_ == State::Length ? State::Done : State::DataCr;
      return taken + content.size();
    }
    step(bytes[taken]);
    if (!failed()) ++taken;
  }
  return taken;
}

// Processes one byte of chunk framing.
void BodyFrame::step(char c) {
  const auto expect = [&](char wanted, State next) { state_ = c == wanted ? next : State::Failed; };
  switch (state_) {
    case State::SizeStart:
    case State::Size: {
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (state_ == State::SizeStart) left_ = 0, digits_ = 0;
      if (digit < 0) return expect('\r', digits_ > 0 ? State::SizeLf : State::Failed);
      if (++digits_ > 8) return void(state_ = State::Failed);
      left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
      state_ = State::Size;
      return;
    }
    case State::SizeLf:
      expect('\n', left_ == 0 ? State::LastCr : State::Data);
      if (failed()) return;
      content_ += left_;
      if (content_ > max_) state_ = State::TooLarge;
      return;
    case State::DataCr:
      return expect('\r', State::DataLf);
    case State::DataLf:
      return expect('\n', State::SizeStart);
    case State::LastCr:
      return expect('\r', State::LastLf);
    case State::LastLf:
      return expect('\n', State::Done);
    default:
      return;
  }
}

}  // namespace band::http1
