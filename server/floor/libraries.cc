#include "server/floor/libraries.h"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <sstream>

#include "server/base/child.h"
#include "server/base/io.h"

namespace band::floor {
namespace {

constexpr std::int64_t kLinkerMs = 10'000;  // the linker usually needs milliseconds, on a busy machine seconds
constexpr std::size_t kMaxListBytes = 4 << 20;

// Returns the path in the PT_INTERP segment (elf(5)); empty when there is none or the file is not a 64-bit ELF file.
Result<std::string> interpreter_of(const std::string& program) {
  base::Fd fd(::open(program.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return layer_error("floor", "cannot open " + program, errno);
  Elf64_Ehdr header{};
  if (::pread(fd.get(), &header, sizeof header, 0) != sizeof header) return std::string();
  if (std::string_view(reinterpret_cast<const char*>(header.e_ident), SELFMAG) != ELFMAG ||
      header.e_ident[EI_CLASS] != ELFCLASS64)
    return std::string();
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    const auto at = static_cast<off_t>(header.e_phoff + static_cast<std::uint64_t>(i) * sizeof segment);
    if (::pread(fd.get(), &segment, sizeof segment, at) != sizeof segment) break;
    if (segment.p_type != PT_INTERP || segment.p_filesz == 0 || segment.p_filesz > 4096) continue;
    std::string path(segment.p_filesz - 1, '\0');  // without the final NUL
    if (::pread(fd.get(), path.data(), path.size(), static_cast<off_t>(segment.p_offset)) ==
        static_cast<ssize_t>(path.size()))
      return path;
  }
  return std::string();
}

// "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f...)"; the vDSO and ld.so itself have no "=>".
std::vector<std::string> files_in(const std::string& text) {
  std::vector<std::string> files;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const std::size_t arrow = line.find(" => /");
    if (arrow != std::string::npos) files.push_back(line.substr(arrow + 4, line.rfind(" (") - arrow - 4));
  }
  return files;
}

// Reads until EOF. Returns ETIMEDOUT when base::monotonic_us() reaches `until_us`.
Result<std::string> read_until(int fd, std::int64_t until_us) {
  std::string text;
  for (;;) {
    const std::int64_t left_ms = std::max<std::int64_t>((until_us - base::monotonic_us() + 999) / 1000, 0);
    pollfd readable{fd, POLLIN, 0};
    const int ready = ::poll(&readable, 1, static_cast<int>(left_ms));
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return layer_error("floor", "cannot poll", errno);
    if (ready == 0) return layer_error("floor", "cannot read", ETIMEDOUT);
    char bytes[65536];
    const ssize_t n = ::read(fd, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return layer_error("floor", "cannot read", errno);
    if (n == 0) return text;
    text.append(bytes, static_cast<std::size_t>(n));
    if (text.size() > kMaxListBytes) return layer_error("floor", "cannot read", EFBIG);
  }
}

// The destructor of base::Child kills a linker that has not exited in time.
Result<std::vector<std::string>> ask_linker(std::vector<std::string> argv) {
  const std::string doing = "cannot list the libraries of " + argv.back() + " with " + argv.front();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return layer_error("floor", "cannot make a pipe", errno);
  base::Fd output(ends[0]), input(ends[1]);
  base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::int64_t until_us = base::monotonic_us() + kLinkerMs * 1000;
  BAND_TRY(base::Child child, base::spawn({std::move(argv), {"LC_ALL=C"}, {null.get(), input.get(), null.get()}}));
  input.reset();
  const auto text = read_until(output.get(), until_us);
  const std::int64_t left_ms = std::max<std::int64_t>((until_us - base::monotonic_us()) / 1000, 0);
  const auto exit = text.ok() ? child.wait(static_cast<int>(left_ms)) : std::nullopt;
  if ((!text.ok() && text.error().err == ETIMEDOUT) || (text.ok() && !exit))
    return layer_error("floor", doing + ": the linker did not exit within " + std::to_string(kLinkerMs / 1000) + " s",
                       0);
  if (!text.ok()) return layer_error("floor", doing, text.error().err);
  if (exit->signalled || exit->code != 0) return layer_error("floor", doing, ENOEXEC);
  return files_in(*text);
}

// The linker fails if one of the modules cannot be loaded on this machine. The list is then split into halves, and the
// linker is run for each half.
void ask_modules(const std::string& interpreter, const std::string& program, const std::string* first,
                 const std::string* last, std::vector<std::string>& files) {
  constexpr std::size_t kMaxArgument = 128 << 10;  // MAX_ARG_STRLEN of the kernel
  if (first == last) return;
  std::string names;
  for (const std::string* module = first; module != last; ++module) names += *module + " ";
  if (names.size() < kMaxArgument) {
    const auto found = ask_linker({interpreter, "--preload", names, "--list", program});
    if (found.ok()) files.insert(files.end(), found->begin(), found->end());
    if (found.ok()) return;
  }
  if (last - first == 1) return;
  const std::string* middle = first + (last - first) / 2;
  ask_modules(interpreter, program, first, middle, files);
  ask_modules(interpreter, program, middle, last, files);
}

}  // namespace

Result<Libraries> libraries_of(const std::string& program) {
  Libraries result;
  BAND_TRY(result.interpreter, interpreter_of(program));
  if (result.interpreter.empty()) return result;
  if (::access(result.interpreter.c_str(), X_OK) != 0)
    return layer_error("floor", "cannot start " + program + " with its dynamic linker " + result.interpreter, errno,
                       "install a program that was built for the processor and C library of this machine");
  BAND_TRY(result.files, ask_linker({result.interpreter, "--list", program}));
  return result;
}

std::vector<std::string> libraries_of_modules(const std::string& interpreter, const std::string& program,
                                              std::vector<std::string> modules) {
  // Paths with a space or colon are left out, because --preload treats both characters as separators.
  std::erase_if(modules, [](const std::string& path) { return path.find_first_of(" :") != std::string::npos; });
  std::vector<std::string> files;
  ask_modules(interpreter, program, modules.data(), modules.data() + modules.size(), files);
  return files;
}

}  // namespace band::floor
