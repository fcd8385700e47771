// What ThreadSanitizer's runtime asks a program for. Linked into every program of the preset tsan: band-http has an
// environment of its own, which TSAN_OPTIONS does not reach.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "halt_on_error=1:abort_on_error=1"; }

// libcpp-httplib is not instrumented: that it makes a local static before another thread reads it is not seen.
extern "C" const char* __tsan_default_suppressions();
// So its locks are not seen either, but for an unlock that is the last call of its stop(), which looks like ours.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libcpp-httplib\nmutex:band::client::Daemon::stop";
}
