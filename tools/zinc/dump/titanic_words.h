#pragma once
// Recognizes the requests and answers of Titanic (9/TSP) in bodies of MDP. Pure.

#include "tools/zinc/dump/record.h"
#include "zmtp/message.h"

#include <string_view>
#include <vector>

namespace zinc::dump {

// Add what `body` asks of `service`, or answers for it. Other services than Titanic's add nothing.
void add_titanic_request(std::vector<field>& to, std::string_view service,
                         const zmtp::message& body);
void add_titanic_answer(std::vector<field>& to, std::string_view service,
                        const zmtp::message& body);

}  // namespace zinc::dump
