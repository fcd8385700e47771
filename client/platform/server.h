// Where band-server can run.
#pragma once

namespace band::client {

// On this system itself, and not only in a virtual machine or on another machine.
#ifdef __linux__
inline constexpr bool kServerRunsHere = true;
#else
inline constexpr bool kServerRunsHere = false;
#endif

}  // namespace band::client
