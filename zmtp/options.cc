#include "zmtp/options.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace zmtp {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t max_routing_id = 255;   // bytes; RFC 37: the length has one byte
constexpr std::size_t max_plain_field = 255;  // bytes; RFC 24: the length has one byte
constexpr std::size_t max_host_name = 253;    // bytes; RFC 1035, in text form
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

bool is_positive_duration(milliseconds time) noexcept {
  return is_duration(time) && time != milliseconds::zero();
}

bool is_between(auto least, auto value, auto most) noexcept {
  return least <= value && value <= most;
}

bool is_extension(const std::string& text) noexcept {
  return !text.empty() && text.front() != '=' && std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c <= '~' && c != ',';
  });
}

bool are_extensions(const std::vector<std::string>& list) noexcept {
  const auto bytes =
      std::accumulate(list.begin(), list.end(), std::size_t{0},
                      [](std::size_t sum, const std::string& one) { return sum + one.size() + 1; });
  return bytes <= max_extensions + 1 && std::all_of(list.begin(), list.end(), is_extension);
}

bool is_origin(const std::string& text) noexcept {
  constexpr std::string_view separator = "://";
  const auto end = text.find(separator);
  return text == "*" || (end != std::string::npos && end != 0 &&
                         text.find('/', end + separator.size()) == std::string::npos);
}

bool is_keepalive(const keepalive_options& keepalive) noexcept {
  return is_between(1, keepalive.idle.count(), max_keepalive_seconds) &&
         is_between(1, keepalive.interval.count(), max_keepalive_seconds) &&
         is_between(1, keepalive.count, max_keepalive_count);
}

bool is_secure(const security_options& security) noexcept {
  const auto* const own = std::get_if<custom_security>(&security);
  const auto* const plain = std::get_if<plain_client_security>(&security);
  return (own == nullptr || own->make != nullptr) &&
         (plain == nullptr ||
          (plain->username.size() <= max_plain_field && plain->password.size() <= max_plain_field));
}

bool is_absent_or_positive(const auto& value) noexcept { return !value || *value > 0; }

using options = socket_options;
constexpr std::string_view positive = "must be positive";
constexpr std::string_view size = "must be 1 B to 2 GiB";
constexpr std::string_view duration = "must be 0 to one year";
constexpr std::string_view positive_duration = "must be 1 ms to one year";
constexpr std::string_view reconnect_maximum = "must be reconnect.initial to one year";

