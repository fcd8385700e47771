#include "schemas/wire/files.h"

#include <algorithm>
#include <optional>
#include <set>

#include "schemas/core/json.h"
#include "schemas/core/json_reader.h"

namespace band::wire {
namespace {

constexpr std::int64_t kUsPerSecond = 1'000'000;

std::string mode_text(std::uint32_t mode) {
  std::string text = "0000";
  for (int i = 3; i > 0; --i, mode >>= 3) text[static_cast<std::size_t>(i)] = static_cast<char>('0' + (mode & 7));
  return text;
}

std::optional<std::uint32_t> parse_mode(std::string_view text) {
  if (text.size() != 4 || text[0] != '0') return std::nullopt;
  std::uint32_t mode = 0;
  for (const char c : text) {
    if (c < '0' || c > '7') return std::nullopt;
    mode = mode << 3 | static_cast<std::uint32_t>(c - '0');
  }
  return mode;
}

}  // namespace

std::int64_t modified_us(const std::timespec& time) {
  if (time.tv_sec < 0) return 0;
  if (time.tv_sec > kMostModifiedUs / kUsPerSecond) return kMostModifiedUs;
  return std::min(std::int64_t{time.tv_sec} * kUsPerSecond + time.tv_nsec / 1000, kMostModifiedUs);
}

std::timespec modified_time(std::int64_t us) {
  return {static_cast<std::time_t>(us / kUsPerSecond), static_cast<long>(us % kUsPerSecond * 1000)};
}

namespace {

// Not a braced list of members: it would copy the base64.
Json file_to_json(const ShippedFile& file) {
  Json value = object_for(4);
  value["path"] = file.path;
  value["mode"] = mode_text(file.mode);
  value["content"] = base64_encode(file.content);
  if (file.modified_us) value["modifiedUs"] = *file.modified_us;
  return value;
}

}  // namespace

Json files_to_json(const std::vector<ShippedFile>& files) {
  Json list = Json::array();
  for (const ShippedFile& file : files) list.push_back(file_to_json(file));
  return list;
}

Json files_to_json(std::vector<ShippedFile>&& files) {
  Json list = Json::array();
  for (ShippedFile& file : files) {
    list.push_back(file_to_json(file));
    std::string().swap(file.content);
  }
  return list;
}

namespace {

// Returns the base64 of a file; nullopt when the value is not a string.
std::optional<std::string_view> base64_of(const Json& content, std::span<const std::string_view> parts) {
  if (const auto part = json_part(content); part && *part < parts.size()) return parts[*part];
  if (!content.is_string()) return std::nullopt;
  return content.get_ref<const std::string&>();
}

Result<ShippedFile> file_from_json(const Json& value, From from, const std::string& where,
                                   std::span<const std::string_view> parts) {
  Reader reader(value, where);
  if (from == From::Request) reader.only({"path", "mode", "content", "modifiedUs"});
  ShippedFile file;
  file.path = reader.text("path", 4096);
  const std::string mode = reader.text("mode", 4);
  const Json* content = reader.find("content", true);
  if (reader.find("modifiedUs", false) != nullptr) file.modified_us = reader.integer("modifiedUs", 0, kMostModifiedUs);
  if (reader.failed()) return reader.error();
  if (!is_safe_relative_path(file.path))
    return bad(where + ".path: " + shown(file.path) + " is not a plain relative path",
               "write segments joined by '/', none of them empty, `.` or `..`, without control characters");
  const auto bits = parse_mode(mode);
  if (!bits) return bad(where + ".mode: " + shown(mode) + " is not four octal digits from 0000 to 0777");
  file.mode = *bits;
  const auto base64 = base64_of(*content, parts);
  if (!base64) return bad(wrong_type(where + ".content", "a string of base64", *content));
  auto bytes = base64_decode(*base64);
  if (!bytes.ok()) return bad(where + ".content: " + bytes.error().message());
  file.content = std::move(bytes).value();
  return file;
}

// Refuses duplicate paths and a path that is also the directory of another one: the receiver creates each file once.
Status check_tree(const std::vector<ShippedFile>& files, const std::string& where) {
  std::set<std::string_view> paths;
  for (const ShippedFile& file : files)
    if (!paths.insert(file.path).second) return bad(where + ": " + shown(file.path) + " appears twice");
  for (const std::string_view path : paths)
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1))
      if (paths.contains(path.substr(0, slash)))
        return bad(where + ": " + shown(path.substr(0, slash)) + " is a file and a directory");
  return done();
}

}  // namespace

Result<std::vector<ShippedFile>> files_from_json(const Json* list, From from, const std::string& where,
                                                 std::size_t max_files, std::span<const std::string_view> parts) {
  std::vector<ShippedFile> files;
  if (list == nullptr) return files;
  if (!list->is_array()) return bad(wrong_type(where, "an array", *list));
  if (list->size() > max_files)
    return bad(where + ": " + std::to_string(list->size()) + " files, at most " + std::to_string(max_files));
  for (std::size_t i = 0; i < list->size(); ++i) {
    BAND_TRY(ShippedFile file, file_from_json((*list)[i], from, where + "[" + std::to_string(i) + "]", parts));
    files.push_back(std::move(file));
  }
  BAND_CHECK(check_tree(files, where));
  return files;
}

}  // namespace band::wire
