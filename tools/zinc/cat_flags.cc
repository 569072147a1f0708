// The command line of zinc cat.

#include "tools/zinc/any_socket.h"
#include "tools/zinc/cat_command.h"
#include "tools/zinc/help.h"
#include "tools/zinc/option_values.h"
#include "tools/zinc/security_flags.h"

#include <CLI/CLI.hpp>

#include <stdexcept>
#include <string>

namespace zinc {

namespace {

using enum zmtp::socket_type;

// Rejects options that have no effect on this type.
void require_fit(const cat_arguments& a) {
  const auto refuse = [](const std::string& option, const std::string& why) {
    throw CLI::ValidationError{option, why};
  };
  const bool subscribes = a.type == sub || a.type == xsub;
  const bool sends = a.type != pull && a.type != sub;
  const bool named = a.type == req || a.type == dealer || a.type == router;
  if (!a.subscriptions.empty() && !subscribes) {
    refuse("--subscribe", "is for SUB and XSUB");
  }
  if (!a.routing_id.empty() && !named) {
    refuse("--routing-id", "is for REQ, DEALER and ROUTER");
  }
  if ((a.reply || a.echo) && a.type != rep) {
    refuse(a.echo ? "--echo" : "--reply", "is for REP");
  }
  if (a.at_once && a.type != pub && a.type != xpub) {
    refuse("--at-once", "is for PUB and XPUB");
  }
  if (!a.files.empty() && (!sends || a.reply || a.echo)) {
    refuse("--file", "is for types that send, without --reply and --echo");
  }
  if (!a.files.empty() && a.type == router) {
    refuse("--file", "has no routing id; send lines that begin with a routing id to a ROUTER");
  }
  if (a.interval.count() != 0 && (!sends || a.type == rep)) {
    refuse("--interval", "is for types that send without a request");
  }
}

}  // namespace

void add_cat(CLI::App& app, cat_arguments& to) {
  set_help(app,
           {.summary = "Opens a socket of any type, sends lines or files and prints messages.",
            .details = "A REQ sends one request per line and prints the replies. A REP prints "
                       "requests and replies with one line each. A line for a ROUTER begins "
                       "with a routing id.",
            .examples = {"zinc cat pull tcp://*:5558 --bind",
                         "seq 10 | zinc cat push tcp://localhost:5558",
                         "echo hello | zinc cat req tcp://localhost:5555 --timeout 1s",
                         "zinc cat sub tcp://localhost:5556 --subscribe weather --format json"},
            .done = "all messages were sent, answered and printed",
            .failed = "a message was not sent, or other failure",
            .no_answer = "a message was not sent, answered or received in time"});
  app.add_option_function<std::string>(
         "TYPE",
         [&to](const std::string& name) {
           try {
             to.type = type_named(name);
           } catch (const std::invalid_argument& fault) {
             throw CLI::ValidationError{"TYPE", fault.what()};
           }
         },
         "type of the socket: " + type_names())
      ->required();
  app.add_option("ENDPOINT", to.endpoints, "endpoints to connect to, such as tcp://localhost:5555")
      ->required();
  app.add_flag("--bind", to.bind,
               "endpoints to bind instead; prints `bound ENDPOINT` on standard error");
  app.add_option("--file", to.files,
                 "file to send as one message, instead of the lines of standard input; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--multipart", to.separator,
                 "separator of the parts in a line of the input and of the output [one part per "
                 "line]")
      ->check([](const std::string& text) {
        return text.empty() ? std::string{"an empty separator is not valid; give for example ' '"}
                            : std::string{};
      })
      ->type_name("SEPARATOR");
  add_choice<line_form>(
      app, "--input", to.input,
      {{"lines", line_form::lines}, {"json", line_form::json}, {"hex", line_form::hex}},
      R"(form of an input line: text, ["part", {"hex": "00ff"}], or 70617274 00ff)");
  auto* const format = add_choice<line_form>(app, "--format", to.format,
                                             {{"lines", line_form::lines},
                                              {"json", line_form::json},
                                              {"hex", line_form::hex},
                                              {"raw", line_form::raw}},
                                             "form of an output line, or raw for the bytes alone");
  app.add_flag_callback(
         "--json", [&to] { to.format = line_form::json; }, "print JSON, as --format json does")
      ->excludes(format);
  add_number(app, "--count", to.count,
             "stop after N messages: received, or sent if the type only sends");
  add_duration(app, "--interval", to.interval, "time between messages that are sent", from_zero);
  add_duration(app, "--timeout", to.timeout,
               "time to wait for a message, or for a peer that takes one; exit with 1 if no "
               "message, or fewer than --count, arrived [no limit]");
  app.add_option("--subscribe", to.subscriptions,
                 "SUB, XSUB: receive messages with this prefix; repeatable [SUB: everything, XSUB: "
                 "nothing]")
      ->type_name("PREFIX")
      ->allow_extra_args(false);
  app.add_option("--routing-id", to.routing_id,
                 "REQ, DEALER, ROUTER: name of this socket for a ROUTER [none]")
      ->type_name("ID");
  auto* const reply = app.add_option("--reply", to.reply, "REP: text of the reply to every request")
                          ->type_name("TEXT");
  app.add_flag("--echo", to.echo, "REP: reply with the request")->excludes(reply);
  app.add_flag("--at-once", to.at_once, "PUB, XPUB: send without waiting for a subscriber");
  add_security(app, to.security);
  app.callback([&to] { require_fit(to); });
}

void complete(cat_arguments& arguments) {
  const auto sockets = read_security(arguments.security,
                                     arguments.bind ? socket_use{.bound = arguments.endpoints}
                                                    : socket_use{.connected = arguments.endpoints});
  arguments.socket = arguments.bind ? sockets.bound : sockets.connected;
}

}  // namespace zinc
