#include "tools/zinc/dump/titanic_words.h"

#include "mdp/titanic/command.h"

#include <string>

namespace zinc::dump {

namespace {

using namespace mdp::titanic;

template <class T>
void add_fault(std::vector<field>& to, const result<T>& parsed) {
  to.push_back({"tsp_fault", parsed.error().message()});
}

void add_id(std::vector<field>& to, const request_id& id) { to.push_back({"id", id.to_string()}); }

bool is_titanic(std::string_view service) {
  return service == request_service || service == submit_service || service == reply_service ||
         service == close_service || service == status_service;
}

std::string meaning_of(std::string_view code, bool of_new_request) {
  return code == ok        ? "OK"
         : code == not_yet ? "PENDING"
         : code == refused ? of_new_request ? "INVALID" : "UNKNOWN"
         : code == broken  ? "ERROR"
                           : "";
}

}  // namespace

void add_titanic_request(std::vector<field>& to, std::string_view service,
                         const zmtp::message& body) {
  if (!is_titanic(service)) {
    return;
  }
  to.push_back({"tsp", std::string{service}});
  if (service == request_service) {
    if (const auto parsed = parse_request(body)) {
      to.push_back({"for", std::string{*parsed}});
    } else {
      add_fault(to, parsed);
    }
  } else if (service == submit_service) {
    if (const auto parsed = parse_submission(body)) {
      add_id(to, parsed->id);
      to.push_back({"for", std::string{parsed->service}});
    } else {
      add_fault(to, parsed);
    }
  } else if (service != status_service) {
    if (const auto parsed = parse_id(body)) {
      add_id(to, *parsed);
    } else {
      add_fault(to, parsed);
    }
  }
}

void add_titanic_answer(std::vector<field>& to, std::string_view service,
                        const zmtp::message& body) {
  if (!is_titanic(service) || body.empty()) {
    return;
  }
  to.push_back({"tsp", std::string{service}});
  if (service == status_service) {
    return;
  }
  const auto code = body.front().substr(0, ok.size());
  const bool of_new_request = service == request_service || service == submit_service;
  const auto meaning = meaning_of(code, of_new_request);
  to.push_back({"code", std::string{code} + (meaning.empty() ? "" : ' ' + meaning)});
  if (of_new_request) {
    if (const auto id = parse_accepted(body)) {
      to.push_back({"id", *id});
    }
  }
}

}  // namespace zinc::dump
