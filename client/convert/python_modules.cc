#include "client/convert/python_modules.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace band::client {
namespace {

// sys.stdlib_module_names of Python 3.11, without those that begin with `_`; sorted.
constexpr std::string_view kModules[] = {
    "__future__",   "abc",          "aifc",         "antigravity", "argparse",    "array",
    "ast",          "asynchat",     "asyncio",      "asyncore",    "atexit",      "audioop",
    "base64",       "bdb",          "binascii",     "bisect",      "builtins",    "bz2",
    "cProfile",     "calendar",     "cgi",          "cgitb",       "chunk",       "cmath",
    "cmd",          "code",         "codecs",       "codeop",      "collections", "colorsys",
    "compileall",   "concurrent",   "configparser", "contextlib",  "contextvars", "copy",
    "copyreg",      "crypt",        "csv",          "ctypes",      "curses",      "dataclasses",
    "datetime",     "dbm",          "decimal",      "difflib",     "dis",         "distutils",
    "doctest",      "email",        "encodings",    "ensurepip",   "enum",        "errno",
    "faulthandler", "fcntl",        "filecmp",      "fileinput",   "fnmatch",     "fractions",
    "ftplib",       "functools",    "gc",           "genericpath", "getopt",      "getpass",
    "gettext",      "glob",         "graphlib",     "grp",         "gzip",        "hashlib",
    "heapq",        "hmac",         "html",         "http",        "idlelib",     "imaplib",
    "imghdr",       "imp",          "importlib",    "inspect",     "io",          "ipaddress",
    "itertools",    "json",         "keyword",      "lib2to3",     "linecache",   "locale",
    "logging",      "lzma",         "mailbox",      "mailcap",     "marshal",     "math",
    "mimetypes",    "mmap",         "modulefinder", "msilib",      "msvcrt",      "multiprocessing",
    "netrc",        "nis",          "nntplib",      "nt",          "ntpath",      "nturl2path",
    "numbers",      "opcode",       "operator",     "optparse",    "os",          "ossaudiodev",
    "pathlib",      "pdb",          "pickle",       "pickletools", "pipes",       "pkgutil",
    "platform",     "plistlib",     "poplib",       "posix",       "posixpath",   "pprint",
    "profile",      "pstats",       "pty",          "pwd",         "py_compile",  "pyclbr",
    "pydoc",        "pydoc_data",   "pyexpat",      "queue",       "quopri",      "random",
    "re",           "readline",     "reprlib",      "resource",    "rlcompleter", "runpy",
    "sched",        "secrets",      "select",       "selectors",   "shelve",      "shlex",
    "shutil",       "signal",       "site",         "smtpd",       "smtplib",     "sndhdr",
    "socket",       "socketserver", "spwd",         "sqlite3",     "sre_compile", "sre_constants",
    "sre_parse",    "ssl",          "stat",         "statistics",  "string",      "stringprep",
    "struct",       "subprocess",   "sunau",        "symtable",    "sys",         "sysconfig",
    "syslog",       "tabnanny",     "tarfile",      "telnetlib",   "tempfile",    "termios",
    "textwrap",     "this",         "threading",    "time",        "timeit",      "tkinter",
    "token",        "tokenize",     "tomllib",      "trace",       "traceback",   "tracemalloc",
    "tty",          "turtle",       "turtledemo",   "types",       "typing",      "unicodedata",
    "unittest",     "urllib",       "uu",           "uuid",        "venv",        "warnings",
    "wave",         "weakref",      "webbrowser",   "winreg",      "winsound",    "wsgiref",
    "xdrlib",       "xml",          "xmlrpc",       "zipapp",      "zipfile",     "zipimport",
    "zlib",         "zoneinfo",
};

// Modules whose Debian package has another name.
constexpr std::pair<std::string_view, std::string_view> kPackages[] = {
    {"Crypto", "python3-pycryptodome"},
    {"PIL", "python3-pil"},
    {"attr", "python3-attr"},
    {"cv2", "python3-opencv"},
    {"dateutil", "python3-dateutil"},
    {"fitz", "python3-fitz"},
    {"git", "python3-git"},
    {"magic", "python3-magic"},
    {"pkg_resources", "python3-pkg-resources"},
    {"pptx", "python3-pptx"},
    {"serial", "python3-serial"},
    {"skimage", "python3-skimage"},
    {"PyPDF2", "python3-pypdf2"},
    {"pytz", "python3-tz"},
    {"setuptools", "python3-setuptools"},
    {"usb", "python3-usb"},
    {"zmq", "python3-zmq"},
};

}  // namespace

bool is_python_module(std::string_view name) {
  return std::binary_search(std::begin(kModules), std::end(kModules), name.substr(0, name.find('.')));
}

std::string debian_package_of(const std::string& name) {
  for (const auto& [module, package] : kPackages)
    if (module == name) return std::string(package);
  std::string package = "python3-";
  for (const char c : name) package += c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return package;
}

}  // namespace band::client
