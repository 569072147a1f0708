#include "zmtp/options.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>

namespace zmtp {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t max_routing_id = 255;   // bytes; RFC 37: the length has one byte
constexpr std::size_t max_extensions = 255;   // bytes of the list, so that READY stays small
constexpr std::size_t max_size = 1ULL << 31;  // 2 GiB
constexpr std::size_t max_parts = 65'535;     // maximum of message's counter
constexpr heartbeat_options::deciseconds max_ttl{655};  // a larger value overflows in libzmq
// A longer duration could overflow when it is added to a time_point in nanoseconds.
constexpr milliseconds max_duration = std::chrono::hours{24 * 365};
// Limits of the kernel: keepalive in seconds and probes, the user timeout in milliseconds in an
// int.
constexpr int max_keepalive_seconds = 32'767;
constexpr int max_keepalive_count = 127;
constexpr milliseconds max_user_timeout = std::chrono::hours{24 * 24};

bool is_size(std::size_t bytes) noexcept { return bytes != 0 && bytes <= max_size; }

bool is_duration(milliseconds time) noexcept {
  return time >= milliseconds::zero() && time <= max_duration;
}

bool is_spin(std::chrono::microseconds time) noexcept {
  return time.count() >= 0 && time <= max_duration;
}

bool is_positive_duration(milliseconds time) noexcept {
  return is_duration(time) && time != milliseconds::zero();
}

bool is_routing_id(const std::string& id) noexcept {
  return id.size() <= max_routing_id && (id.empty() || id.front() != '\0');
}

bool is_extension(const std::string& text) noexcept {
  return !text.empty() && text.front() != '=' && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c <= '~' && c != ',';
  });
}

bool is_extensions(const std::vector<std::string>& list) noexcept {
  const auto bytes =
      std::accumulate(list.begin(), list.end(), std::size_t{0},
                      [](std::size_t sum, const std::string& one) { return sum + one.size() + 1; });
  return bytes <= max_extensions + 1 && std::all_of(list.begin(), list.end(), is_extension);
}

bool is_mark(const high_water_mark& mark) noexcept {
  return mark.messages != std::size_t{0} && mark.bytes != std::size_t{0};
}

bool is_reconnect(const reconnect_options& reconnect) noexcept {
  return is_positive_duration(reconnect.initial) && is_duration(reconnect.maximum) &&
         is_duration(reconnect.refused_maximum) && is_duration(reconnect.stable) &&
         reconnect.maximum >= reconnect.initial && reconnect.refused_maximum >= reconnect.initial &&
         reconnect.stop_after != std::size_t{0};
}

bool is_heartbeat(const heartbeat_options& heartbeat) noexcept {
  return (!heartbeat.interval || is_positive_duration(*heartbeat.interval)) &&
         is_positive_duration(heartbeat.timeout) && heartbeat.ttl.count() >= 0 &&
         heartbeat.ttl <= max_ttl;
}

bool is_between(auto least, auto value, auto most) noexcept {
  return least <= value && value <= most;
}

bool is_keepalive(const keepalive_options& keepalive) noexcept {
  return is_between(1, keepalive.idle.count(), max_keepalive_seconds) &&
         is_between(1, keepalive.interval.count(), max_keepalive_seconds) &&
         is_between(1, keepalive.count, max_keepalive_count);
}

bool is_transport(const transport_options& transport) noexcept {
  const auto is_buffer = [](const std::optional<int>& bytes) { return !bytes || *bytes > 0; };
  return (!transport.keepalive || is_keepalive(*transport.keepalive)) &&
         is_buffer(transport.send_buffer) && is_buffer(transport.receive_buffer) &&
         (!transport.type_of_service || is_between(0, *transport.type_of_service, 255)) &&
         (!transport.user_timeout ||
          is_between(milliseconds{1}, *transport.user_timeout, max_user_timeout)) &&
         transport.file_mode <= 0777;
}

bool is_limits(const limits& limit) noexcept {
  return is_size(limit.handshake_command_size) && is_positive_duration(limit.handshake_time) &&
         is_positive_duration(limit.handshake_silence) && is_size(limit.command_size) &&
         is_size(limit.frame_size) && is_size(limit.message_size) && limit.message_parts != 0 &&
         limit.message_parts <= max_parts && limit.message_commands != 0 &&
         limit.metadata_properties != 0 && is_size(limit.topic_size) && limit.subscriptions != 0 &&
         is_size(limit.subscription_bytes) && is_size(limit.ping_context_size) &&
         limit.pings_per_second != 0;
}

bool is_last_values(const std::optional<last_value_limits>& limit) noexcept {
  return !limit || (limit->topics != 0 && is_size(limit->bytes));
}

bool has_nothing_of_xpub(const xpub_options& options) noexcept {
  return options.notifications == xpub_options::notices::changes && !options.manual &&
         !options.announce_as_pub && options.welcome.empty() && !options.last_values &&
         options.last_values_of == xpub_options::matching::prefix;
}

}  // namespace

error_code validate(const socket_options& options) noexcept {
  const bool valid =
      is_routing_id(options.routing_id) && is_mark(options.send_mark) &&
      is_mark(options.receive_mark) && (!options.linger || is_duration(*options.linger)) &&
      is_reconnect(options.reconnect) && is_heartbeat(options.heartbeat) &&
      is_limits(options.limit) && is_transport(options.transport) && is_spin(options.spin) &&
      options.backlog > 0 && options.pending_handshakes != 0 &&
      is_last_values(options.xpub.last_values) && is_extensions(options.extensions);
  return valid ? error_code{} : errc::bad_option;
}

error_code validate(const socket_options& options, socket_type type) noexcept {
  using enum socket_type;
  const auto is_one_of = [type](std::initializer_list<socket_type> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  const bool suits =
      (options.routing_id.empty() || announces_routing_id(type)) &&
      (!options.mandatory || is_one_of({router, xpub})) && (!options.handover || type == router) &&
      (!options.relaxed || type == req) && (!options.correlate || type == req) &&
      (!options.no_drop || is_one_of({pub, xpub})) &&
      (!options.disconnect_slow ||
       (is_one_of({pub, xpub}) && !options.no_drop && !options.conflate)) &&
      (!options.probe_router || is_one_of({router, dealer, req})) &&
      (!options.conflate || is_one_of({pub, sub, push, pull, dealer})) &&
      (!options.immediate || is_one_of({push, dealer, req, pair, router, xsub})) &&
      (options.policy == send_policy::round_robin || is_one_of({push, dealer})) &&
      (options.hello_message.empty() || is_one_of({router, dealer, push, pair})) &&
      (options.disconnect_message.empty() || is_one_of({router, dealer, pull, pair, xsub})) &&
      (type == xpub || has_nothing_of_xpub(options.xpub));
  return suits ? validate(options) : errc::bad_option;
}

error_code validate_change(const socket_options& from, const socket_options& to, socket_type type,
                           bool used) noexcept {
  const bool same = from.routing_id == to.routing_id && from.extensions == to.extensions &&
                    from.announce_peers == to.announce_peers && from.correlate == to.correlate &&
                    from.conflate == to.conflate &&
                    from.xpub.announce_as_pub == to.xpub.announce_as_pub;
  return used && !same ? errc::bad_option : validate(to, type);
}

}  // namespace zmtp
