// Inclusion and intersection of path patterns. Both visit each pair of segments once, and within it each pair of
// tokens. `covers` is an induction over valid inclusions: `true` is always right, `false` may be wrong. For
// `may_overlap`, `false` is always right and `true` may be wrong.
#include <vector>

#include "schemas/pattern/pattern.h"

namespace band {
namespace {

// Fills a table over pairs (i, j) from the end and returns its first cell; cell(i, j) may read cells with a larger i or
// j. `outer` and `inner` are the sizes of the sequences.
template <class Cell>
bool fill_from_end(std::size_t outer, std::size_t inner, Cell cell) {
  std::vector<char> row(inner + 1), below(inner + 1);  // below: the row of i + 1
  for (std::size_t i = outer + 1; i-- > 0;) {
    for (std::size_t j = inner + 1; j-- > 0;) row[j] = cell(i, j, row, below) ? 1 : 0;
    row.swap(below);
  }
  return below[0] != 0;
}

template <class Segment>
bool begins_with_written_dot(const Segment& segment) {
  using Kind = decltype(segment.tokens[0].kind);
  return !segment.tokens.empty() && segment.tokens[0].kind == Kind::Byte && segment.tokens[0].byte == '.';
}

}  // namespace

PathPattern::ByteSet PathPattern::bytes_of(const Token& token) const {
  ByteSet set;
  if (token.kind == Token::Kind::Byte) return set.set(token.byte);
  if (token.kind == Token::Kind::Set) return sets_[token.set];
  return set.set();
}

bool PathPattern::segment_covers(const Segment& outer, const PathPattern& inner_pattern, const Segment& inner,
                                 Reading reading) const {
  // For names that begin with a dot, `outer` must have the dot literally or be read as a deny.
  if (reading == Reading::Opens && begins_with_written_dot(inner) && !begins_with_written_dot(outer)) return false;
  const auto& o = outer.tokens;
  const auto& n = inner.tokens;
  return fill_from_end(o.size(), n.size(), [&](std::size_t i, std::size_t j, const auto& row, const auto& below) {
    if (i == o.size()) return j == n.size();
    if (o[i].kind == Token::Kind::Star)  // matches nothing, or one token of inner, which may be a star
      return below[j] != 0 || (j < n.size() && row[j + 1] != 0);
    if (j == n.size() || n[j].kind == Token::Kind::Star || below[j + 1] == 0) return false;
    return (inner_pattern.bytes_of(n[j]) & ~bytes_of(o[i])).none();
  });
}

bool PathPattern::covers(const PathPattern& inner, Reading reading) const {
  if (absolute_ != inner.absolute_) return false;
  const auto& o = segments_;
  const auto& n = inner.segments_;
  return fill_from_end(o.size(), n.size(), [&](std::size_t i, std::size_t j, const auto& row, const auto& below) {
    if (i == o.size()) return j == n.size();
    if (o[i].deep) {
      if (below[j] != 0) return true;  // matches no segment
      if (j == n.size() || row[j + 1] == 0) return false;
      return n[j].deep || reading == Reading::Denies || !begins_with_written_dot(n[j]);
    }
    return j < n.size() && !n[j].deep && below[j + 1] != 0 && segment_covers(o[i], inner, n[j], reading);
  });
}

bool PathPattern::segments_meet(const Segment& mine, const PathPattern& other_pattern, const Segment& theirs,
                                Reading reading_of_other) const {
  const bool my_dot = begins_with_written_dot(mine);
  const bool their_dot = begins_with_written_dot(theirs);
  if (their_dot && !my_dot) return false;  // all names of the other segment begin with a dot, no name of `mine` does
  if (my_dot && !their_dot && reading_of_other == Reading::Opens) return false;
  const auto& m = mine.tokens;
  const auto& t = theirs.tokens;
  return fill_from_end(m.size(), t.size(), [&](std::size_t i, std::size_t j, const auto& row, const auto& below) {
    const bool my_end = i == m.size(), their_end = j == t.size();
    if (my_end && their_end) return true;
    const bool my_star = !my_end && m[i].kind == Token::Kind::Star;
    const bool their_star = !their_end && t[j].kind == Token::Kind::Star;
    if (my_star && below[j] != 0) return true;
    if (their_star && row[j + 1] != 0) return true;
    if (my_end || their_end) return false;
    if (my_star) return row[j + 1] != 0;  // the star of `mine` matches the same byte as the other token
    if (their_star) return below[j] != 0;
    return below[j + 1] != 0 && (bytes_of(m[i]) & other_pattern.bytes_of(t[j])).any();
  });
}

bool PathPattern::may_overlap(const PathPattern& other, Reading reading_of_other) const {
  if (absolute_ != other.absolute_) return false;
  const auto& m = segments_;
  const auto& t = other.segments_;
  return fill_from_end(m.size(), t.size(), [&](std::size_t i, std::size_t j, const auto& row, const auto& below) {
    const bool my_end = i == m.size(), their_end = j == t.size();
    if (my_end && their_end) return true;
    const bool my_deep = !my_end && m[i].deep, their_deep = !their_end && t[j].deep;
    if (my_deep && below[j] != 0) return true;
    if (their_deep && row[j + 1] != 0) return true;
    if (my_end || their_end) return false;
    if (my_deep && their_deep) return false;  // the cases in which one of them matches nothing are handled above
    if (my_deep) return row[j + 1] != 0 && !begins_with_written_dot(t[j]);
    if (their_deep) return below[j] != 0 && (reading_of_other == Reading::Denies || !begins_with_written_dot(m[i]));
    return below[j + 1] != 0 && segments_meet(m[i], other, t[j], reading_of_other);
  });
}

}  // namespace band
