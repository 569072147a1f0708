#include "bench/libzmq/majordomo.h"

namespace bench::libzmq {

void receive_all(socket& from, multipart& parts) {
  parts.clear();
  do {
    from.receive(parts.emplace_back());
  } while (parts.back().more());
}

void send_from(socket& to, multipart& parts, std::size_t first) {
  for (std::size_t index = first; index < parts.size(); ++index) {
    to.send(parts[index], index + 1 < parts.size() ? more_parts::yes : more_parts::no);
  }
}

void send_request(socket& to, std::string_view service) {
  to.send_copy(client_header, more_parts::yes);
  to.send_copy(service, more_parts::yes);
  to.send_copy(request_body);
}

void check_reply(multipart& parts, std::size_t first, std::string_view service) {
  if (parts.size() != first + 3 || parts[first].text() != client_header ||
      parts[first + 1].text() != service || parts[first + 2].text() != request_body) {
    fail("the reply is not to our request: is another program at this endpoint?");
  }
}

}  // namespace bench::libzmq
