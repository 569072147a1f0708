#include "chp/server_ports.h"

#include "chp/announcement.h"

#include <algorithm>
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
  auto o = options.socket;
  o.announce_peers = true;
  o.extensions = announcement_of(options);
  // Room for a few pieces; what does not fit waits until the peer reads.
  o.send_mark = {.messages = {}, .bytes = 4 * options.snapshot_piece};
  return o;
}

// A slow subscriber is disconnected, so that it requests a snapshot and has no gap.
zmtp::socket_options publisher_port_options(const server_options& options) {
  auto o = options.socket;
  o.announce_peers = true;
  o.extensions = announcement_of(options);
  o.send_mark = {.messages = {}, .bytes = options.publisher_bytes};
  o.disconnect_slow = true;
  o.xpub.announce_as_pub = true;
  o.xpub.notifications = zmtp::xpub_options::notices::subscriptions;
  // With rules, the server decides about each subscription.
  o.xpub.manual = !options.access.permits_all();
  return o;
}

zmtp::socket_options collector_port_options(const server_options& options) {
  auto o = options.socket;
  o.limit = socket_limits(o.limit, options.limit);
  // With rules, the server needs the principal of a client until it has read the last update.
  o.announce_peers = options.collector == collector_kind::sub && !options.access.permits_all();
  o.extensions = announcement_of(options);
  return o;
}

zmtp::socket_options source_options(zmtp::socket_options o, const server_options& options) {
  // A piece of a copy may end with a value that was accepted under a higher limit.
  o.limit = socket_limits(o.limit, {.max_value_size = largest_value + options.snapshot_piece});
  o.announce_peers = true;
  o.extensions = announce_backup();
  // Messages for one connection must not be sent on the next.
  o.immediate = true;
  o.receive_mark = {.messages = {}, .bytes = 2 * options.backup_window};
  o.reconnect.maximum = std::max(o.reconnect.initial, options.heartbeat / 2);
  return o;
}

zmtp::socket_options feed_options(zmtp::socket_options o, const server_options& options) {
  o.limit = socket_limits(o.limit, options.limit);
  o.announce_peers = true;
  o.receive_mark = {.messages = {}, .bytes = options.feed_bytes};
  o.reconnect.maximum = std::max(o.reconnect.initial, options.heartbeat / 2);
  return o;
}

}  // namespace chp
