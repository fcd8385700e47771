#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>

#include "client/hints/finders.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"
#include "schemas/core/network_messages.h"
#include "schemas/core/words.h"

namespace band::client {
namespace {

constexpr std::size_t kMostSearched = 200;       // URLs in authored texts
constexpr std::size_t kMostCompared = 50;        // words of the log that are compared with the texts
constexpr const char* kListening = "listening";  // the subject of the hint about listening
using End = learn::Contact::End;

bool is_localhost(const std::string& host) {
  if (host == "localhost" || host == "::1" || host == "[::1]" || host == "0.0.0.0") return true;
  const bool is_address =
      std::all_of(host.begin(), host.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return is_address && host.starts_with("127.");
}

// Whether the log is about the network, in the words of libraries or of the script.
bool is_about_network(std::string_view log) {
  static constexpr std::string_view kWords[] = {"navailable", "nreachable", "ffline", "download",
                                                "fetch",      "etwork",     "onnect"};
  return reports_network_failure(log) ||
         std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return contains(log, word); });
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
  std::string_view rest = text.substr(at, 600);
  if (const std::size_t user = rest.substr(0, rest.find_first_of("/ \t\n\"'")).rfind('@');
      user != std::string_view::npos)
    rest.remove_prefix(user + 1);
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-'; };
  const auto size = static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_part) - rest.begin());
  std::string host(rest.substr(0, size));
  while (host.ends_with('.')) host.pop_back();
  std::uint16_t port = 0;
  if (size < rest.size() && rest[size] == ':') {
    const std::string_view digits = rest.substr(size + 1);
    const auto end = std::find_if_not(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    port = port_of(digits.substr(0, static_cast<std::size_t>(end - digits.begin())));
  }
  if (!host.empty() && host.size() <= 253) places.insert({std::move(host), port});
}

void add_places_after(std::string_view before, std::string_view text, std::set<Place>& places) {
  for (std::size_t at = text.find(before); at != std::string_view::npos && places.size() < kMostSearched;
       at = text.find(before, at + 1))
    add_place(text, before.ends_with(':') ? at : at + before.size(), places);
}

// Adds the hosts of the URLs in a text, and `localhost:PORT` without a scheme.
void add_places(std::string_view text, std::set<Place>& places) {
  for (const std::string_view before : {"://", "@", "/dev/tcp/", "localhost:", "127.0.0.1:"})
    add_places_after(before, text, places);
}

std::string with_port(const Place& place) {
  return place.host + (place.port == 0 ? "" : ":" + std::to_string(place.port));
}

void add_localhost(const Place& place, const Inquiry& inquiry, Hints& hints) {
  if (hints.has(kListening)) return;  // the server that the script itself has tried to start
  const std::string mend = inquiry.mend.host(place.host, place.port);
  hints.add(Likelihood::Reported,
            printable_line(with_port(place)) +
                " is the sandbox itself, in which no server runs. For a server on the machine that runs the script, " +
                (mend.empty() ? "" : mend + ", and ") +
                "its operator allows the address in server.yaml (gateway.allow_private: [127.0.0.1])",
            "localhost");
}

std::string text_of(const learn::Contact& contact, const Inquiry& inquiry) {
  if (!inquiry.authored.names_host(contact.host))
    return std::string(inquiry.mend.does_not_allow()) + " the host " + printable_line(contact.host) +
           std::string(kFromData);
  if (contains(contact.text, "the server's gateway.allow_private does not contain it"))
    return printable_line(contact.host) +
           " has an address that is not public: the operator of the server allows it in server.yaml "
           "(gateway.allow_private)";
  const std::string mend = inquiry.mend.host(contact.host, contact.port);
  if (mend.empty()) return "";
  return std::string(inquiry.mend.does_not_allow()) + " the host " +
         printable_line(with_port({contact.host, contact.port})) + "; " + mend;
}

// Hosts that the log names come first. The others can be the cause if it names none: any of them for a failed lookup.
void find_refused(const Inquiry& inquiry, Hints& hints) {
  const std::string& log = inquiry.failure.log;
  bool any = false;
  for (const bool named : {true, false}) {
    if (!named && (any || !(is_about_network(log) || inquiry.unnamed_refusal_can_be_cause()))) return;
    std::size_t examined = 0, added = 0;
    for (const learn::Contact& contact : inquiry.evidence.contacts) {
      if (added >= kMostOfKind || ++examined > kMostExamined) break;
      if (contact.end != End::Refused || contains_word(log, contact.host, true) != named) continue;
      any = true;
      if (is_localhost(contact.host) && inquiry.authored.names_host(contact.host)) {
        add_localhost({contact.host, contact.port}, inquiry, hints);
        continue;
      }
      const Likelihood likelihood = named || reports_network_failure(log) ? Likelihood::Reported : Likelihood::Refused;
      if (hints.add(likelihood, text_of(contact, inquiry), contact.host)) ++added;
    }
  }
}

