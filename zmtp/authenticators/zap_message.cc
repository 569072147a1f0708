#include "zmtp/authenticators/zap_message.h"

#include "zmtp/authenticators/peer_host.h"
#include "zmtp/metadata.h"
#include "zmtp/options.h"

#include <string_view>
#include <utility>

namespace zmtp {

namespace {

constexpr std::string_view version = "1.0";
constexpr std::size_t longest_user_id = 255;

// The frames of a reply.
enum field : std::size_t { version_at, id_at, status_at, text_at, user_at, metadata_at, fields };

}  // namespace

message to_message(const zap_request& request, const peer_info& peer, const credentials& shown) {
  message made;
  for (const std::string_view part :
       {version, std::string_view{request.id}, std::string_view{request.domain}}) {
    made.push_back(part);
  }
  made.push_back(without_port(peer.address));
  made.push_back(request.routing_id);
  made.push_back(peer.mechanism);
  struct {
    message& to;
    void operator()(std::monostate) const {}
    void operator()(const plain_credentials& plain) const {
      to.push_back(plain.username);
      to.push_back(plain.password);
    }
    void operator()(const curve_credentials& curve) const {
      to.push_back(std::string_view{reinterpret_cast<const char*>(curve.public_key.data()),
                                    curve.public_key.size()});
    }
  } add{made};
  std::visit(add, shown);
  return made;
}

std::variant<authenticator::verdict, std::string> parse_zap_reply(const message& reply,
                                                                  const zap_request& request) {
  using verdict = authenticator::verdict;
  if (reply.size() != fields) {
    return "the reply has " + std::to_string(reply.size()) + " frames and not 6";
  }
  if (reply[version_at] != version) {
    return std::string{"the version of the reply is not 1.0"};
  }
  if (reply[id_at] != request.id) {
    return std::string{"the reply has another request id"};
  }
  const std::string status{reply[status_at]};
  if (status == "300") {  // a temporary error: the client is to try again
    return verdict{authenticator::refusal{}};
  }
  if (status == "400" || status == "500") {
    return verdict{authenticator::refusal{.status = status}};
  }
  if (status != "200") {
    return std::string{"the status of the reply is not 200, 300, 400 or 500"};
  }
  if (reply[user_at].size() > longest_user_id) {
    return std::string{"the user id of the reply has more than 255 bytes"};
  }
  auto properties = metadata::parse(reply[metadata_at], limits{});
  if (!properties) {
    return "the metadata of the reply: " + properties.error().message();
  }
  return verdict{authenticator::principal{.user_id = std::string{reply[user_at]},
                                          .properties = std::move(*properties)}};
}

}  // namespace zmtp
