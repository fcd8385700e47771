#include "client/terminal/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "client/host/write_all.h"
#include "schemas/core/json_fwd.h"
#include "schemas/core/json_text.h"
#include "schemas/core/lines.h"
#include "schemas/core/utf8.h"

namespace band::client {
namespace {

bool steers(char32_t c) {
  const bool control = c < 0x20 || (c >= 0x7F && c <= 0x9F);
  // Bidirectional marks, embeddings, overrides and isolates; line and paragraph separators.
  const bool direction =
      c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  return control || direction;
}

std::string hex(char32_t c, int digits) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "%0*x", digits, static_cast<unsigned>(c));
  return buffer;
}

std::string escape(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_at(text, at);
    if (!c.valid) {
      out += "\\x" + hex(c.code, 2);
    } else if (keep_lines && (c.code == '\n' || c.code == '\t')) {
      out += static_cast<char>(c.code);
    } else if (c.code == '\n') {
      out += "\\n";
    } else if (c.code == '\t') {
      out += "\\t";
    } else if (steers(c.code)) {
      out += c.code < 0x80 ? "\\x" + hex(c.code, 2) : "\\u{" + hex(c.code, 1) + "}";
    } else {
      out += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return out;
}

bool has_colour(int fd) {
  const char* term = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return ::isatty(fd) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

std::string printable(std::string_view text) { return escape(text, true); }
std::string printable_line(std::string_view text) { return escape(text, false); }

std::string json_for_output(const Json& value, bool pretty) {
  const std::string text = pretty ? dump_json_pretty(value) : dump_json(value);
  std::string out;
  out.reserve(text.size() + 1);
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = utf8_at(text, at);
    // Newlines come from pretty-printing; inside strings they are already escaped.
    if (steers(c.code) && c.code != '\n')
      out += "\\u" + hex(c.code, 4);
    else
      out += text.substr(at, c.bytes);
    at += c.bytes;
  }
  return out + "\n";
}

std::string lines_for_carriage_returns(std::string_view log) {
  std::string text;
  for (std::size_t i = 0; i < log.size(); ++i) {
    if (log[i] != '\r')
      text += log[i];
    else if (i + 1 == log.size() || log[i + 1] != '\n')
      text += '\n';
  }
  return text;
}

// Returns the beginning of the line without blanks, and without characters that have no width or look like blanks.
std::string without_blanks(std::string_view line) {
  constexpr std::size_t kMostStart = 200;
  // U+00A0, U+00AD, U+115F, U+1160, U+180E, U+2800, U+3000, U+3164, U+FEFF; and, by their first two bytes, U+2000 to
  // U+207F and U+FE00 to U+FE3F.
  constexpr std::string_view kInvisible[] = {"\xC2\xA0",     "\xC2\xAD",     "\xE1\x85\x9F",
                                             "\xE1\x85\xA0", "\xE1\xA0\x8E", "\xE2\xA0\x80",
                                             "\xE3\x80\x80", "\xE3\x85\xA4", "\xEF\xBB\xBF"};
  constexpr std::string_view kBlocks[] = {"\xE2\x80", "\xE2\x81", "\xEF\xB8"};
  line = line.substr(0, kMostStart);
  std::string text;
  while (!line.empty()) {
    std::size_t drop = line[0] == ' ' || line[0] == '\t' ? 1 : 0;
    for (const std::string_view block : kBlocks)
      if (line.starts_with(block)) drop = 3;
    for (const std::string_view invisible : kInvisible)
      if (line.starts_with(invisible)) drop = invisible.size();
    if (drop == 0) text += line[0];
    line.remove_prefix(std::min(std::max<std::size_t>(drop, 1), line.size()));
  }
  return text;
}

std::string marked_as_log(std::string_view log) {
  std::string marked;
  for (const std::string_view line : lines_of(log)) {
    const std::string text = without_blanks(line);
    for (const std::string_view own : {"error:", "hint:", "note:", "band:", "---"})
      if (text.starts_with(own)) {
        marked += "| ";
        break;
      }
    marked.append(line).append("\n");
  }
  if (!log.ends_with('\n') && !marked.empty()) marked.pop_back();
  return marked;
}

std::string tail(std::string_view log, std::size_t lines, std::size_t bytes) {
  while (log.ends_with('\n')) log.remove_suffix(1);
  std::size_t start = log.size();
  while (start > 0 && log.size() - start < bytes) {
    if (log[start - 1] == '\n' && --lines == 0) break;
    --start;
  }
  while (start < log.size() && (static_cast<unsigned char>(log[start]) & 0xC0) == 0x80)
    ++start;  // only whole characters
  return std::string(log.substr(start));
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < most; ++i) text += (i > 0 ? ", " : "") + printable_line(names[i]);
  return text + (names.size() > most ? ", ..." : "");
}