// The hosts of commands that have failed, as their arguments name them.
std::set<Place> called_places(const Inquiry& inquiry) {
  std::set<Place> places;
  for (const learn::AskedCommand& command : inquiry.evidence.commands)
    if (command.end == learn::AskedCommand::End::Failed)
      for (const std::string& word : command.argv)
        // A query can have data.
        if (const std::string url = word.substr(0, word.find_first_of("?#"));
            !url.empty() && inquiry.authored.contains(url))
          add_places(url, places);
  std::erase_if(places, [&](const Place& place) { return !inquiry.authored.names_host(place.host); });
  return places;
}

// "getaddrinfo EAI_AGAIN api.example.com": hosts in the log that the author has written, also without a scheme.
std::set<Place> reported_places(const Inquiry& inquiry) {
  std::set<std::string> words;
  for (const std::string_view line : lines_of(inquiry.failure.log)) {
    if (!reports_network_failure(line)) continue;
    for (const LogWord& word : words_of(line))
      if (words.size() < kMostCompared && word.text.find('.') != std::string::npos &&
          word.text.find('/') == std::string::npos)
        words.insert(word.text);
  }
  std::set<Place> places;
  for (const std::string& word : words)
    if (inquiry.authored.names_host(word)) places.insert({word, 0});
  return places;
}

// Without rules of net, the ledger has only the number of refused packets. The names are then searched in the texts
// that the caller and the author have written: those that the log names, or, if it names none, the only one.
void find_without_net(const Inquiry& inquiry, Hints& hints) {
  const std::string& log = inquiry.failure.log;
  const bool reported = reports_network_failure(log), refused = inquiry.evidence.refused_packets > 0;
  if (!reported && !refused) return;
  std::set<Place> places;
  for (const std::string& text : inquiry.authored.texts()) add_places(text, places);
  std::vector<Place> chosen;
  std::copy_if(places.begin(), places.end(), std::back_inserter(chosen),
               [&](const Place& place) { return contains_word(log, place.host, true); });
  if (chosen.empty())
    for (const Place& place : reported_places(inquiry)) chosen.push_back(place);
  const bool possible = reported || (refused && is_about_network(log)) || inquiry.unnamed_refusal_can_be_cause();
  const std::set<Place> called = called_places(inquiry);
  const std::set<Place>& probable = called.empty() ? places : called;
  if (chosen.empty() && possible && probable.size() == 1) chosen.push_back(*probable.begin());
  std::size_t added = 0;
  for (const Place& place : chosen) {
    if (added >= kMostOfKind) break;
    if (is_localhost(place.host)) {
      add_localhost(place, inquiry, hints);
    } else if (const std::string mend = inquiry.mend.host(place.host, place.port); !mend.empty()) {
      added += hints.add(reported ? Likelihood::Reported : Likelihood::Refused,
                         std::string(inquiry.mend.does_not_allow()) + " the host " + printable_line(with_port(place)) +
                             "; " + mend,
                         place.host)
                   ? 1
                   : 0;
    }
  }
}

}  // namespace

std::string mend_of_refused(const learn::Contact& contact, const Inquiry& inquiry) {
  if (is_localhost(contact.host)) return "";
  if (!inquiry.authored.names_host(contact.host)) return std::string(kFromData);
  const std::string mend = inquiry.mend.host(contact.host, contact.port);
  return mend.empty() ? "" : "; " + mend;
}

std::string mend_of_refused_packets(const Inquiry& inquiry) {
  // The hosts of commands that were run, or that the log names, and otherwise those of the authored texts, if they are
  // few. Texts also have URLs of documentation.
  const std::set<Place> called = called_places(inquiry);
  std::set<Place> named;
  for (const std::string& text : inquiry.authored.texts()) add_places_after("://", text, named);
  std::erase_if(named, [](const Place& place) { return place.host.find('.') == std::string::npos; });
  const std::set<Place> reported = reported_places(inquiry);
  const std::set<Place>& places = !called.empty() ? called : !reported.empty() ? reported : named;
  if (places.size() > kMostOfKind) return "";
  std::string text;
  for (const Place& place : places) {
    const std::string mend = is_localhost(place.host) ? "" : inquiry.mend.host(place.host, place.port);
    if (!mend.empty()) text += "; for " + printable_line(with_port(place)) + " " + mend;
  }
  return text;
}

void find_hosts(const Inquiry& inquiry, Hints& hints) {
  const auto& contacts = inquiry.evidence.contacts;
  const bool any = std::any_of(contacts.begin(), contacts.end(),
                               [](const learn::Contact& contact) { return contact.end == End::Refused; });
  if (any)
    find_refused(inquiry, hints);
  else if (inquiry.failure.script.band.rules.net.opens_nothing())
    find_without_net(inquiry, hints);
}

}  // namespace band::client
