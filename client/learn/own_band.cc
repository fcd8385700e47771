#include "client/learn/own_band.h"

#include <filesystem>

#include "schemas/core/json_text.h"

namespace band::client::learn {
namespace {

namespace fs = std::filesystem;

// Returns `file` relative to the directory of `own_file`; both are paths as origins name them.
std::string seen_from(const fs::path& own_file, const fs::path& file) {
  return file.lexically_normal().lexically_relative(own_file.parent_path()).generic_string();
}

// "maxRuntimeMs: 10m, maxFiles: 5"; "" if the band sets no limit.
std::string limits_text(const Limits& limits) {
  std::string text;
  const auto add = [&](const std::string& name, const std::string& value) {
    text.append(text.empty() ? "" : ", ").append(name).append(": ").append(value);
  };
  for (const LimitKey& key : kLimitKeys)
    if (limits.*key.member) add(key.name, limit_in_units(key, *(limits.*key.member)));
  if (limits.maxCostDollars) add("maxCostDollars", dollars_text(*limits.maxCostDollars));
  return text;
}

}  // namespace

std::string own_band_text(const ComposedBand& shared, const std::string& own_file) {
  const BandFile& band = shared.band;
  const fs::path directory = fs::path(band.file).parent_path();  // its paths are relative to this
  const std::string included = seen_from(own_file, shared.files.front());
  std::string text = "---\nband: " + band.name + "\n# This script has all permissions of the other scripts, too.\n" +
                     "includes: " + json_string(included) + "\n";
  std::vector<std::string> extends;
  for (const std::string& path : band.extends) extends.push_back(seen_from(own_file, directory / path));
  if (!extends.empty()) text += "extends: " + json_list(extends) + "\n";
  if (!band.min_band_version.empty()) text += "requires: {band: " + json_string(band.min_band_version) + "}\n";
  if (!band.targets.empty()) text += "execution: {targets: " + json_list(band.targets) + "}\n";
  std::string contract;
  for (const auto& [key, path] : {std::pair("input", &band.input_schema), std::pair("output", &band.output_schema)})
    if (!path->empty())
      contract += (contract.empty() ? "" : ", ") + std::string(key) + ": " +
                  json_string(seen_from(own_file, directory / *path));
  if (!contract.empty()) text += "contract: {" + contract + "}\n";
  if (const std::string limits = limits_text(shared.rules.limit); !limits.empty()) text += "limit: {" + limits + "}\n";
  return text + "---\n\nWhat this script may do beyond `" + included + "`.\n";
}

}  // namespace band::client::learn
