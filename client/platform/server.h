// Where band-server can run.
#pragma once

namespace band::client {

// True on systems where band-server runs directly, not only in a virtual machine or on another machine.
#ifdef __linux__
inline constexpr bool kServerRunsHere = true;
#else
inline constexpr bool kServerRunsHere = false;
#endif

}  // namespace band::client
