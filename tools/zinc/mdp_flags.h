#pragma once
// The command lines of zinc broker, worker, request and titanic.

#include "tools/zinc/commands.h"

namespace CLI {
class App;
}  // namespace CLI

namespace zinc {

// Each function adds the options to `app`, which writes their values to `to`. `to` outlives `app`.
void add_broker(CLI::App& app, broker_arguments& to);
void add_worker(CLI::App& app, worker_arguments& to);
void add_request(CLI::App& app, request_arguments& to);
void add_titanic(CLI::App& app, titanic_arguments& to);

// Each function reads the files that the options name, and checks the options together.
// Throws: CLI::ValidationError.
void complete(broker_arguments& arguments);
void complete(worker_arguments& arguments);
void complete(request_arguments& arguments);
void complete(titanic_arguments& arguments);

}  // namespace zinc
