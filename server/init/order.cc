#include "server/init/order.h"

#include "server/init/codec.h"

namespace band::init {

std::string encode(const syscalls::Filter& filter) {
  Writer out;
  for (const std::string* program : {&filter.list, &filter.arguments, &filter.after_setup, &filter.watcher})
    out.text(*program);
  return out.release();
}

Result<syscalls::Filter> decode_filter(std::string_view bytes) {
  Reader in(bytes);
  syscalls::Filter filter;
  for (std::string* program : {&filter.list, &filter.arguments, &filter.after_setup, &filter.watcher})
    *program = in.text();
  if (!in.ok() || !in.at_end()) return layer_error("init", "the seccomp filter is malformed", 0);
  return filter;
}

}  // namespace band::init
