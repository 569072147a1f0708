// The command line of zinc cat.

#include "tools/zinc/any_socket.h"
#include "tools/zinc/cat_command.h"

#include <CLI/CLI.hpp>

#include <map>
#include <stdexcept>
#include <string>

namespace zinc {

namespace {

using enum zmtp::socket_type;

CLI::Option* add_form(CLI::App& app, const std::string& name, line_form& value,
                      const std::map<std::string, line_form>& forms, const std::string& text) {
  return app
      .add_option_function<std::string>(
          name, [&value, forms](const std::string& word) { value = forms.at(word); }, text)
      ->check(CLI::IsMember{forms})
      ->type_name("FORM")
      ->default_str("lines");
}

// Options that do nothing are faults.
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
    refuse("--file", "is for types that send, and what it says is what is sent");
  }
  if (!a.files.empty() && a.type == router) {
    refuse("--file", "does not say to whom: give a ROUTER lines that begin with a routing id");
  }
  if (a.interval.count() != 0 && (!sends || a.type == rep)) {
    refuse("--interval", "is for types that send of their own accord");
  }
}

}  // namespace

void add_cat(CLI::App& app, cat_arguments& to) {
  app.add_option_function<std::string>(
         "TYPE",
         [&to](const std::string& name) {
           try {
             to.type = type_named(name);
           } catch (const std::invalid_argument& fault) {
             throw CLI::ValidationError{fault.what()};
           }
         },
         "of the socket: " + type_names())
      ->required();
  app.add_option("ENDPOINT", to.endpoints, "to connect to, such as tcp://localhost:5555")
      ->required();
  app.add_flag("--bind", to.bind,
               "bind to the endpoints instead; says `bound ENDPOINT` on standard error");
  app.add_option("--file", to.files,
                 "send this file as one message, instead of the lines of standard input; may be "
                 "repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--multipart", to.separator,
                 "lines are parts with this between them, those that are read and those that are "
                 "written")
      ->check([](const std::string& text) {
        return text.empty() ? std::string{"an empty separator separates nothing"} : std::string{};
      })
      ->type_name("SEPARATOR");
  add_form(app, "--input", to.input,
           {{"lines", line_form::lines}, {"json", line_form::json}, {"hex", line_form::hex}},
           R"(what a line of the input is: text, ["part", {"hex": "00ff"}], or 70617274 00ff)");
  auto* const format =
      add_form(app, "--format", to.format,
               {{"lines", line_form::lines},
                {"json", line_form::json},
                {"hex", line_form::hex},
                {"raw", line_form::raw}},
               "what is printed of a message: the same, or the octets as they are");
  app.add_flag_callback(
         "--json", [&to] { to.format = line_form::json; }, "as --format json")
      ->excludes(format);
  app.add_option("--count", to.count,
                 "end after so many messages: received, or sent if the type only sends")
      ->check(CLI::PositiveNumber)
      ->type_name("N");
  const auto add_milliseconds = [&app](const std::string& name, const std::string& text,
                                       auto&& take) {
    app.add_option_function<long>(name, take, text)
        ->check(CLI::Range(1L, 86'400'000L))
        ->type_name("MS");
  };
  add_milliseconds("--interval", "between messages that are sent",
                   [&to](const long& ms) { to.interval = std::chrono::milliseconds{ms}; });
  add_milliseconds("--timeout",
                   "give up when nothing came, or could be sent, for so long; it is a failure "
                   "if nothing came at all, or less than --count",
                   [&to](const long& ms) { to.timeout = std::chrono::milliseconds{ms}; });
  app.add_option("--subscribe", to.subscriptions,
                 "SUB, XSUB: receive what begins so; may be repeated [SUB: everything, XSUB: "
                 "nothing]")
      ->type_name("PREFIX")
      ->allow_extra_args(false);
  app.add_option("--routing-id", to.routing_id,
                 "REQ, DEALER, ROUTER: the name by which a ROUTER knows us")
      ->type_name("ID");
  auto* const reply =
      app.add_option("--reply", to.reply, "REP: reply this to every request")->type_name("TEXT");
  app.add_flag("--echo", to.echo, "REP: reply to every request what it says")->excludes(reply);
  app.add_flag("--at-once", to.at_once,
               "PUB, XPUB: begin to send before anybody has subscribed, to nobody");
  app.callback([&to] { require_fit(to); });
}

}  // namespace zinc
