#include "zmtp/pattern/server_list.h"

#include "zmtp/endpoint.h"
#include "zmtp/error.h"
#include "zmtp/pattern/call_error.h"

#include <boost/system/system_error.hpp>

namespace zmtp {

void check_servers(const std::vector<std::string>& servers, std::string_view who) {
  if (servers.empty()) {
    throw boost::system::system_error{call_errc::no_servers, std::string{who}};
  }
  for (const auto& server : servers) {
    if (const auto to = endpoint::parse(server); !to || !to->connectable()) {
      throw boost::system::system_error{to ? make_error_code(errc::bad_endpoint) : to.error(),
                                        "cannot connect to " + server};
    }
  }
}

}  // namespace zmtp
