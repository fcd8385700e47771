// The paths of band's files in the views (the file systems of the sandboxes). Scripts find the paths that they need in
// environment variables ($INPUT_PATH, ...).
#pragma once

#include <string>
#include <string_view>

namespace band::layout {

inline constexpr const char* kShell = "/usr/bin/bash";
inline constexpr const char* kWork = "/work";
inline constexpr const char* kInput = "/band/in/input.json";
inline constexpr const char* kConfig = "/band/in/config.json";
// The skill's files: the directories scripts/SCRIPT (run.sh and the files next to it), assets and references.
// scripts/_lib is a link to kLib.
inline constexpr const char* kSkill = "/band/skill";
inline constexpr const char* kLib = "/band/skill/lib";
inline constexpr const char* kLibLink = "/band/skill/scripts/_lib";
// `name`: "skill/script", as checked by is_script_name(). The part after "/" is therefore not `_lib` or `..`.
inline std::string script_file(std::string_view name) {
  return std::string(kSkill) + "/scripts/" + std::string(name.substr(name.find('/') + 1)) + "/run.sh";
}
inline constexpr const char* kOut = "/band/out";
inline constexpr const char* kOutputName = "output.json";
inline constexpr const char* kErrorName = "error.json";
// Each file in kBin has the name of a declared command, or of an essential (a program that every sandbox has) that a
// cli rule names. The file is a link to the shim, which sends the command line to the socket kBroker. There the broker
// compares the command line with the rules.
inline constexpr const char* kBin = "/band/bin";
inline constexpr const char* kShim = "/usr/lib/band/band-shim";
inline constexpr const char* kBroker = "/band/broker";
inline constexpr const char* kPrelude = "/band/in/prelude.sh";  // bash reads it before the script (BASH_ENV)
inline constexpr const char* kHomes = "/band/home";             // one home per command, only in the command view
// The certificates of certification authorities. kCertificates has those that most programs trust: the machine's and
// the operator's. kExtraCertificates has only the operator's, for Node.js, which has the others built in.
inline constexpr const char* kCertificates = "/etc/ssl/certs/ca-certificates.crt";
inline constexpr const char* kExtraCertificates = "/etc/ssl/certs/band-extra-ca.crt";
// A file for a check of Landlock: the file's mode lets every user read the file, but no Landlock rule allows that. An
// attempt to open the file must therefore fail (server/init/become.cc).
inline constexpr const char* kCanary = "/band/canary";

}  // namespace band::layout