// The range of each option. It is the same for all types of sockets.
constexpr struct {
  std::string_view option;
  std::string_view rule;
  bool (*holds)(const options&) noexcept;
} ranges[] = {
    {"routing_id", "must have at most 255 bytes, and the first must not be zero",
     [](const options& o) noexcept {
       return o.routing_id.size() <= max_routing_id &&
              (o.routing_id.empty() || o.routing_id.front() != '\0');
     }},
    {"send_mark.messages", positive,
     [](const options& o) noexcept { return is_absent_or_positive(o.send_mark.messages); }},
    {"send_mark.bytes", positive,
     [](const options& o) noexcept { return is_absent_or_positive(o.send_mark.bytes); }},
    {"receive_mark.messages", positive,
     [](const options& o) noexcept { return is_absent_or_positive(o.receive_mark.messages); }},
    {"receive_mark.bytes", positive,
     [](const options& o) noexcept { return is_absent_or_positive(o.receive_mark.bytes); }},
    {"linger", duration,
     [](const options& o) noexcept { return !o.linger || is_duration(*o.linger); }},
    {"reconnect.initial", positive_duration,
     [](const options& o) noexcept { return is_positive_duration(o.reconnect.initial); }},
    {"reconnect.maximum", reconnect_maximum,
     [](const options& o) noexcept {
       return is_between(o.reconnect.initial, o.reconnect.maximum, max_duration);
     }},
    {"reconnect.refused_maximum", reconnect_maximum,
     [](const options& o) noexcept {
       return is_between(o.reconnect.initial, o.reconnect.refused_maximum, max_duration);
     }},
    {"reconnect.stable", duration,
     [](const options& o) noexcept { return is_duration(o.reconnect.stable); }},
    {"reconnect.stop_after", positive,
     [](const options& o) noexcept { return is_absent_or_positive(o.reconnect.stop_after); }},
    {"heartbeat.interval", positive_duration,
     [](const options& o) noexcept {
       return !o.heartbeat.interval || is_positive_duration(*o.heartbeat.interval);
     }},
    {"heartbeat.timeout", positive_duration,
     [](const options& o) noexcept { return is_positive_duration(o.heartbeat.timeout); }},
    {"heartbeat.ttl", "must be 0 to 65.5 s",
     [](const options& o) noexcept {
       return is_between(heartbeat_options::deciseconds{0}, o.heartbeat.ttl, max_ttl);
     }},
    {"limit.handshake_command_size", size,
     [](const options& o) noexcept { return is_size(o.limit.handshake_command_size); }},
    {"limit.handshake_time", positive_duration,
     [](const options& o) noexcept { return is_positive_duration(o.limit.handshake_time); }},
    {"limit.handshake_silence", positive_duration,
     [](const options& o) noexcept { return is_positive_duration(o.limit.handshake_silence); }},
    {"limit.command_size", size,
     [](const options& o) noexcept { return is_size(o.limit.command_size); }},
    {"limit.frame_size", size,
     [](const options& o) noexcept { return is_size(o.limit.frame_size); }},
    {"limit.message_size", size,
     [](const options& o) noexcept { return is_size(o.limit.message_size); }},
    {"limit.message_parts", "must be 1 to 65,535",
     [](const options& o) noexcept {
       return is_between(std::size_t{1}, o.limit.message_parts, max_parts);
     }},
    {"limit.message_commands", positive,
     [](const options& o) noexcept { return o.limit.message_commands != 0; }},
    {"limit.metadata_properties", positive,
     [](const options& o) noexcept { return o.limit.metadata_properties != 0; }},
    {"limit.topic_size", size,
     [](const options& o) noexcept { return is_size(o.limit.topic_size); }},
    {"limit.subscriptions", positive,
     [](const options& o) noexcept { return o.limit.subscriptions != 0; }},
    {"limit.subscription_bytes", size,
     [](const options& o) noexcept { return is_size(o.limit.subscription_bytes); }},
    {"limit.ping_context_size", size,
     [](const options& o) noexcept { return is_size(o.limit.ping_context_size); }},
    {"limit.pings_per_second", positive,
     [](const options& o) noexcept { return o.limit.pings_per_second != 0; }},
    {"transport.keepalive", "must be 1 to 32,767 s and 1 to 127 probes",
     [](const options& o) noexcept {
       return !o.transport.keepalive || is_keepalive(*o.transport.keepalive);
     }},
    {"transport.send_buffer", positive,
     [](const options& o) noexcept { return is_absent_or_positive(o.transport.send_buffer); }},
    {"transport.receive_buffer", positive,
     [](const options& o) noexcept { return is_absent_or_positive(o.transport.receive_buffer); }},
    {"transport.type_of_service", "must be 0 to 255",
     [](const options& o) noexcept {
       return is_between(0, o.transport.type_of_service.value_or(0), 255);
     }},
    {"transport.user_timeout", "must be 1 ms to 24 days",
     [](const options& o) noexcept {
       return is_between(milliseconds{1}, o.transport.user_timeout.value_or(max_user_timeout),
                         max_user_timeout);
     }},
    {"transport.websocket_origins", "must be \"*\", or like https://host without a path",
     [](const options& o) noexcept {
       return std::ranges::all_of(o.transport.websocket_origins, is_origin);
     }},
    {"transport.tls.private_key", "needs transport.tls.certificate",
     [](const options& o) noexcept {
       return o.transport.tls.private_key.empty() || !o.transport.tls.certificate.empty();
     }},
    {"transport.tls.server_name",
     "must be a name of at most 253 bytes that does not begin with a dot, or an address",
     [](const options& o) noexcept {
       // To OpenSSL, a name that begins with a dot means every name below it, and an empty one means
       // every name.
       const auto& name = o.transport.tls.server_name;
       return name.size() <= max_host_name && !name.starts_with('.') &&
              name.find('\0') == std::string::npos;
     }},
    {"transport.file_mode", "must be 0 to 0777",
     [](const options& o) noexcept { return o.transport.file_mode <= 0777; }},
    {"security",
     "must have a function that makes mechanisms, or a name and a password of at most 255 bytes",
     [](const options& o) noexcept { return is_secure(o.security); }},
    {"backlog", positive, [](const options& o) noexcept { return o.backlog > 0; }},
    {"pending_handshakes", positive,
     [](const options& o) noexcept { return o.pending_handshakes != 0; }},
    {"disconnect_slow", "excludes no_drop and conflate",
     [](const options& o) noexcept { return !o.disconnect_slow || !(o.no_drop || o.conflate); }},
    {"spin", duration,
     [](const options& o) noexcept { return o.spin.count() >= 0 && o.spin <= max_duration; }},
    {"xpub.last_values", "must be at least one topic, and 1 B to 2 GiB",
     [](const options& o) noexcept {
       return !o.xpub.last_values ||
              (o.xpub.last_values->topics != 0 && is_size(o.xpub.last_values->bytes));
     }},
    {"extensions",
     "must be `name` or `name=value` in printable ASCII without commas and blanks, 255 bytes "
     "together",
     [](const options& o) noexcept { return are_extensions(o.extensions); }},
};

using type_set = unsigned;  // one bit for each type

constexpr type_set any_of(auto... types) noexcept {
  return ((1U << static_cast<unsigned>(types)) | ...);
}

using enum socket_type;

