#include "chp/server_ports.h"

#include "chp/announcement.h"

#include <string>
#include <vector>

namespace chp {

namespace {

// Acknowledgements are of kvmsg.
std::vector<std::string> announcement_of(const server_options& options) {
  return options.wire_format == form::kvmsg ? announce_server() : std::vector<std::string>{};
}

}  // namespace

zmtp::socket_options snapshot_port_options(const server_options& options) {
  zmtp::socket_options o;
  o.announce_peers = true;
  o.extensions = announcement_of(options);
  // Room for a few pieces; what does not fit waits until the peer reads.
  o.send_mark = {.messages = {}, .bytes = 4 * options.snapshot_piece};
  return o;
}

// No gaps: who is too slow is disconnected, and knows that it has to ask for a snapshot.
zmtp::socket_options publisher_port_options(const server_options& options) {
  zmtp::socket_options o;
  o.announce_peers = true;
  o.extensions = announcement_of(options);
  o.send_mark = {.messages = {}, .bytes = options.publisher_bytes};
  o.disconnect_slow = true;
  o.xpub.announce_as_pub = true;
  o.xpub.notifications = zmtp::xpub_options::notices::subscriptions;
  return o;
}

zmtp::socket_options collector_port_options(const server_options& options) {
  zmtp::socket_options o;
  o.extensions = announcement_of(options);
  return o;
}

void on_subscriber(server_state& state, const zmtp::routed_message& item,
                   const zmtp::metadata& said, server_actions& out) {
  switch (item.what) {
    case zmtp::routed_message::kind::attached:
      state.on_subscriber_attached(item.peer, said);
      return;
    case zmtp::routed_message::kind::detached: state.on_subscriber_detached(item.peer); return;
    case zmtp::routed_message::kind::message: break;
  }
  // Messages other than subscriptions are ignored.
  const auto topic = item.content.front();
  if (item.content.size() == 1 && topic.starts_with('\1')) {
    state.on_subscription(item.peer, topic.substr(1), out);
  }
}

}  // namespace chp
