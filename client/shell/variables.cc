#include "client/shell/variables.h"

#include <algorithm>
#include <iterator>

namespace band::client {
namespace {

constexpr std::string_view kOfSandbox[] = {"BAND_LIB",
                                           "BAND_MAX_COST_DOLLARS",
                                           "BAND_SCRIPT",
                                           "BASH_ENV",
                                           "CONFIG_PATH",
                                           "ERROR_PATH",
                                           "HOME",
                                           "INPUT_PATH",
                                           "LANG",
                                           "LOGNAME",
                                           "NODE_EXTRA_CA_CERTS",
                                           "OUTPUT_PATH",
                                           "PATH",
                                           "SHELL",
                                           "TERM",
                                           "TMPDIR",
                                           "SSL_CERT_FILE",
                                           "USER"};
constexpr std::string_view kOfBash[] = {"CHILD_MAX",
                                        "COLUMNS",
                                        "COMPREPLY",
                                        "COPROC",
                                        "DIRSTACK",
                                        "EMACS",
                                        "ENV",
                                        "EPOCHREALTIME",
                                        "EPOCHSECONDS",
                                        "EUID",
                                        "EXECIGNORE",
                                        "FCEDIT",
                                        "FIGNORE",
                                        "FUNCNAME",
                                        "FUNCNEST",
                                        "GLOBIGNORE",
                                        "GROUPS",
                                        "HISTCMD",
                                        "HISTCONTROL",
                                        "HISTFILE",
                                        "HISTFILESIZE",
                                        "HISTIGNORE",
                                        "HISTSIZE",
                                        "HISTTIMEFORMAT",
                                        "HOSTFILE",
                                        "HOSTNAME",
                                        "HOSTTYPE",
                                        "IFS",
                                        "IGNOREEOF",
                                        "INPUTRC",
                                        "LINENO",
                                        "LINES",
                                        "MACHTYPE",
                                        "MAILCHECK",
                                        "MAPFILE",
                                        "OLDPWD",
                                        "OPTARG",
                                        "OPTERR",
                                        "OPTIND",
                                        "OSTYPE",
                                        "PIPESTATUS",
                                        "POSIXLY_CORRECT",
                                        "PPID",
                                        "PROMPT_COMMAND",
                                        "PROMPT_DIRTRIM",
                                        "PS0",
                                        "PS1",
                                        "PS2",
                                        "PS3",
                                        "PS4",
                                        "PWD",
                                        "RANDOM",
                                        "REPLY",
                                        "SECONDS",
                                        "SHELLOPTS",
                                        "SHLVL",
                                        "SRANDOM",
                                        "TIMEFORMAT",
                                        "TMOUT",
                                        "TZ",
                                        "UID",
                                        "_"};
constexpr std::string_view kPrefixes[] = {"BASH", "COMP_", "LC_", "READLINE_"};

}  // namespace

bool is_set_by_shell_or_band(std::string_view name) {
  return std::find(std::begin(kOfSandbox), std::end(kOfSandbox), name) != std::end(kOfSandbox) ||
         std::find(std::begin(kOfBash), std::end(kOfBash), name) != std::end(kOfBash) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace band::client