// The types that have an option, for each option that some types lack.
constexpr struct {
  std::string_view option;
  bool (*is_set)(const options&) noexcept;
  type_set having;
} types[] = {
    {"routing_id", [](const options& o) noexcept { return !o.routing_id.empty(); },
     any_of(req, dealer, router)},
    {"mandatory", [](const options& o) noexcept { return o.mandatory; }, any_of(router, xpub)},
    {"handover", [](const options& o) noexcept { return o.handover; }, any_of(router)},
    {"relaxed", [](const options& o) noexcept { return o.relaxed; }, any_of(req)},
    {"correlate", [](const options& o) noexcept { return o.correlate; }, any_of(req)},
    {"no_drop", [](const options& o) noexcept { return o.no_drop; }, any_of(pub, xpub)},
    {"disconnect_slow", [](const options& o) noexcept { return o.disconnect_slow; },
     any_of(pub, xpub)},
    {"probe_router", [](const options& o) noexcept { return o.probe_router; },
     any_of(router, dealer, req)},
    {"conflate", [](const options& o) noexcept { return o.conflate; },
     any_of(pub, sub, push, pull, dealer)},
    {"immediate", [](const options& o) noexcept { return o.immediate; },
     any_of(push, dealer, req, socket_type::pair, router, xsub)},
    {"policy", [](const options& o) noexcept { return o.policy != send_policy::round_robin; },
     any_of(push, dealer)},
    {"hello_message", [](const options& o) noexcept { return !o.hello_message.empty(); },
     any_of(router, dealer, push, socket_type::pair)},
    {"disconnect_message", [](const options& o) noexcept { return !o.disconnect_message.empty(); },
     any_of(router, dealer, pull, socket_type::pair, xsub)},
    {"xpub.notifications",
     [](const options& o) noexcept {
       return o.xpub.notifications != xpub_options::notices::changes;
     },
     any_of(xpub)},
    {"xpub.manual", [](const options& o) noexcept { return o.xpub.manual; }, any_of(xpub)},
    {"xpub.announce_as_pub", [](const options& o) noexcept { return o.xpub.announce_as_pub; },
     any_of(xpub)},
    {"xpub.welcome", [](const options& o) noexcept { return !o.xpub.welcome.empty(); },
     any_of(xpub)},
    {"xpub.last_values", [](const options& o) noexcept { return o.xpub.last_values.has_value(); },
     any_of(xpub)},
    {"xpub.last_values_of",
     [](const options& o) noexcept {
       return o.xpub.last_values_of != xpub_options::matching::prefix;
     },
     any_of(xpub)},
};

}  // namespace

std::optional<option_fault> find_fault(const socket_options& options) noexcept {
  for (const auto& [option, rule, holds] : ranges) {
    if (!holds(options)) {
      return option_fault{option, rule};
    }
  }
  return std::nullopt;
}

std::optional<option_fault> find_fault(const socket_options& options, socket_type type) noexcept {
  for (const auto& [option, is_set, having] : types) {
    if (is_set(options) && (having & any_of(type)) == 0) {
      return option_fault{option, "does not exist for this type of socket; see zmtp/options.h"};
    }
  }
  return find_fault(options);
}

std::optional<option_fault> find_change_fault(const socket_options& from, const socket_options& to,
                                              socket_type type, bool used) noexcept {
  const struct {
    std::string_view option;
    bool same;
  } fixed[] = {
      {"routing_id", from.routing_id == to.routing_id},
      {"extensions", from.extensions == to.extensions},
      {"announce_peers", from.announce_peers == to.announce_peers},
      {"correlate", from.correlate == to.correlate},
      {"conflate", from.conflate == to.conflate},
      {"xpub.announce_as_pub", from.xpub.announce_as_pub == to.xpub.announce_as_pub},
  };
  for (const auto& [option, same] : fixed) {
    if (used && !same) {
      return option_fault{option, "cannot change after the first bind or connect"};
    }
  }
  if (used && lacks_authenticator(to) && !lacks_authenticator(from)) {
    return option_fault{"authenticator", "must be set for a PLAIN or CURVE server"};
  }
  return find_fault(to, type);
}

bool lacks_authenticator(const socket_options& options) noexcept {
  if (options.authenticator != nullptr) {
    return false;
  }
  const auto* const own = std::get_if<custom_security>(&options.security);
  return std::holds_alternative<plain_server_security>(options.security) ||
         (own != nullptr && own->needs_authenticator);
}

std::string_view file_with_fault(const tls_options& options, error_code fault) noexcept {
  if (fault == errc::bad_certificate_file) {
    return options.certificate;
  }
  if (fault == errc::bad_key_file || fault == errc::foreign_key) {
    return options.private_key.empty() ? options.certificate : options.private_key;
  }
  return fault == errc::bad_trusted_file ? options.trusted : std::string_view{};
}

void refuse(const option_fault& fault, std::string_view where) {
  throw boost::system::system_error{
      make_error_code(errc::bad_option),
      std::string{where}.append(": option ").append(fault.option).append(" ").append(fault.rule)};
}

}  // namespace zmtp
