#include "schemas/json_schema/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "schemas/core/json.h"
#include "schemas/json_schema/keywords.h"

namespace band {
namespace {

namespace fs = std::filesystem;

Error cannot_read(const std::string& name, int err, const std::string& problem, std::string hint) {
  return Error{.code = Code::SkillInvalid,
               .doing = "cannot read schema " + name + (problem.empty() ? "" : ": " + problem),
               .err = err,
               .hint = std::move(hint)};
}

struct Closer {
  int fd;
  ~Closer() { ::close(fd); }
};

// Reads a regular file of at most kMaxSchemaBytes; non-blocking, because opening a FIFO would block.
Result<std::string> read_regular(const fs::path& path, const std::string& name) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0) return cannot_read(name, errno, "", "");
  const Closer closer{fd};
  struct stat status = {};
  if (::fstat(fd, &status) != 0) return cannot_read(name, errno, "", "");
  if (!S_ISREG(status.st_mode)) return cannot_read(name, 0, "not a regular file", "write the schema into a file");
  std::string text(kMaxSchemaBytes + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t got = ::read(fd, text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(name, errno, "", "");
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  if (length > kMaxSchemaBytes)
    return cannot_read(name, 0, "over " + std::to_string(kMaxSchemaBytes) + " bytes",
                       "split it, or leave out examples");
  text.resize(length);
  return text;
}

}  // namespace

Result<SchemaFiles> SchemaFiles::beneath(const fs::path& root) {
  std::error_code error;
  SchemaFiles files;
  files.root_ = fs::canonical(root, error);
  if (error)
    return cannot_read(root.string(), error.value(), "", "put the skill's schemas into its directory `schemas`");
  files.has_root_ = true;
  return files;
}

Result<const SchemaFiles::Document*> SchemaFiles::open(const fs::path& path) {
  if (!has_root_)
    return cannot_read(path.string(), 0, "this schema may not refer to files", "use \"#/definitions/...\"");
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  const std::string shown = path.lexically_relative(root_).generic_string();
  if (error)
    return cannot_read(shown.empty() ? path.string() : shown, error.value(), "",
                       "check the path; references are relative to the file that contains them");
  if (std::mismatch(root_.begin(), root_.end(), real.begin(), real.end()).first != root_.end())
    return cannot_read(path.string(), 0, "the file is outside " + root_.string(),
                       "keep shared schemas in the skill's schemas/defs, as files and not as links to other places");
  const std::string name = real.lexically_relative(root_).generic_string();
  if (const auto known = documents_.find(name); known != documents_.end()) return &known->second;
  if (documents_.size() >= kMaxSchemaFiles)
    return cannot_read(name, 0, "a schema can have at most " + std::to_string(kMaxSchemaFiles) + " files",
                       "merge some of the files");
  BAND_TRY(const std::string text, read_regular(real, name));
  Result<Json> content = parse_json(text, name);
  if (!content.ok()) {
    Error refused = std::move(content).error();
    refused.code = Code::SkillInvalid;
    refused.doing = "cannot read schema " + refused.doing;
    return refused;
  }
  return add(name, std::move(content).value());
}

Result<const SchemaFiles::Document*> SchemaFiles::open_from(const Document& from, const std::string& relative) {
  const fs::path path(relative);
  if (path.is_absolute())
    return cannot_read(relative, 0, "an absolute path", "write it relative to the file that contains the reference");
  return open(root_ / fs::path(from.name).parent_path() / path);
}

const SchemaFiles::Document* SchemaFiles::add(const std::string& name, Json content) {
  return &documents_.insert_or_assign(name, Document{name, std::move(content)}).first->second;
}

}  // namespace band
