#include "client/workspace/workspace_path.h"

#include <filesystem>
#include <vector>

#include "schemas/wire/wire.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPath = 4096;  // bytes, PATH_MAX of Linux

// Returns the part of an absolute path that follows the workspace's path; nullopt if there is none.
std::optional<std::string> after(const std::string& path, const std::string& workspace) {
  const std::string root = workspace == "/" ? "" : workspace;
  if (!path.starts_with(root) || (path.size() > root.size() && path[root.size()] != '/')) return std::nullopt;
  return path.substr(root.size());
}

// As after(), for a path in which directories above the last segment can be links.
std::optional<std::string> after_links(const std::string& path, const std::string& workspace) {
  std::error_code error;
  const fs::path whole = fs::path(path).lexically_normal();
  const fs::path parent = fs::weakly_canonical(whole.parent_path(), error);
  return error ? std::nullopt : after((parent / whole.filename()).string(), workspace);
}

// Returns the relative path with `.` and `..` resolved; nullopt if it leaves the workspace.
std::optional<std::string> normalised(std::string_view text) {
  std::vector<std::string> segments;
  for (std::string& segment : split_path(text)) {
    if (segment == ".") continue;
    if (segment != "..") {
      segments.push_back(std::move(segment));
      continue;
    }
    if (segments.empty()) return std::nullopt;
    segments.pop_back();
  }
  std::string path;
  for (const std::string& segment : segments) path = join_path(path, segment);
  return path;
}

}  // namespace

std::optional<std::string> path_in_workspace(std::string_view text, const Tree& workspace, Links links) {
  if (text.empty() || text.size() > kMostPath || text.find('\0') != std::string_view::npos) return std::nullopt;
  std::optional<std::string> relative(text);
  if (text.starts_with('/')) {
    const std::string path = std::filesystem::path(text).lexically_normal().string();
    relative = after(path, workspace.path());
    if (!relative && links == Links::Followed) relative = after_links(path, workspace.path());
  }
  if (!relative) return std::nullopt;
  auto path = normalised(*relative);
  if (!path || (!path->empty() && !is_safe_relative_path(*path))) return std::nullopt;
  return path;
}

}  // namespace band::client
