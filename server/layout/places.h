// Where things are in every view. Scripts learn the ones that concern them from variables ($INPUT_PATH, ...).
#pragma once

#include <string>
#include <string_view>

namespace band::layout {

inline constexpr const char* kInit = "/usr/lib/band/band-init";
inline constexpr const char* kShell = "/usr/bin/bash";
inline constexpr const char* kWork = "/work";
inline constexpr const char* kInput = "/band/in/input.json";
inline constexpr const char* kConfig = "/band/in/config.json";
// The skill as its author has it: run.sh and what lies beside it below scripts/SCRIPT, assets, references. scripts/_lib
// is a link to kLib.
inline constexpr const char* kSkill = "/band/skill";
inline constexpr const char* kLib = "/band/skill/lib";
inline constexpr const char* kLibLink = "/band/skill/scripts/_lib";
// Of "skill/script", which is_script_name has checked: no `_lib` and no `..` can be the second part.
inline std::string script_file(std::string_view name) {
  return std::string(kSkill) + "/scripts/" + std::string(name.substr(name.find('/') + 1)) + "/run.sh";
}
inline constexpr const char* kOut = "/band/out";
inline constexpr const char* kOutputName = "output.json";
inline constexpr const char* kErrorName = "error.json";
// Declared commands: links in kBin lead to the shim, which asks at kBroker.
inline constexpr const char* kBin = "/band/bin";
inline constexpr const char* kShim = "/usr/lib/band/band-shim";
inline constexpr const char* kBroker = "/band/broker";
inline constexpr const char* kPrelude = "/band/in/prelude.sh";  // bash reads it first (BASH_ENV)
inline constexpr const char* kHomes = "/band/home";             // of commands, one each; not in the script view
// What programs trust: the machine's bundle and the operator's own certificates, and those alone (for Node.js, which
// has a bundle of its own).
inline constexpr const char* kCertificates = "/etc/ssl/certs/ca-certificates.crt";
inline constexpr const char* kExtraCertificates = "/etc/ssl/certs/band-extra-ca.crt";
// A file that no Landlock rule grants although its mode does: opening it must fail.
inline constexpr const char* kCanary = "/band/canary";

}  // namespace band::layout
