#pragma once
// The figures of Titanic and of the services that requests wait for, and their lines for the log
// and for titanic.status. Pure.

#include "mdp/titanic/titanic_state.h"
#include "zmtp/figure.h"
#include "zmtp/message.h"

#include <span>
#include <string>

namespace mdp::titanic {

[[nodiscard]] std::span<const zmtp::figure_of<titanic_status>> titanic_figures() noexcept;
[[nodiscard]] std::span<const zmtp::figure_of<titanic_service_status>>
titanic_service_figures() noexcept;

[[nodiscard]] std::string report(const titanic_status& s);
// Returns the line of a service without its name, because a name may contain any bytes.
[[nodiscard]] std::string report(const titanic_service_status& s);

// Returns the answer of titanic.status: 200, the state, then name and state of up to 100 services.
// `now` is the status of `of`. The last part of the request is the name after which the list starts.
[[nodiscard]] zmtp::message answer_status(const titanic_state& of, const titanic_status& now,
                                          const zmtp::message& asked);

}  // namespace mdp::titanic
