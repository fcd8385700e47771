// Options that ThreadSanitizer's runtime queries from a program. Linked into every program of the preset tsan, because
// band-http has an environment without TSAN_OPTIONS.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "halt_on_error=1:abort_on_error=1"; }

// libcpp-httplib is not instrumented: ThreadSanitizer does not see that it initializes a static before others read it.
extern "C" const char* __tsan_default_suppressions();
// Nor does it see its locks, except an unlock that is a tail call of its stop(), which is attributed to band's
// function.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libcpp-httplib\nmutex:band::client::Daemon::stop";
}
