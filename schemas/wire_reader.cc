#include "schemas/wire_reader.h"

#include <cmath>
#include <set>

#include "schemas/json.h"
#include "schemas/json_number.h"

namespace band::wire {

Error bad(std::string doing, std::string hint) {
  return Error{Code::BadRequest, "", std::move(doing), 0, std::move(hint), ""};
}

std::string wrong_type(std::string_view where, std::string_view expected, const Json& got) {
  return std::string(where) + ": expected " + std::string(expected) + ", got " + std::string(json_type_name(got));
}

std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 80)) out += (c >= 0x20 && c < 0x7F) ? c : '?';
  return "\"" + out + (text.size() > 80 ? "...\"" : "\"");
}

Reader::Reader(const Json& value, std::string where) : value_(value), where_(std::move(where)) {
  if (!value_.is_object()) fail(wrong_type(where_, "an object", value_));
}

const Json* Reader::find(const char* name, bool required) {
  if (error_) return nullptr;
  const auto it = value_.find(name);
  if (it != value_.end()) return &*it;
  if (required) fail(where_ + ": \"" + name + "\" is missing");
  return nullptr;
}

std::string Reader::text(const char* name, std::size_t max_bytes, bool required) {
  const Json* member = find(name, required);
  if (member == nullptr) return "";
  if (!member->is_string()) return fail(wrong_type(at(name), "a string", *member)), "";
  const auto& text = member->get_ref<const std::string&>();
  if (text.size() > max_bytes)
    return fail(at(name) + ": " + std::to_string(text.size()) + " bytes, at most " + std::to_string(max_bytes)), "";
  return text;
}

std::int64_t Reader::integer(const char* name, std::int64_t least, std::int64_t most) {
  const Json* member = find(name, false);
  if (member == nullptr) return 0;
  bool fits = member->is_number_integer();  // true of unsigned numbers as well
  if (fits && member->is_number_unsigned()) fits = member->get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
  if (fits) fits = member->get<std::int64_t>() >= least && member->get<std::int64_t>() <= most;
  if (!fits)
    return fail(at(name) + ": expected an integer from " + std::to_string(least) + " to " + std::to_string(most)), 0;
  return member->get<std::int64_t>();
}

double Reader::number(const char* name) {
  const Json* member = find(name, false);
  if (member == nullptr) return 0;
  const double number = is_number(*member) ? nearest_double(*member) : -1;
  if (!std::isfinite(number) || number < 0) return fail(at(name) + ": expected a number of at least 0"), 0;
  return number;
}

void Reader::only(std::initializer_list<std::string_view> known) {
  if (error_) return;
  for (const auto& [name, unused] : value_.items()) {
    bool found = false;
    for (const std::string_view k : known) found = found || k == name;
    if (!found) return fail(where_ + ": unknown member " + shown(name));
  }
}

void Reader::fail(std::string doing) {
  if (!error_) error_ = bad(std::move(doing));
}

namespace {

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

Json files_to_json(const std::vector<ShippedFile>& files) {
  Json list = Json::array();
  for (const ShippedFile& file : files)
    list.push_back({{"path", file.path}, {"mode", mode_text(file.mode)}, {"content", base64_encode(file.content)}});
  return list;
}

namespace {

Result<ShippedFile> file_from_json(const Json& value, const std::string& where) {
  Reader reader(value, where);
  reader.only({"path", "mode", "content"});
  ShippedFile file;
  file.path = reader.text("path", 4096);
  const std::string mode = reader.text("mode", 4);
  const Json* content = reader.find("content", true);
  if (reader.failed()) return reader.error();
  if (!is_safe_relative_path(file.path))
    return bad(where + ".path: " + shown(file.path) + " is not a plain relative path",
               "segments joined by '/', none of them empty, `.` or `..`, no control characters");
  const auto bits = parse_mode(mode);
  if (!bits) return bad(where + ".mode: " + shown(mode) + " is not four octal digits from 0000 to 0777");
  file.mode = *bits;
  if (!content->is_string()) return bad(wrong_type(where + ".content", "a string of base64", *content));
  auto bytes = base64_decode(content->get_ref<const std::string&>());
  if (!bytes.ok()) return bad(where + ".content: " + bytes.error().message());
  file.content = std::move(bytes).value();
  return file;
}

// No path twice, and none that is another's directory: the receiver creates each exactly once.
Status check_tree(const std::vector<ShippedFile>& files, const std::string& where) {
  std::set<std::string_view> paths;
  for (const ShippedFile& file : files)
    if (!paths.insert(file.path).second) return bad(where + ": " + shown(file.path) + " is there twice");
  for (const std::string_view path : paths)
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1))
      if (paths.contains(path.substr(0, slash)))
        return bad(where + ": " + shown(path.substr(0, slash)) + " is a file and a directory");
  return done();
}

}  // namespace

Result<std::vector<ShippedFile>> files_from_json(const Json* list, const std::string& where, std::size_t max_files) {
  std::vector<ShippedFile> files;
  if (list == nullptr) return files;
  if (!list->is_array()) return bad(wrong_type(where, "an array", *list));
  if (list->size() > max_files)
    return bad(where + ": " + std::to_string(list->size()) + " files, at most " + std::to_string(max_files));
  for (std::size_t i = 0; i < list->size(); ++i) {
    BAND_TRY(ShippedFile file, file_from_json((*list)[i], where + "[" + std::to_string(i) + "]"));
    files.push_back(std::move(file));
  }
  BAND_CHECK(check_tree(files, where));
  return files;
}

}  // namespace band::wire