std::string human_bytes(std::int64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  double value = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.1f %s", value, unit);
  return buffer;
}

Terminal::Terminal()
    : out_is_terminal_(::isatty(STDOUT_FILENO) == 1),
      err_is_terminal_(::isatty(STDERR_FILENO) == 1),
      out_colour_(has_colour(STDOUT_FILENO)),
      err_colour_(has_colour(STDERR_FILENO)) {}

bool Terminal::out(std::string_view text) { return write_all(STDOUT_FILENO, text); }
// If stderr is closed, the failure cannot be reported.
void Terminal::err(std::string_view text) {
  if (!keeps_) (void)write_all(STDERR_FILENO, text);
}

void Terminal::note(std::string_view text) {
  if (!quiet()) always(text);
}

void Terminal::always(std::string_view text) {
  if (keeps_)
    kept_.emplace_back(text);
  else
    err(printable(text) + "\n");
}

void Terminal::error_line(std::string_view json) {
  if (std::exchange(has_error_line_, true)) return;
  (void)write_all(STDERR_FILENO, json);
}

void Terminal::error(const Error& error) {
  if (keeps_ && has_error_line_) return kept_.push_back("error: " + error.message());
  if (keeps_)
    return error_line(json_object({{"error", json_object({{"code", json_string(code_name(error.code))},
                                                          {"message", json_string(printable(error.message()))},
                                                          {"hint", json_string(printable(error.hint))}})}}) +
                      "\n");
  const char* red = err_colour_ ? "\033[1;31m" : "";
  const char* off = err_colour_ ? "\033[0m" : "";
  // A script can be the author of the message.
  const std::string message = error.message();
  const std::size_t end = std::min(message.find('\n'), message.size());
  err(std::string(red) + "error:" + off + " " +
      printable(message.substr(0, end) + marked_as_log(std::string_view(message).substr(end))) + "\n");
  if (!error.hint.empty())
    err(std::string(err_colour_ ? "\033[1m" : "") + "hint:" + off + " " + printable(error.hint) + "\n");
}

// A hint can have several lines, and a script can be the author of one. Each line begins with `hint:`, so
// that no line looks like another message of band.
void Terminal::hint(std::string_view text) {
  const char* bold = err_colour_ ? "\033[1m" : "";
  const char* off = err_colour_ ? "\033[0m" : "";
  for (const std::string_view line : lines_of(text))
    err(std::string(bold) + "hint:" + off + " " + printable(line) + "\n");
}

std::string Terminal::bold(std::string_view text) const {
  return out_colour_ ? "\033[1m" + std::string(text) + "\033[0m" : std::string(text);
}

Progress::Progress(Terminal& terminal, std::string what) : terminal_(terminal), what_(std::move(what)) {
  if (terminal_.err_is_terminal() && !terminal_.quiet()) thread_ = std::thread([this] { run(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  wipe();
}

void Progress::say(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::print_above(std::string_view text) {
  const std::lock_guard lock(mutex_);
  wipe();
  terminal_.err(text);
}

void Progress::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::seconds(1), [this] { return end_; })) draw();
}

void Progress::draw() {
  const auto waited = std::chrono::steady_clock::now() - start_;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(waited).count();
  terminal_.err("\r\033[K" + printable_line(what_) + " ... " + std::to_string(seconds) + " s");
  drawn_ = true;
}

void Progress::wipe() {
  if (drawn_) terminal_.err("\r\033[K");
  drawn_ = false;
}

}  // namespace band::client
