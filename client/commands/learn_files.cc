#include "client/commands/learn_files.h"

#include <map>
#include <memory>
#include <utility>

#include "client/workspace/workspace.h"
#include "schemas/core/largest.h"

namespace band::client {
namespace {

constexpr std::size_t kMostWalks = 300;

Result<ShipPlan> plan_of_pattern(const Tree& workspace, const std::string& pattern) {
  Domain read;
  read.opened.push_back({{pattern, "band learn"}});
  EffectiveLimits limits;
  limits.maxFiles = kMaxWireFiles;
  limits.maxDiskBytes = kMostBytes;
  return plan_shipment(workspace, read, limits);
}

// Returns true when the pattern opens at least one file of the workspace.
bool matches_file(const Tree& workspace, const std::string& pattern) {
  const auto plan = plan_of_pattern(workspace, pattern);
  return plan.ok() ? !plan->files.empty() : plan.error().code == Code::LimitExceeded;
}

}  // namespace

std::vector<std::string> files_of(const Tree& workspace, const std::string& pattern) {
  std::vector<std::string> files;
  const auto plan = plan_of_pattern(workspace, pattern);
  if (!plan.ok()) return files;
  for (const PlannedFile& file : plan->files) files.push_back(file.path);
  return files;
}

learn::Workspace workspace_of(const Tree* tree) {
  if (tree == nullptr)
    return {"", [](const std::string&) { return learn::FileKind::Missing; }, [](const std::string&) { return false; }};
  const auto look = [tree](const std::string& path) {
    const Tree::Kind kind = tree->resolve(path).kind;
    return kind == Tree::Kind::File        ? learn::FileKind::File
           : kind == Tree::Kind::Directory ? learn::FileKind::Directory
           : kind == Tree::Kind::Missing   ? learn::FileKind::Missing
                                           : learn::FileKind::Other;
  };
  // Each answer needs a walk through the workspace, and a script can name any number of patterns: at most kMostWalks.
  auto known = std::make_shared<std::map<std::string, bool>>();
  const auto matches = [tree, known](const std::string& pattern) {
    if (const auto found = known->find(pattern); found != known->end()) return found->second;
    return known->size() < kMostWalks && (known->emplace(pattern, matches_file(*tree, pattern)).first->second);
  };
  return {tree->path(), look, matches};
}

}  // namespace band::client
