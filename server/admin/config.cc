#include "server/admin/setup.h"

namespace band::admin {

std::string default_config() {
  return R"(# The operator's settings of this band server. Every line below that begins with `#:` is a default, or an example if
# marked as such. To change a setting, remove its `#:`, then run `band-server check`, `band-server stop`,
# `band-server start`. schemas/server.schema.json defines the accepted settings, docs/server.md explains them.

# The server's address: a loopback address and a port.
#: listen: "127.0.0.1:7433"

# The number of concurrent executions (here for 4 processors: twice their number, at least 4), and the first of the
# user ids that they run as. No other user may have an id in this range.
#: slots: {count: 8, uid_base: 1879048192}
# One token can use all slots but one at a time, or all while it is the only token; `per_token` in the same map sets
# another limit. Slots are started when they are needed; `spare` is the number that is started in advance.

# How many executions may wait for a slot, in total and per token. When the queue is full, the server immediately
# answers that it is busy.
#: queue: {length: 64, per_token: 32}

# The maximum number of concurrent connections.
#: max_connections: 64

# The directories of the server's state, and of files that exist only while it runs.
#: state: /var/lib/band
#: run: /run/band

# The lowest level of messages that are logged: trace, debug, info, warn or error.
#: log: {level: info}

# The directories of programs that a band may declare, in addition to /usr/bin, /bin and /usr/sbin (an example), and
# the package, the programs and the files that such a program needs.
#: commands:
#:   directories: [/usr/local/bin]
#:   programs:
#:     tool: {package: tool-cli, starts: nothing, read: [/usr/local/share/tool]}

# What scripts can reach in addition to public addresses, and how (an example; by default: no private address, the
# machine's resolver, no proxy, only the machine's certificates).
#: gateway:
#:   resolve: {api.example.com: "192.0.2.1:8443"}
#:   allow_private: [10.1.0.0/16]
#:   upstream_proxy: "http://proxy.example:3128"
#:   extra_ca: /etc/band/company.pem
#:   connect_timeout: 10s
#:   limit: {connections: 512, connections_per_second: 50, names: 4096, bytes: 10g}

# Limits that no band can exceed. By default no absolute path below /etc, /root, /home, /boot, /dev, /proc, /sys, /run
# and /var/lib can be opened. EVERYTHING ELSE IS LEFT TO FILE PERMISSIONS: every holder of a token can read what all
# users may read in /srv, /opt, /mnt, /usr/local or /var/log, and write in /var/tmp. An `allow` list, as in this
# example, closes every path that is not in it; a `deny` list replaces the default one. By default no execution runs
# longer than one hour:
#: ceiling:
#:   allow:
#:     read: ["./**", "/srv/data/**"]
#:     write: ["./**"]
#:   limit: {maxRuntimeMs: 10m, maxMemoryBytes: 1g}
)";
}

}  // namespace band::admin
