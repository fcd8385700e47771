#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "client/hints/authored.h"
#include "client/hints/finders.h"
#include "client/terminal/terminal.h"
#include "schemas/core/network_messages.h"

namespace band::client {
namespace {

constexpr std::size_t kMostNamed = 3;
constexpr std::size_t kMostSearched = 200;  // URLs in authored texts
using End = learn::Contact::End;

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_localhost(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host.starts_with("127.") || host == "::1" ||
         host == "[::1]" || host == "0.0.0.0";
}

struct Place {
  std::string host;
  std::uint16_t port = 0;
  bool operator<(const Place& other) const { return std::tie(host, port) < std::tie(other.host, other.port); }
};

std::uint16_t port_of(std::string_view digits) {
  unsigned number = 0;
  for (const char c : digits.substr(0, 5)) number = number * 10 + static_cast<unsigned>(c - '0');
  return number <= 65535 ? static_cast<std::uint16_t>(number) : std::uint16_t{0};
}

// Adds the host and port that begin at `at`, if they are well-formed.
void add_place(std::string_view text, std::size_t at, std::set<Place>& places) {
  std::string_view rest = text.substr(at);
  if (const std::size_t user = rest.substr(0, rest.find_first_of("/ \t\n\"'")).rfind('@');
      user != std::string_view::npos)
    rest.remove_prefix(user + 1);
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-'; };
  const std::size_t size = static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_part) - rest.begin());
  std::string host(rest.substr(0, size));
  while (host.ends_with('.')) host.pop_back();
  std::uint16_t port = 0;
  if (size < rest.size() && rest[size] == ':') {
    std::string_view digits = rest.substr(size + 1);
    const auto end = std::find_if_not(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    port = port_of(digits.substr(0, static_cast<std::size_t>(end - digits.begin())));
  }
  if (!host.empty() && host.size() <= 253) places.insert({std::move(host), port});
}

// Returns the hosts of the URLs in a text, and `localhost:PORT` without a scheme.
std::set<Place> places_in(std::string_view text) {
  std::set<Place> places;
  for (std::size_t at = text.find("://"); at != std::string_view::npos && places.size() < kMostSearched;
       at = text.find("://", at + 1))
    add_place(text, at + 3, places);
  for (const std::string_view name : {"localhost:", "127.0.0.1:"})
    for (std::size_t at = text.find(name); at != std::string_view::npos && places.size() < kMostSearched;
         at = text.find(name, at + 1))
      add_place(text, at, places);
  return places;
}

// Without rules of net, the ledger has only the number of refused packets. The names are then searched in the log, and
// in the texts that the caller and the author have written.
std::set<Place> searched_places(const Failure& failure) {
  std::set<Place> places;
  for (const std::string& text : authored_texts(failure)) places.merge(places_in(text));
  return places;
}

bool logged(const Place& place, std::string_view log) { return contains(log, place.host); }

void add_localhost(const Place& place, const Inquiry& inquiry, Hints& hints) {
  const std::string shown = place.host + (place.port == 0 ? "" : ":" + std::to_string(place.port));
  const std::string mend = inquiry.mend.host(place.host, place.port);
  hints.add(Likelihood::Reported,
            printable_line(shown) +
                " is the sandbox itself, in which no server runs; for a server of the machine that "
                "runs the script" +
                (mend.empty() ? ":" : ", " + mend + ", and") +
                " the operator allows the address in server.yaml (gateway.allow_private: [127.0.0.1])");
}

void add_refused(const learn::Contact& contact, const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  const bool reported = contains(failure.log, contact.host) || reports_network_failure(failure.log);
  if (!reported && !inquiry.refusals_count()) return;
  if (contains(contact.text, "allow_private")) {
    hints.add(Likelihood::Reported, printable_line(contact.host) +
                                        " has an address that is not public: the operator of the server allows it in "
                                        "server.yaml (gateway.allow_private)");
    return;
  }
  if (is_localhost(contact.host)) return add_localhost({contact.host, contact.port}, inquiry, hints);
  if (!contact.section.empty() && !contact.section.starts_with("deny")) return;  // not for lack of a rule
  std::string text = "the band does not allow the host " + printable_line(contact.host);
  const std::string mend = inquiry.mend.host(contact.host, contact.port);
  if (mend.empty()) return;
  text += is_authored(contact.host, failure) ? "; " + mend : std::string(kFromData);
  hints.add(reported ? Likelihood::Reported : Likelihood::Refused, std::move(text));
}

// For rules without net: no connection and no lookup is in the ledger.
void find_without_net(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  const bool reported = reports_network_failure(failure.log);
  if (!reported && !contains(failure.log, "Permission denied") && !contains(failure.log, "EACCES") &&
      !inquiry.refusals_count())
    return;
  const std::set<Place> authored = searched_places(failure);
  std::size_t named = 0;
  bool any = false;
  for (const bool by_log : {true, false})
    for (const Place& place : authored) {
      if (logged(place, failure.log) != by_log || (!by_log && any) || named >= kMostNamed) continue;
      if (is_localhost(place.host)) {
        add_localhost(place, inquiry, hints);
      } else if (reported || inquiry.evidence.refused_packets > 0) {
        const std::string mend = inquiry.mend.host(place.host, place.port);
        if (mend.empty()) continue;
        hints.add(by_log ? Likelihood::Reported : Likelihood::Refused,
                  "the band does not allow the host " + printable_line(place.host) + "; " + mend);
      } else {
        continue;
      }
      any = true;
      ++named;
    }
}

}  // namespace

void find_hosts(const Inquiry& inquiry, Hints& hints) {
  const auto& rules = inquiry.failure.script.band.rules.net;
  std::size_t named = 0;
  for (const learn::Contact& contact : inquiry.evidence.contacts)
    if (contact.end == End::Refused && ++named <= kMostNamed) add_refused(contact, inquiry, hints);
  if (named == 0 && rules.opens_nothing()) find_without_net(inquiry, hints);
}

}  // namespace band::client
