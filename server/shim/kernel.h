// System calls for a program without a C library (band-shim), and the few functions that the compiler calls implicitly.
//
// The shim has no C library, because the start-up of glibc before main() needs more time than the whole shim: glibc
// queries the features of the processor with cpuid, and in a virtual machine each cpuid exits to the hypervisor. On a
// machine where one cpuid needs 5.6 us, this costs 0.4 ms per start.
#pragma once

#include <sys/syscall.h>

#include <cstddef>
#include <cstdint>

namespace band::shim::kernel {

// Returns the result, or -errno. An argument is a number or a pointer.
template <class... Arguments>
inline long call(long number, Arguments... arguments) {
  static_assert(sizeof...(arguments) <= 6 && ((sizeof(Arguments) <= sizeof(long)) && ...));
  const long values[6] = {(long)arguments...};  // NOLINT: also pointers
#if defined(__x86_64__)
  register long fourth asm("r10") = values[3];
  register long fifth asm("r8") = values[4];
  register long sixth asm("r9") = values[5];
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(values[0]), "S"(values[1]), "d"(values[2]), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long which asm("x8") = number;
  register long first asm("x0") = values[0];
  register long second asm("x1") = values[1];
  register long third asm("x2") = values[2];
  register long fourth asm("x3") = values[3];
  register long fifth asm("x4") = values[4];
  register long sixth asm("x5") = values[5];
  asm volatile("svc 0"
               : "+r"(first)
               : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
               : "memory");
  return first;
#else
#error "system calls of this architecture"
#endif
}

[[noreturn]] inline void exit(int status) {
  for (;;) call(SYS_exit_group, status);
}

// Signal sets in the format of the kernel, which is not the format of libc: bit N-1 is signal N.
constexpr std::uint64_t bit_of(int signal) { return std::uint64_t{1} << (signal - 1); }

// The structure of rt_sigaction(2), which is not the structure of signal.h. If all members are zero, the action is the
// default action.
struct SignalAction {
  std::uint64_t handler = 0, flags = 0, restorer = 0, mask = 0;
};

// An entry of getdents64(2): inode and offset (8 bytes each), size of the entry (2 bytes), type (1 byte), name.
inline std::size_t size_of_entry(const char* entry) {
  return static_cast<unsigned char>(entry[16]) + (std::size_t{static_cast<unsigned char>(entry[17])} << 8);
}
inline const char* name_of_entry(const char* entry) { return entry + 19; }

}  // namespace band::shim::kernel

// The program's entry point: aligns the stack as the ABI requires and passes the initial stack pointer (argc, argv,
// environment, auxv) to band_shim_start.
#if defined(__x86_64__)
asm(".globl _start\n_start: xor %ebp, %ebp\n mov %rsp, %rdi\n and $-16, %rsp\n call band_shim_start\n hlt\n");
#elif defined(__aarch64__)
asm(".globl _start\n_start: mov x29, #0\n mov x30, #0\n mov x0, sp\n bl band_shim_start\n");
#endif

extern "C" {
inline __attribute__((used)) void* memcpy(void* to, const void* from, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
  return to;
}
inline __attribute__((used)) void* memset(void* to, int byte, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) static_cast<char*>(to)[i] = static_cast<char>(byte);
  return to;
}
inline __attribute__((used)) std::size_t strlen(const char* text) {
  std::size_t size = 0;
  while (text[size] != '\0') ++size;
  return size;
}
inline __attribute__((used)) int strcmp(const char* one, const char* two) {
  while (*one != '\0' && *one == *two) ++one, ++two;
  return static_cast<unsigned char>(*one) - static_cast<unsigned char>(*two);
}
}
