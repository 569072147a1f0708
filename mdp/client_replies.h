#pragma once
// Messages from the broker to its clients: replies, parts of replies and errors. Pure.

#include "mdp/broker_actions.h"
#include "mdp/broker_records.h"
#include "mdp/command.h"
#include "mdp/keyed_requests.h"
#include "mdp/options.h"
#include "mdp/request_error.h"
#include "zmtp/message.h"

#include <string_view>

namespace mdp {

// The name by which clients ask for the status of Titanic. 8/MMI leaves such names to the brokers.
inline constexpr std::string_view mmi_titanic = "mmi.titanic";

// Returns the service that a reply must name. Clients compare this name with the name in their request.
[[nodiscard]] std::string_view name_for_client(const request& r) noexcept;

// Sends `body` to the client of `r`. A client must wait for the reply.
void send_part(const request& r, zmtp::message& body, broker_actions& out);
void send_reply(const request& r, zmtp::message& body, broker_actions& out);

// Sends the outcome of a keyed request that has ended. A client that does not read errors gets no error.
void send_outcome(const client_record& to, const keyed_request& ended, dialect how,
                  broker_actions& out);

// Appends a part of a reply to `r.gathered`, because a 0.1 client gets the whole reply in one message. Returns
// false, and appends nothing, if the reply is above the limit.
[[nodiscard]] bool gather(request& r, const zmtp::message& body, const gathering_quota& limit);

}  // namespace mdp
