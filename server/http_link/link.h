// The protocol between band-http ("http" below), the process that serves HTTP to clients, and the engine, the process
// that runs the executions. The engine does not trust band-http and checks every message as untrusted input. band-http
// checks only the form of the engine's messages.
//
// The control channel is a SOCK_SEQPACKET pair (server/base/channel.h), descriptor 3 of band-http. Each message is one
// JSON object. In the list, "fds:" names the descriptors that are attached to a message. Each request has its own reply
// socket (SOCK_STREAM), so answers never mix.
//
//   http -> engine
//     {"op":"listening","port":7433}
//         Once: the listening socket is bound to this port
//     {"op":"configured","number":3}
//         From now on every request uses the config with this number
//     {"op":"exec","token":"laptop","token_id":"8 hex","events":true}   fds: body, reply
//         The body is a memfd that is sealed against all changes. With "events":false the engine sends no event except
//         the result
//     {"op":"cancel","token":"laptop","token_id":"8 hex","id":"..."}    fds: reply
//     {"op":"input","token":"laptop","token_id":"8 hex","id":"..."}     fds: reply
//         On the reply socket, http also writes the standard input (input.h)
//     {"op":"health","token":"laptop","token_id":"8 hex"}               fds: reply
//         The answer lists the executions of this caller, and of no other
//     {"op":"metrics"}                                                  fds: reply
//   engine -> http
//     {"op":"config","number":3,"address":"127.0.0.1","port":7433,"connections":64,
//      "tokens":[{"name":"laptop","id":"8 hex","hash":"64 hex"}],"source":"64 hex","features":["..."]}
//         At the start and when tokens change. The engine sends the next config only after "configured" has confirmed
//         the previous one. http sends "source" and "features" (schemas/wire/features.h) to clients with each proof
//
// On a reply socket the engine writes JSON lines, and then closes the socket. The first line decides the HTTP status:
//     {"status":200}                                events follow
//     {"status":200,"stall_ms":60000}               events follow; the client may leave them unread for 60,000 ms
//     {"status":503,"retry_after":2,"error":{...}}  nothing follows; "retry_after" is in seconds and can be absent
// The lines after status 200 are:
//   health, cancel, input: {"event":"result","body":{...}}
//   metrics: {"event":"result","text":"..."}
//   exec: any number of
//     {"event":"limit","text":"..."} {"event":"started","id":"..."} {"event":"stdout","data":"..."}
//     {"event":"stderr","data":"..."} {"event":"stdout","base64":"..."}
//   and last
//     {"event":"result","answer":{...}}
// Lines are in the form of dump_json(): without white space, and "event" is before "answer". band-http finds an answer
// by its position in the line and does not parse the answer, which may be as large as 90 MiB. When the line with the
// result is missing, band-http closes the client's connection without the last chunk of the body, so the client detects
// the truncation. Events with other names ("command", "net") are passed on unchanged.
#pragma once

namespace band::http {

inline constexpr int kControlFd = 3;

}  // namespace band::http
