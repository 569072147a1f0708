// Needs the libraries of every component, and what these link.
#include "bstar/client.h"
#include "chp/replicated_server.h"
#include "chp/sqlite_log_store.h"
#include "mdp/blocking/client.h"
#include "mdp/titanic/sqlite_request_database.h"
#include "zmtp/mechanism/curve.h"
#include "zmtp/simulation/world.h"

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

int use_asio();

int main() {
  zmtp::blocking::context thread;
  const mdp::blocking::client requests{thread, "tcp://127.0.0.1:1"};
  boost::asio::io_context context{1};
  const auto executor = context.get_executor();
  const mdp::titanic::sqlite_request_database requests_on_disk{executor, {}};
  const chp::sqlite_log_store log{executor, {}};
  const chp::replicated_server server{executor, {}};
  const bstar::client client{executor, {"tcp://127.0.0.1:1"}};
  const zmtp::simulation::world world{1};
  try {
    static_cast<void>(zmtp::curve_client({}));
    return 1;
  } catch (const boost::system::system_error&) {  // the keys are not a pair
    return use_asio() == 1 ? 0 : 1;
  }
}
