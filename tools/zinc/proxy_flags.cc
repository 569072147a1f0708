// The command line of zinc proxy.

#include "tools/zinc/any_socket.h"
#include "tools/zinc/proxy_command.h"

#include <CLI/CLI.hpp>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace zinc {

namespace {

using enum zmtp::socket_type;

struct form {
  zmtp::socket_type frontend;
  zmtp::socket_type backend;
};

const std::map<std::string, form> forms{
    {"forwarder", {xsub, xpub}},
    {"queue", {router, dealer}},
    {"streamer", {pull, push}},
};

// "[TYPE] ENDPOINT..."; true if there was a type.
bool read_side(const std::vector<std::string>& words, const std::string& option, proxy_side& to) {
  auto first = words.begin();
  const bool typed = first->find("://") == std::string::npos;
  if (typed) {
    try {
      to.type = type_named(*first++);
    } catch (const std::invalid_argument& fault) {
      throw CLI::ValidationError{option, fault.what()};
    }
  }
  if (first == words.end()) {
    throw CLI::ValidationError{option, "needs an endpoint, such as tcp://*:5555"};
  }
  to.endpoints.assign(first, words.end());
  return typed;
}

}  // namespace

void add_proxy(CLI::App& app, proxy_arguments& to) {
  auto* const name = app.add_option("FORM",
                                    "forwarder (XSUB and XPUB), queue (ROUTER and DEALER) or "
                                    "streamer (PULL and PUSH), instead of types")
                         ->check(CLI::IsMember{forms});
  const auto add_side = [&app](const std::string& option, const std::string& text) {
    return app.add_option(option, text)->type_name("[TYPE] ENDPOINT")->expected(1, 64);
  };
  auto* const front = add_side("--frontend", "where messages, or requests, come from")->required();
  auto* const back = add_side("--backend", "where they go")->required();
  auto* const capture =
      add_side("--capture",
               "a copy of everything, either way, goes here too, from a PUB or a PUSH; "
               "a PUSH without a peer holds up everything [pub]");
  app.add_flag("--connect-frontend", to.frontend.connect,
               "the front end connects to its endpoints instead of binding");
  app.add_flag("--connect-backend", to.backend.connect, "and the back end to its own");
  auto* const connect_capture =
      app.add_flag("--connect-capture")->description("and the capture to its own")->needs(capture);
  app.add_option("--control", to.control,
                 "a REP here obeys PAUSE, RESUME and TERMINATE, and answers STATISTICS, as "
                 "libzmq's zmq_proxy_steerable does")
      ->type_name("ENDPOINT");
  auto* const last_value =
      app.add_flag("--last-value")
          ->description(
              "a forwarder that sends each new subscriber the last message of each topic, "
              "which is its first part")
          ->excludes(capture)
          ->excludes("--control");
  auto limit = [&](const std::string& option, std::size_t zmtp::last_value_limits::*member,
                   const std::string& text) {
    const zmtp::last_value_limits usual;
    app.add_option_function<std::size_t>(
           option,
           [&to, member](const std::size_t& n) {
             if (!to.last_values) {
               to.last_values.emplace();
             }
             (*to.last_values).*member = n;
           },
           text)
        ->check(CLI::PositiveNumber)
        ->needs(last_value)
        ->type_name("N")
        ->default_str(std::to_string(usual.*member));
  };
  limit("--last-value-topics", &zmtp::last_value_limits::topics, "topics that are kept at most");
  limit("--last-value-octets", &zmtp::last_value_limits::octets, "octets of all that is kept");
  app.callback([&to, name, front, back, capture, connect_capture, last_value] {
    const bool front_typed = read_side(front->results(), "--frontend", to.frontend);
    const bool back_typed = read_side(back->results(), "--backend", to.backend);
    const bool named = name->count() != 0;
    const bool remembers = last_value->count() != 0;
    if (front_typed != back_typed || (front_typed && (named || remembers))) {
      throw CLI::ValidationError{
          "--frontend and --backend",
          "have both a type, or neither, and a form says which they are instead"};
    }
    if (remembers) {
      if (named && name->as<std::string>() != "forwarder") {
        throw CLI::ValidationError{"--last-value", "is for a forwarder"};
      }
      if (!to.last_values) {
        to.last_values.emplace();
      }
    } else if (!front_typed) {
      if (!named) {
        throw CLI::ValidationError{"FORM", "or types with the endpoints: give one"};
      }
      const auto& chosen = forms.at(name->as<std::string>());
      to.frontend.type = chosen.frontend;
      to.backend.type = chosen.backend;
    }
    if (capture->count() != 0) {
      to.capture.emplace();
      to.capture->type = pub;
      to.capture->connect = connect_capture->count() != 0;
      read_side(capture->results(), "--capture", *to.capture);
      if (to.capture->type != pub && to.capture->type != push) {
        throw CLI::ValidationError{"--capture", "is a PUB or a PUSH"};
      }
    }
  });
}

}  // namespace zinc
