#include "server/admin/setup.h"

namespace band::admin {

std::string default_config() {
  return R"(# What the operator of this band server decides. Every line below that begins with `#:` is a default, or an example
# where it says so: take the `#:` away to change it, then `band-server check`, `band-server stop`, `band-server start`.
# schemas/server.schema.json is what is accepted, docs/server.md explains it.

# Where the server listens: a loopback address and a port.
#: listen: "127.0.0.1:7433"

# Executions at the same time (here for 4 processors: twice their number, at least 4), and the first of the user ids
# that they run as. Nobody else may have ids of that range.
#: slots: {count: 8, uid_base: 1879048192}
# One token holds at most all but one of them at a time, or all while it is the only token; `per_token` in the same map sets
# another number. Slots are started when they are needed; `spare` says how many ahead.

# Executions that wait for a slot; beyond that a caller is told at once that the server is busy.
#: queue: {length: 64, per_token: 32}

# Connections at the same time.
#: max_connections: 64

# Where state is kept, and what lives as long as the server.
#: state: /var/lib/band
#: run: /run/band

# The least important messages that are logged: trace, debug, info, warn or error.
#: log: {level: info}

# Where the programs are that a band may declare, beside /usr/bin, /bin and /usr/sbin (an example), and what they need.
#: commands:
#:   directories: [/usr/local/bin]
#:   programs:
#:     tool: {package: tool-cli, starts: nothing, read: [/usr/local/share/tool]}

# What scripts reach beyond public addresses, and how (an example; without it nothing private, by the machine's resolver,
# no proxy, no certificates but the machine's).
#: gateway:
#:   resolve: {api.example.com: "192.0.2.1:8443"}
#:   allow_private: [10.1.0.0/16]
#:   upstream_proxy: "http://proxy.example:3128"
#:   extra_ca: /etc/band/company.pem
#:   connect_timeout: 10s
#:   limit: {connections: 512, connections_per_second: 50, names: 4096, bytes: 10g}

# What no band can get beyond, whatever it opens. Unless said, no absolute path below /etc, /root, /home, /boot, /dev,
# /proc, /sys, /run and /var/lib can be opened. EVERYTHING ELSE IS LEFT TO FILE PERMISSIONS: whoever has a token can read
# what all may read in /srv, /opt, /mnt, /usr/local or /var/log, and write in /var/tmp. An `allow` list, as in this
# example, closes all that is not in it; a `deny` list takes the place of the default one. Unless said, no execution runs
# longer than an hour:
#: ceiling:
#:   allow:
#:     read: ["./**", "/srv/data/**"]
#:     write: ["./**"]
#:   limit: {maxRuntimeMs: 10m, maxMemoryBytes: 1g}
)";
}

}  // namespace band::admin
