// The command line of zinc proxy.

#include "tools/zinc/any_socket.h"
#include "tools/zinc/help.h"
#include "tools/zinc/http_flags.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/proxy_command.h"
#include "tools/zinc/security_files.h"
#include "tools/zinc/security_flags.h"
#include "zmtp/socket/proxy.h"

#include <CLI/CLI.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
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

// Reads "[TYPE] ENDPOINT...". Returns whether there was a type.
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
    throw CLI::ValidationError{option, "needs an endpoint; give for example tcp://*:5555"};
  }
  to.endpoints.assign(first, words.end());
  return typed;
}

// Returns whether a proxy can be between sockets of these types.
bool can_be_proxied(zmtp::socket_type frontend, zmtp::socket_type backend) {
  boost::asio::io_context context;
  any_socket one{context.get_executor(), frontend, {}};
  any_socket other{context.get_executor(), backend, {}};
  return one.visit([&]<class Front>(Front&) {
    return other.visit([]<class Back>(Back&) { return zmtp::can_be_proxied<Front, Back>; });
  });
}

socket_use use_of(const proxy_arguments& arguments) {
  socket_use use;
  const auto add = [&use](const proxy_side& side) {
    auto& to = side.connect ? use.connected : use.bound;
    to.insert(to.end(), side.endpoints.begin(), side.endpoints.end());
  };
  add(arguments.frontend);
  add(arguments.backend);
  if (arguments.capture) {
    add(*arguments.capture);
  }
  if (!arguments.control.empty()) {
    use.bound.push_back(arguments.control);
  }
  return use;
}

}  // namespace

void add_proxy(CLI::App& app, proxy_arguments& to) {
  set_help(app, {.summary = "Forwards messages between two endpoints.",
                 .details = "Both sides may have any socket types that fit each other. Prints "
                            "`bound ENDPOINT`, `capture ENDPOINT` and `control ENDPOINT`. SIGUSR1 "
                            "logs the number of forwarded messages.",
                 .examples = {"zinc proxy queue --frontend tcp://*:5555 --backend tcp://*:5556",
                              "zinc proxy --frontend pull tcp://*:5557 --backend pub tcp://*:5558",
                              "zinc proxy forwarder --frontend tcp://feed:6000 --connect-frontend "
                              "--backend tcp://*:6001",
                              "zinc proxy queue --config /etc/zinc/queue.conf"},
                 .done = "stopped by a signal or by TERMINATE",
                 .failed = "failure such as an address in use"});
  add_config(app, to.config);
  auto* const name =
      app.add_option("FORM",
                     "forwarder (XSUB, XPUB), queue (ROUTER, DEALER) or streamer (PULL, PUSH), "
                     "instead of types")
          ->check([](const std::string& word) {
            return forms.contains(word)
                       ? std::string{}
                       : "'" + word + "' is unknown; give forwarder, queue or streamer";
          });
  const auto add_side = [&app](const std::string& option, const std::string& text) {
    return app.add_option(option, text)->type_name("[TYPE] ENDPOINT...")->expected(1, 64);
  };
  auto* const front =
      add_side("--frontend", "endpoints from which messages or requests come")->required();
  auto* const back =
      add_side("--backend", "endpoints to which messages or requests go")->required();
  auto* const capture =
      add_side("--capture",
               "endpoints that get a copy of every message, from a PUB or a PUSH; a PUSH without "
               "a peer stops the proxy [pub]");
  app.add_flag("--connect-frontend", to.frontend.connect,
               "connect to the endpoints of --frontend instead of binding");
  app.add_flag("--connect-backend", to.backend.connect,
               "connect to the endpoints of --backend instead of binding");
  auto* const connect_capture =
      app.add_flag("--connect-capture")
          ->description("connect to the endpoints of --capture instead of binding")
          ->needs(capture);
  app.add_option("--control", to.control,
                 "endpoint of a REP that takes PAUSE, RESUME, TERMINATE and STATISTICS, as in "
                 "libzmq's zmq_proxy_steerable [none]")
      ->check(bindable())
      ->type_name("ENDPOINT");
  auto* const last_value =
      app.add_flag("--last-value")
          ->description(
              "forwarder: send each new subscriber the last message of each topic; the topic is "
              "the first part")
          ->excludes(capture)
          ->excludes("--control");
  const auto limits = [&to]() -> zmtp::last_value_limits& {
    return to.last_values ? *to.last_values : to.last_values.emplace();
  };
  const zmtp::last_value_limits usual;
  add_number(app, "--last-value-topics",
             [limits](std::int64_t n) { limits().topics = static_cast<std::size_t>(n); },
             "topics that --last-value may store", {})
      ->default_str(std::to_string(usual.topics))
      ->needs(last_value);
  app.add_option_function<std::string>(
         "--last-value-bytes",
         [limits](const std::string& text) {
           try {
             limits().bytes = parse_size(text);
           } catch (const unit_error& e) {
             throw CLI::ValidationError{"--last-value-bytes", e.what()};
           }
         },
         "size of the messages that --last-value may store")
      ->type_name("SIZE")
      ->default_str(text_of_size(usual.bytes))
      ->needs(last_value);
  add_http(app, to.http);
  add_security(app, to.security);
  app.callback([&to, name, front, back, capture, connect_capture, last_value] {
    const bool front_typed = read_side(front->results(), "--frontend", to.frontend);
    const bool back_typed = read_side(back->results(), "--backend", to.backend);
    const bool named = name->count() != 0;
    const bool remembers = last_value->count() != 0;
    if (front_typed != back_typed || (front_typed && (named || remembers))) {
      throw CLI::ValidationError{"--frontend and --backend",
                                 "need a type each, or FORM; give one or the other"};
    }
    if (remembers) {
      if (named && name->as<std::string>() != "forwarder") {
        throw CLI::ValidationError{"--last-value", "is for a forwarder; omit it"};
      }
      if (!to.last_values) {
        to.last_values.emplace();
      }
    } else if (!front_typed) {
      if (!named) {
        throw CLI::ValidationError{"FORM", "is required if the endpoints have no types"};
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
        throw CLI::ValidationError{"--capture", "has an unsuitable type; give pub or push"};
      }
    }
  });
}

void complete(proxy_arguments& arguments) {
  if (!arguments.last_values && !can_be_proxied(arguments.frontend.type, arguments.backend.type)) {
    refuse("--frontend and --backend",
           "no message can pass between these types; one side must receive and the other send");
  }
  arguments.sockets = read_security(arguments.security, use_of(arguments));
}

}  // namespace zinc
